"""The settings of the embedded engine's catalogs."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from sqe.observe.model import SettingsModel, refuse

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
