"""system.metadata: all catalogs of a session side by side, and what can be said when something is made in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from sqe.query.sessions import Session
from sqe.query.virtual.columns import TEXT, table_of
from sqe.query.virtual.information_schema import described
from sqe.query.virtual.narrowing import CATALOG, Narrowing
from sqe.sql.property_lists import SCHEMA_PROPERTIES, TABLE_PROPERTIES, Property
from sqe.sql.virtual import SYSTEM

if TYPE_CHECKING:
    import pyarrow as pa

#: Spark's own session catalog; nobody's tables are in it.
_HIDDEN = frozenset({"spark_catalog"})
_PROPERTIES = {"catalog_name": TEXT, "property_name": TEXT, "default_value": TEXT, "type": TEXT, "description": TEXT}
_MATERIALIZED_VIEWS = {
    "catalog_name": TEXT, "schema_name": TEXT, "name": TEXT, "storage_catalog": TEXT, "storage_schema": TEXT,
    "storage_table": TEXT, "freshness": TEXT, "last_fresh_time": TEXT, "comment": TEXT, "definition": TEXT,
}  # fmt: skip


def catalog_names(session: Session) -> list[str]:
    """The catalogs that a person has, `system` among them."""
    return sorted({*session.spark.catalogs(), SYSTEM} - _HIDDEN)


def stored_catalogs(session: Session, wanted: Narrowing) -> Iterator[str]:
    """The catalogs with tables that can be of use."""
    return (name for name in catalog_names(session) if name != SYSTEM and wanted.admits(CATALOG, name))


def _catalogs(session: Session, wanted: Narrowing) -> pa.Table:
    del wanted
    rows = ((name, name, "system" if name == SYSTEM else "iceberg") for name in catalog_names(session))
    return table_of({"catalog_name": TEXT, "connector_id": TEXT, "connector_name": TEXT}, rows)


def _comments(session: Session, wanted: Narrowing) -> pa.Table:
    rows = (
        (catalog, schema, name, facts["properties"].get("comment"))
        for catalog in stored_catalogs(session, wanted)
        for schema, name, facts in described(session, catalog, wanted, properties=True)
    )
    return table_of({"catalog_name": TEXT, "schema_name": TEXT, "table_name": TEXT, "comment": TEXT}, rows)


def _offered(properties: Mapping[str, Property]) -> Callable[[Session, Narrowing], pa.Table]:
    """A table of the properties that something may be made with."""

    def filled(session: Session, wanted: Narrowing) -> pa.Table:
        rows = (
            (catalog, name, known.default, known.type, known.description)
            for catalog in stored_catalogs(session, wanted)
            for name, known in sorted(properties.items())
        )
        return table_of(_PROPERTIES, rows)

    return filled


def _no_materialized_views(session: Session, wanted: Narrowing) -> pa.Table:
    del session, wanted
    return table_of(_MATERIALIZED_VIEWS, [])


TABLES: dict[str, Callable[[Session, Narrowing], pa.Table]] = {
    "system.metadata.catalogs": _catalogs,
    "system.metadata.table_comments": _comments,
    "system.metadata.table_properties": _offered(TABLE_PROPERTIES),
    "system.metadata.schema_properties": _offered(SCHEMA_PROPERTIES),
    "system.metadata.column_properties": _offered({}),
    "system.metadata.analyze_properties": _offered({}),
    "system.metadata.materialized_view_properties": _offered({}),
    "system.metadata.materialized_views": _no_materialized_views,
}
