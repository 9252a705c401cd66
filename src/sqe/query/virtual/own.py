"""What information_schema tells of the tables that are filled here: itself, and those of the system catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sqe.query.sessions import Session
from sqe.query.virtual import catalogs, information_schema, jdbc, runtime
from sqe.query.virtual.columns import TEXT, table_of
from sqe.query.virtual.narrowing import CATALOG, SCHEMA, TABLE, Narrowing
from sqe.sql.virtual import INFORMATION_SCHEMA, SYSTEM

if TYPE_CHECKING:
    import pyarrow as pa

#: No catalog has this name, so that no listing has rows for it.
_NOBODY = Narrowing(dict.fromkeys(CATALOG, "\0"))
_TYPES = {"string": "varchar", "int64": "bigint", "double": "double", "bool": "boolean"}
_MOMENT = "timestamp(6) with time zone"


def own_tables(catalog: str, schema: str) -> list[str]:
    """The names of the tables that are filled here in a schema."""
    prefix = f"{schema}." if schema == INFORMATION_SCHEMA else f"{catalog}.{schema}."
    known = [*information_schema.TABLES, *catalogs.TABLES, *jdbc.TABLES, *runtime.COLUMNS]
    return sorted(name.removeprefix(prefix) for name in known if name.startswith(prefix))


def is_own(catalog: str, schema: str | None) -> bool:
    """Whether a schema, or all of a catalog, is filled here."""
    return catalog == SYSTEM or schema == INFORMATION_SCHEMA


def _schemas(catalog: str, wanted: Narrowing) -> list[str]:
    known = [INFORMATION_SCHEMA, "jdbc", "metadata", "runtime"] if catalog == SYSTEM else [INFORMATION_SCHEMA]
    return [schema for schema in known if wanted.admits(CATALOG, catalog) and wanted.admits(SCHEMA, schema)]


def _relations(catalog: str, wanted: Narrowing) -> Iterator[tuple[str, str]]:
    for schema in _schemas(catalog, wanted):
        yield from ((schema, name) for name in own_tables(catalog, schema) if wanted.admits(TABLE, name))


def _schemata(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    del session
    rows = ((catalog, schema) for schema in _schemas(catalog, wanted))
    return table_of({"catalog_name": TEXT, "schema_name": TEXT}, rows)


def _tables(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    del session
    rows = ((catalog, schema, name, "BASE TABLE") for schema, name in _relations(catalog, wanted))
    return table_of(information_schema.TABLE_COLUMNS, rows)


def _views(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    del session, catalog, wanted
    return table_of(information_schema.VIEW_COLUMNS, [])


def _columns(session: Session, catalog: str, wanted: Narrowing) -> pa.Table:
    rows = (
        (catalog, schema, name, column, number, None, "YES", kind, None, *information_schema.size(kind), None)
        for schema, name in _relations(catalog, wanted)
        for number, (column, kind) in enumerate(_columns_of(session, catalog, schema, name), 1)
    )
    return table_of(information_schema.COLUMNS, rows)


def _columns_of(session: Session, catalog: str, schema: str, name: str) -> list[tuple[str, str]]:
    """Names and types of the columns of a table."""
    full = f"{schema}.{name}" if schema == INFORMATION_SCHEMA else f"{catalog}.{schema}.{name}"
    if full in runtime.COLUMNS:
        table = table_of(runtime.COLUMNS[full], [])
    elif full in information_schema.TABLES:
        # A catalog that somebody has: the listing looks whether it is wanted, and it is not.
        table = information_schema.TABLES[full](session, session.catalog, _NOBODY)
    else:
        table = (catalogs.TABLES.get(full) or jdbc.TABLES[full])(session, _NOBODY)
    return [(field.name, _TYPES.get(str(field.type), _MOMENT)) for field in table.schema]


TABLES: dict[str, Callable[[Session, str, Narrowing], pa.Table]] = {
    "information_schema.schemata": _schemata,
    "information_schema.tables": _tables,
    "information_schema.views": _views,
    "information_schema.columns": _columns,
}
