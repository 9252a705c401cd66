"""information_schema of one catalog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sqe.query.sessions import Session
from sqe.query.virtual.columns import TEXT, WHOLE, table_of
from sqe.sql.type_names import trino_type

if TYPE_CHECKING:
    import pyarrow as pa

Filters = Mapping[str, str]
_NAME = {"table_catalog": TEXT, "table_schema": TEXT, "table_name": TEXT}
_DIGITS = {"tinyint": 3, "smallint": 5, "integer": 10, "bigint": 19, "real": 24, "double": 53}


def _schemata(session: Session, catalog: str, filters: Filters) -> pa.Table:
    rows = ((catalog, schema) for schema in _schemas(session, catalog, filters.get("schema_name")))
    return table_of({"catalog_name": TEXT, "schema_name": TEXT}, rows)


def _tables(session: Session, catalog: str, filters: Filters) -> pa.Table:
    kinds = {"TABLE": "BASE TABLE", "VIEW": "VIEW"}
    rows = (
        (catalog, schema, name, kinds[kind])
        for schema in _schemas(session, catalog, filters.get("table_schema"))
        for name, kind in sorted(session.spark.relations(catalog, schema))
    )
    return table_of({**_NAME, "table_type": TEXT}, rows)


def _views(session: Session, catalog: str, filters: Filters) -> pa.Table:
    rows = (
        (catalog, schema, name, facts["query"])
        for schema, name, facts in described(session, catalog, filters)
        if "query" in facts
    )
    return table_of({**_NAME, "view_definition": TEXT}, rows)


def _columns(session: Session, catalog: str, filters: Filters) -> pa.Table:
    columns = {
        **_NAME, "column_name": TEXT, "ordinal_position": WHOLE, "column_default": TEXT, "is_nullable": TEXT,
        "data_type": TEXT, "character_maximum_length": WHOLE, "numeric_precision": WHOLE, "numeric_scale": WHOLE,
        "comment": TEXT,
    }  # fmt: skip
    rows = (
        (catalog, schema, name, *_column(number, column))
        for schema, name, facts in described(session, catalog, filters)
        for number, column in enumerate(facts["columns"], 1)
    )
    return table_of(columns, rows)


def _column(number: int, column: list[Any]) -> tuple[Any, ...]:
    name, spark_type, nullable, comment = column
    kind = trino_type(spark_type)
    precision, scale = _size(kind)
    return name, number, None, "YES" if nullable else "NO", kind, None, precision, scale, comment


def _size(kind: str) -> tuple[int | None, int | None]:
    found = re.fullmatch(r"decimal\((\d+), ?(\d+)\)", kind)
    if found:
        return int(found.group(1)), int(found.group(2))
    digits = _DIGITS.get(kind)
    return digits, 0 if digits and kind not in {"real", "double"} else None


def described(session: Session, catalog: str, filters: Filters) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Schema, name and facts of all relations that the filters leave; a schema's tables are read side by side."""
    for schema in _schemas(session, catalog, filters.get("table_schema")):
        wanted = filters.get("table_name")
        relations = dict(sorted(session.spark.relations(catalog, schema)))
        if wanted is not None:
            relations = {name: kind for name, kind in relations.items() if name == wanted}
        for name, facts in zip(relations, session.spark.describe(catalog, schema, relations), strict=True):
            if facts is not None:
                yield schema, name, facts


def _schemas(session: Session, catalog: str, wanted: str | None) -> list[str]:
    if wanted is None:
        return session.spark.schemas(catalog)
    return [wanted] if session.spark.has_schema(catalog, wanted) else []


TABLES: dict[str, Callable[[Session, str, Filters], pa.Table]] = {
    "information_schema.schemata": _schemata,
    "information_schema.tables": _tables,
    "information_schema.views": _views,
    "information_schema.columns": _columns,
}
