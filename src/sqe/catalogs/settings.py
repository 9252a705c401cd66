"""The settings of catalogs: the embedded engine's warehouses, and those that a server offers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from sqe.observe.model import Conflict, SettingsModel, refuse

#: Names that the engine itself gives a meaning.
RESERVED_NAMES = frozenset({"default", "system", "spark_catalog", "information_schema"})


def _usable_name(name: str) -> str:
    if not name.strip():
        raise refuse("a catalog's name may not be empty")
    if "." in name:
        raise refuse("a catalog's name may not contain a dot")
    if name.lower() in RESERVED_NAMES:
        raise refuse("this catalog name is reserved")
    return name


def _some_path(path: str) -> str:
    if not path.strip():
        raise refuse("must name a folder")
    return path


CatalogName = Annotated[str, AfterValidator(_usable_name)]
CatalogPath = Annotated[str, AfterValidator(_some_path)]


class EmbeddedSettings(SettingsModel):
    """Where the embedded engine keeps its tables."""

    warehouse: str = Field(default="", description="The folder of the warehouse; empty: `~/.sqe/warehouse`.")
    catalogs: dict[CatalogName, CatalogPath] = Field(
        default={},
        description=(
            'More warehouses as catalogs, by name, such as `{ sales = "/data/sales" }`. '
            "A name may not be empty, contain a dot, or be one of default, information_schema, "
            "spark_catalog, system."
        ),
    )


class BackendSettings(SettingsModel):
    """What kind of catalog it is."""

    type: Literal["rest", "jdbc", "hadoop", "sqlite"] = Field(
        default="rest",
        description="`rest`, `jdbc`, `hadoop` (read from a folder) or `sqlite` (a folder of this machine).",
    )
    user: str = Field(default="", description="The user of a JDBC catalog.")
    password: SecretStr = Field(default=SecretStr(""), description="That user's password.")


class CatalogAuthSettings(SettingsModel):
    """Whose credentials a REST catalog is asked with."""

    type: Literal["session_bearer", "anonymous", "static"] = Field(
        default="session_bearer",
        description="`session_bearer`: the token of the person who asks; `anonymous`: none; `static`: the one below.",
    )
    token: SecretStr = Field(default=SecretStr(""), description="The token of `static`.")

    def conflicts(self) -> Iterable[Conflict]:
        """A static token is one that is given."""
        if (self.type == "static") != bool(self.token.get_secret_value()):
            yield Conflict(("token",), 'is for type = "static", which needs it')


class CatalogSettings(SettingsModel):
    """A catalog that a server offers."""

    catalog_url: str = Field(default="", description="The address of a REST catalog, or of a JDBC one (`jdbc:…`).")
    warehouse: str = Field(default="", description="The warehouse's name, or the folder of its tables.")
    default_schema: str = Field(default="default", description="Where names without a schema lead.")
    backend: BackendSettings = Field(default_factory=BackendSettings)
    auth: CatalogAuthSettings = Field(default_factory=CatalogAuthSettings)

    def conflicts(self) -> Iterable[Conflict]:
        """What a kind of catalog needs."""
        if self.backend.type in {"rest", "jdbc"} and not self.catalog_url:
            yield Conflict(("catalog_url",), f'is needed for backend.type = "{self.backend.type}"')
        if self.backend.type in {"jdbc", "hadoop", "sqlite"} and not self.warehouse:
            yield Conflict(("warehouse",), f'is needed for backend.type = "{self.backend.type}"')


Catalogs = dict[CatalogName, CatalogSettings]
