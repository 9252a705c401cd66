"""information_schema of one catalog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqe.core.type_names import trino_type
from sqe.query.sessions import Session
from sqe.query.virtual.columns import TEXT, WHOLE, table_of
from sqe.query.virtual.narrowing import Narrowing, relations, schemas
from sqe.query.virtual.show import settings
from sqe.sql.definitions import default_text

if TYPE_CHECKING:
    import pyarrow as pa

_NAME = {"table_catalog": TEXT, "table_schema": TEXT, "table_name": TEXT}
TABLE_COLUMNS = {**_NAME, "table_type": TEXT}
VIEW_COLUMNS = {**_NAME, "view_definition": TEXT}
_DIGITS = {"tinyint": 3, "smallint": 5, "integer": 10, "bigint": 19, "real": 24, "double": 53}
COLUMNS = {
    **_NAME, "column_name": TEXT, "ordinal_position": WHOLE, "column_default": TEXT, "is_nullable": TEXT,
    "data_type": TEXT, "character_maximum_length": WHOLE, "numeric_precision": WHOLE, "numeric_scale": WHOLE,
    "comment": TEXT,
}  # fmt: skip
#: Nobody has granted anything here, and nobody has a role.
_EMPTY = {
    "table_privileges": {
        "grantor": TEXT, "grantor_type": TEXT, "grantee": TEXT, "grantee_type": TEXT, **_NAME, "privilege_type": TEXT,
        "is_grantable": TEXT, "with_hierarchy": TEXT,
    },
    "roles": {"role_name": TEXT},
    "enabled_roles": {"role_name": TEXT},
    "applicable_roles": {"grantee": TEXT, "grantee_type": TEXT, "role_name": TEXT, "is_grantable": TEXT},
}  # fmt: skip


def _schemata(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    rows = ((catalog, schema) for schema in schemas(session, catalog, wanted))
    return table_of({"catalog_name": TEXT, "schema_name": TEXT}, rows)


def _tables(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    kinds = {"TABLE": "BASE TABLE", "VIEW": "VIEW"}
    rows = (
        (catalog, schema, name, kinds[kind])
        for schema in schemas(session, catalog, wanted)
        for name, kind in relations(session, catalog, schema, wanted).items()
    )
    return table_of(TABLE_COLUMNS, rows)


def _views(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    rows = (
        (catalog, schema, name, facts["written"] or facts["query"])
        for schema, name, facts in described(session, catalog, wanted, only="VIEW")
    )
    return table_of(VIEW_COLUMNS, rows)


def _columns(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    rows = (
        (catalog, schema, name, *_column(number, column))
        for schema, name, facts in described(session, catalog, wanted)
        for number, column in enumerate(facts["columns"], 1)
    )
    return table_of(COLUMNS, rows)


def _column(number: int, column: list[Any]) -> tuple[Any, ...]:
    name, spark_type, nullable, comment, default = column
    kind, precision, scale = _of_type(spark_type)
    return name, number, default_text(default), "YES" if nullable else "NO", kind, None, precision, scale, comment


@lru_cache(4096)
def _of_type(spark_type: str) -> tuple[str, int | None, int | None]:
    """Name, digits and scale; a catalog has many columns and few types."""
    kind = trino_type(spark_type)
    return (kind, *size(kind))


def size(kind: str) -> tuple[int | None, int | None]:
    """Digits and scale of a type of numbers."""
    found = re.fullmatch(r"decimal\((\d+), ?(\d+)\)", kind)
    if found:
        return int(found.group(1)), int(found.group(2))
    digits = _DIGITS.get(kind)
    return digits, 0 if digits and kind not in {"real", "double"} else None


def _df_settings(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    del catalog, wanted
    rows = ((key, value, None) for key, (value, _) in sorted(settings(session).items()))
    return table_of({"name": TEXT, "value": TEXT, "description": TEXT}, rows)


def _nothing(name: str) -> Callable[[Session, str, Narrowing], pa.Table]:
    def empty(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
        del session, catalog, wanted
        return table_of(_EMPTY[name], [])

    return empty


def described(
    session: Session, catalog: str, wanted: Narrowing, *, only: str | None = None, properties: bool = False
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Schema, name and facts of all relations that can be of use; a schema's tables are read side by side."""
    for schema in schemas(session, catalog, wanted):
        found = relations(session, catalog, schema, wanted)
        found = {name: kind for name, kind in found.items() if only in {None, kind}}
        answers = session.spark.describe(catalog, schema, found, properties=properties)
        for name, facts in zip(found, answers, strict=True):
            if facts is not None:
                yield schema, name, facts


TABLES: dict[str, Callable[[Session, str, Narrowing], pa.Table]] = {
    "information_schema.schemata": _schemata,
    "information_schema.tables": _tables,
    "information_schema.views": _views,
    "information_schema.columns": _columns,
    "information_schema.df_settings": _df_settings,
    **{f"information_schema.{name}": _nothing(name) for name in _EMPTY},
}
