"""The kinds of catalogs that can be attached: one entry each, from a location and options to Spark's settings."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqe.catalogs.embedded import WAREHOUSE_CATALOG, warehouse_conf
from sqe.core.errors import NotSupportedError, UserError

#: Kind and options of a secret.
Credentials = tuple[str, Mapping[str, str]]

_SECRETS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    # Kind: what must be there, what may be there.
    "bearer": (frozenset({"token"}), frozenset({"token"})),
    "basic": (frozenset({"username", "password"}), frozenset({"username", "password"})),
    "aws": (frozenset(), frozenset({"access_key_id", "secret_access_key", "session_token", "region", "profile"})),
}
_DRIVERS = {"postgresql": "postgres", "mysql": "mysql", "mariadb": "mysql", "sqlite": "sqlite"}


@dataclass(frozen=True)
class Made:
    """Spark's settings for a catalog, and the groups of jars that it needs."""

    settings: dict[str, str]
    groups: frozenset[str] = frozenset()
    #: It lies, or its tables do, on the machine of the engine.
    local: bool = False
    #: A folder that is made when the catalog is first attached.
    folder: Path | None = None

    def prepare(self) -> None:
        """Make what must be there before the catalog is opened. Raises `UserError`."""
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = error.strerror or "not usable"
                raise UserError(f"the folder {self.folder} cannot be used: {reason}") from error


@dataclass(frozen=True)
class Backend:
    """One kind of catalog."""

    required: frozenset[str]
    optional: frozenset[str]
    secrets: frozenset[str]
    build: Callable[[str, str, Mapping[str, str], Credentials | None], Made]

    def catalog(self, name: str, location: str, options: Mapping[str, str], secret: Credentials | None) -> Made:
        """Settings for a catalog of this kind. Raises when an option is wrong or missing."""
        known = self.required | self.optional
        for key in options:
            if key not in known:
                raise UserError(f"ATTACH has no option {key.upper()} for this TYPE", hint=_hint(key, known))
        for key in sorted(self.required - options.keys()):
            raise UserError(f"ATTACH needs {key.upper()} for this TYPE")
        if secret is not None and secret[0] not in self.secrets:
            kinds = ", ".join(sorted(self.secrets)) or "none"
            raise UserError(f"a secret of type {secret[0]} does not fit this TYPE (it takes: {kinds})")
        return self.build(name, location, options, secret)


def backend(kind: str) -> Backend:
    """The backend of a kind. Raises for one that there is not."""
    if kind in _BACKENDS:
        return _BACKENDS[kind]
    if kind in _LATER:
        raise NotSupportedError(f"catalogs of TYPE {kind} cannot be attached yet")
    raise UserError(f"unknown catalog TYPE {kind!r}", hint=f"there are {', '.join(sorted(_BACKENDS))}")


def check_secret(kind: str, options: Mapping[str, str]) -> None:
    """Raise when a secret's kind or options are not known; never shows a value."""
    if kind not in _SECRETS:
        raise UserError(f"unknown secret TYPE {kind!r}", hint=f"there are {', '.join(sorted(_SECRETS))}")
    required, known = _SECRETS[kind]
    for key in options:
        if key not in known:
            raise UserError(f"a secret of TYPE {kind} has no option {key.upper()}", hint=_hint(key, known))
    missing = sorted(required - options.keys())
    if missing or not options:
        raise UserError(f"a secret of TYPE {kind} needs {', '.join(missing or sorted(known)).upper()}")


def _hint(key: str, known: frozenset[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"did you mean {near[0].upper()}?" if near else f"there are {', '.join(sorted(known)).upper() or 'none'}"


def _sqlite(name: str, location: str, options: Mapping[str, str], secret: Credentials | None) -> Made:
    del options, secret
    folder = _folder(location)
    return Made(warehouse_conf(name, folder), local=True, folder=folder / WAREHOUSE_CATALOG)


def _hadoop(name: str, location: str, options: Mapping[str, str], secret: Credentials | None) -> Made:
    del options, secret
    local = _is_local(location)
    folder = _folder(location) if local else None
    prefix = f"spark.sql.catalog.{name}"
    return Made(
        {
            prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.type": "hadoop",
            f"{prefix}.warehouse": location if folder is None else str(folder),
            f"{prefix}.cache-enabled": "false",
        },
        local=local,
        folder=folder,
    )


def _jdbc(name: str, location: str, options: Mapping[str, str], secret: Credentials | None) -> Made:
    url = location.removeprefix("jdbc:")
    parts = urlsplit(url)
    group = _DRIVERS.get(parts.scheme)
    if group is None:
        raise UserError("a JDBC location begins with jdbc:postgresql://, jdbc:mysql:// or jdbc:sqlite:")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if secret is not None:
        user, password = secret[1]["username"], secret[1]["password"]
    if parts.username is not None:
        # Credentials in the address would be shown wherever the address is.
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    prefix = f"spark.sql.catalog.{name}"
    settings = {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "jdbc",
        f"{prefix}.uri": f"jdbc:{url}",
        f"{prefix}.warehouse": options["warehouse"],
        f"{prefix}.jdbc.schema-version": "V1",
        f"{prefix}.jdbc.strict-mode": "true",
        f"{prefix}.cache-enabled": "false",
    }
    if user:
        settings |= {f"{prefix}.jdbc.user": user, f"{prefix}.jdbc.password": password}
    return Made(settings, frozenset({group}), local=group == "sqlite" or _is_local(options["warehouse"]))


def _is_local(path: str) -> bool:
    return "://" not in path or path.startswith("file:")


def _folder(location: str) -> Path:
    path = Path(location.removeprefix("file://")).expanduser()
    if not location or not path.is_absolute():
        raise UserError("the location of a catalog on this machine is an absolute path")
    return path


_NONE: frozenset[str] = frozenset()
#: Where a further kind of catalog is added.
_BACKENDS: dict[str, Backend] = {
    "sqlite": Backend(_NONE, _NONE, _NONE, _sqlite),
    "hadoop": Backend(_NONE, _NONE, _NONE, _hadoop),
    "jdbc": Backend(frozenset({"warehouse"}), _NONE, frozenset({"basic"}), _jdbc),
}
_LATER = frozenset({"iceberg_rest", "glue", "s3tables", "hms", "nessie", "unity"})
