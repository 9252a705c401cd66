"""The catalogs that a server offers to everybody, each asked as the person who asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqe.catalogs.backends import Made, backend
from sqe.catalogs.settings import CatalogSettings
from sqe.core.errors import ConfigError

#: How catalog clients in the JVM come to the token of a session; see `LoginAuth.java`.
_LOGIN_AUTH = "sqe.jvm.LoginAuth"


@dataclass(frozen=True)
class ServedMounts:
    """The catalogs of the settings for every session."""

    catalogs: Mapping[str, CatalogSettings]
    start: tuple[str, str]
    #: Each session asks with a token of its own.
    personal: bool = True
    #: All catalogs outlive the sessions.
    passing: str | None = None

    @classmethod
    def of(cls, catalogs: Mapping[str, CatalogSettings], default: str) -> ServedMounts:
        """The mounts; `default` is where names without a catalog lead, empty: the first by name."""
        if not catalogs:
            raise ConfigError(
                "no catalog is configured", hint="add [catalogs.<name>] with catalog_url to the settings of the server"
            )
        name = default or min(catalogs)
        if name not in catalogs:
            raise ConfigError(f"query.default_catalog: there is no catalog {name}")
        return cls(catalogs, (name, catalogs[name].default_schema))

    @property
    def groups(self) -> frozenset[str]:
        """The jars that they need."""
        needed: frozenset[str] = frozenset()
        return needed.union(*(self._made(name).groups for name in self.catalogs))

    def prepare(self) -> None:
        """Make the folders that must be there."""
        for name in self.catalogs:
            self._made(name).prepare()

    def conf(self, memory_folder: Path, login: str) -> dict[str, str]:
        """Spark's settings for one session."""
        del memory_folder
        conf = {"spark.sql.defaultCatalog": self.start[0]}
        for name, settings in self.catalogs.items():
            conf |= self._made(name).settings
            prefix = f"spark.sql.catalog.{name}"
            conf[f"{prefix}.default-namespace"] = settings.default_schema
            if settings.backend.type == "rest":
                conf |= {f"{prefix}.{key}": value for key, value in _credentials(name, settings, login).items()}
        return conf

    def tokens(self, login: str, token: str) -> dict[str, str]:
        """What the references in the settings stand for."""
        fixed = {
            _static(login, name): settings.auth.token.get_secret_value()
            for name, settings in self.catalogs.items()
            if settings.auth.type == "static"
        }
        return fixed | ({login: token} if token else {})

    def _made(self, name: str) -> Made:
        settings = self.catalogs[name]
        kind = settings.backend.type
        if kind == "rest":
            return _rest(name, settings)
        location = settings.catalog_url if kind == "jdbc" else settings.warehouse
        options = {"warehouse": settings.warehouse} if kind == "jdbc" else {}
        password = settings.backend.password.get_secret_value()
        secret = ("basic", {"username": settings.backend.user, "password": password}) if settings.backend.user else None
        return backend(kind).catalog(name, location, options, secret)


def _rest(name: str, settings: CatalogSettings) -> Made:
    prefix = f"spark.sql.catalog.{name}"
    conf = {
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "rest",
        f"{prefix}.uri": settings.catalog_url,
        # Iceberg's cache renews its life on every read, so a busy table would stay stale for ever.
        f"{prefix}.cache-enabled": "false",
    }
    return Made(conf | ({f"{prefix}.warehouse": settings.warehouse} if settings.warehouse else {}))


def _credentials(name: str, settings: CatalogSettings, login: str) -> dict[str, str]:
    if settings.auth.type == "anonymous":
        return {"rest.auth.type": "none"}
    # A static token is handed over as a login's is: settings of a session never hold one.
    reference = _static(login, name) if settings.auth.type == "static" else login
    return {"rest.auth.type": _LOGIN_AUTH, "sqe.login": reference}


def _static(login: str, name: str) -> str:
    return f"{login}/{name}"
