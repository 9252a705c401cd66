"""system.metadata and system.jdbc: all catalogs of a session side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sqe.query.sessions import Session
from sqe.query.virtual.columns import TEXT, table_of
from sqe.query.virtual.information_schema import described
from sqe.sql.virtual import SYSTEM

if TYPE_CHECKING:
    import pyarrow as pa

Filters = Mapping[str, str]
#: Spark's own session catalog; nobody's tables are in it.
_HIDDEN = frozenset({"spark_catalog"})


def catalog_names(session: Session) -> list[str]:
    """The catalogs that a person has, `system` among them."""
    return sorted({*session.spark.catalogs(), SYSTEM} - _HIDDEN)


def _catalogs(session: Session, filters: Filters) -> pa.Table:
    del filters
    rows = ((name, name, "system" if name == SYSTEM else "iceberg") for name in catalog_names(session))
    return table_of({"catalog_name": TEXT, "connector_id": TEXT, "connector_name": TEXT}, rows)


def _all(session: Session, filters: Filters) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    wanted = filters.get("catalog_name") or filters.get("table_cat")
    narrowed = {key: value for key, value in filters.items() if key in {"table_schema", "table_name"}}
    if "schema_name" in filters:
        narrowed["table_schema"] = filters["schema_name"]
    for catalog in catalog_names(session):
        if catalog != SYSTEM and wanted in {None, catalog}:
            for schema, name, facts in described(session, catalog, narrowed):
                yield catalog, schema, name, facts


def _comments(session: Session, filters: Filters) -> pa.Table:
    rows = (
        (catalog, schema, name, facts["properties"].get("comment"))
        for catalog, schema, name, facts in _all(session, filters)
    )
    return table_of({"catalog_name": TEXT, "schema_name": TEXT, "table_name": TEXT, "comment": TEXT}, rows)


def _jdbc_catalogs(session: Session, filters: Filters) -> pa.Table:
    del filters
    return table_of({"table_cat": TEXT}, ((name,) for name in catalog_names(session)))


def _jdbc_schemas(session: Session, filters: Filters) -> pa.Table:
    wanted = filters.get("table_catalog")
    rows = (
        (schema, catalog)
        for catalog in catalog_names(session)
        if catalog != SYSTEM and wanted in {None, catalog}
        for schema in session.spark.schemas(catalog)
    )
    return table_of({"table_schem": TEXT, "table_catalog": TEXT}, rows)


def _jdbc_tables(session: Session, filters: Filters) -> pa.Table:
    wanted = filters.get("table_cat")
    rows = (
        (catalog, schema, name, kind, None)
        for catalog in catalog_names(session)
        if catalog != SYSTEM and wanted in {None, catalog}
        for schema in session.spark.schemas(catalog)
        for name, kind in sorted(session.spark.relations(catalog, schema))
    )
    columns = {"table_cat": TEXT, "table_schem": TEXT, "table_name": TEXT, "table_type": TEXT, "remarks": TEXT}
    return table_of(columns, rows)


def _table_properties(session: Session, filters: Filters) -> pa.Table:
    rows = (
        (catalog, schema, name, key, value)
        for catalog, schema, name, facts in _all(session, filters)
        for key, value in sorted(facts["properties"].items())
    )
    columns = {
        "catalog_name": TEXT, "schema_name": TEXT, "table_name": TEXT, "property_name": TEXT, "property_value": TEXT,
    }  # fmt: skip
    return table_of(columns, rows)


TABLES: dict[str, Callable[[Session, Filters], pa.Table]] = {
    "system.metadata.catalogs": _catalogs,
    "system.metadata.table_comments": _comments,
    "system.metadata.table_properties": _table_properties,
    "system.jdbc.catalogs": _jdbc_catalogs,
    "system.jdbc.schemas": _jdbc_schemas,
    "system.jdbc.tables": _jdbc_tables,
}
