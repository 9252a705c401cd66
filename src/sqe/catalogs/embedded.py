"""The embedded engine's catalogs as Spark properties: SQLite warehouses on this disk, and a session's memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqe.core.errors import ConfigError

#: The name of the persistent warehouse, and inside each warehouse the folder of its tables.
WAREHOUSE_CATALOG = "iceberg"
#: Unqualified names live here: `default.default`, gone with the session.
MEMORY_CATALOG = "default"
_FIRST_SCHEMA = "default"
_BUSY_TIMEOUT_MS = 60_000


@dataclass(frozen=True)
class Warehouses:
    """Which folders are mounted under which names; an empty mapping means memory only."""

    folders: Mapping[str, Path]

    @classmethod
    def of(cls, catalogs: Mapping[str, Path], *, memory: bool, default: Path) -> Warehouses:
        """The mounts for a command line or a configuration."""
        if memory:
            return cls({})
        chosen = dict(catalogs) or {WAREHOUSE_CATALOG: default}
        return cls({name: Path(os.path.abspath(path)) for name, path in sorted(chosen.items())})  # noqa: PTH100

    def prepare(self) -> None:
        """Make the folders; a clear error when one cannot be used."""
        for name, folder in self.folders.items():
            try:
                (folder / WAREHOUSE_CATALOG).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = error.strerror or "not usable"
                raise ConfigError(f"the warehouse {folder} of catalog {name} cannot be used: {reason}") from error
            if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                raise ConfigError(f"the warehouse {folder} of catalog {name} cannot be used: permission denied")

    def key(self) -> str:
        """A text that two engines share exactly when they serve the same mounts."""
        return "\n".join(f"{name}={os.path.realpath(folder)}" for name, folder in self.folders.items())


@dataclass(frozen=True)
class EmbeddedMounts:
    """What a session of the embedded engine has: every warehouse, and a memory catalog of its own to start in."""

    warehouses: Warehouses
    start: tuple[str, str] = (MEMORY_CATALOG, _FIRST_SCHEMA)
    personal: bool = False
    passing: str | None = MEMORY_CATALOG

    def conf(self, memory_folder: Path, login: str) -> dict[str, str]:
        """Spark's settings for one session."""
        del login
        conf = {"spark.sql.defaultCatalog": MEMORY_CATALOG}
        for name, folder in self.warehouses.folders.items():
            conf |= warehouse_conf(name, folder)
        # One connection: another one would see another database.
        memory = {"uri": "jdbc:sqlite::memory:", "clients": "1"}
        conf |= _catalog(MEMORY_CATALOG, memory_folder)
        return conf | {f"spark.sql.catalog.{MEMORY_CATALOG}.{key}": value for key, value in memory.items()}

    def tokens(self, login: str, token: str) -> dict[str, str]:
        """Files of this machine need none."""
        del login, token
        return {}


def warehouse_conf(name: str, folder: Path) -> dict[str, str]:
    """Spark's settings for a warehouse in a folder."""
    return _catalog(name, folder / WAREHOUSE_CATALOG) | _sqlite(name, folder / "sqe.db")


def _catalog(name: str, folder: Path) -> dict[str, str]:
    prefix = f"spark.sql.catalog.{name}"
    return {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.catalog-impl": "sqe.jvm.SqliteCatalog",
        f"{prefix}.io-impl": "org.apache.iceberg.hadoop.HadoopFileIO",
        f"{prefix}.warehouse": str(folder),
        f"{prefix}.default-namespace": _FIRST_SCHEMA,
        f"{prefix}.sqe.first-namespace": _FIRST_SCHEMA,
        f"{prefix}.jdbc.schema-version": "V1",
        # Without this, tables can be made in schemas that do not exist.
        f"{prefix}.jdbc.strict-mode": "true",
        # Iceberg's cache renews its life on every read, so a busy table would stay stale for ever.
        f"{prefix}.cache-enabled": "false",
        # Many writers at once are normal here; an attempt costs milliseconds.
        f"{prefix}.table-default.commit.retry.num-retries": "20",
        f"{prefix}.table-default.commit.retry.min-wait-ms": "20",
        f"{prefix}.table-default.commit.retry.max-wait-ms": "2000",
    }


def _sqlite(name: str, file: Path) -> dict[str, str]:
    prefix = f"spark.sql.catalog.{name}"
    # Write-ahead logging lets readers go on while another process commits.
    options = f"busy_timeout={_BUSY_TIMEOUT_MS}&journal_mode=WAL&synchronous=FULL"
    return {f"{prefix}.uri": f"jdbc:sqlite:file:{quote(str(file))}?{options}"}
