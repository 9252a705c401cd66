"""Fills the tables that no catalog holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqe.core.errors import DeniedError, NotFoundError, Position
from sqe.query.sessions import Session
from sqe.query.tracker import QueryTracker
from sqe.query.virtual import catalogs, information_schema, jdbc, own, procedures, runtime, show, tables
from sqe.query.virtual.narrowing import SCHEMA, Narrowing
from sqe.spark.guard import PATH_PROCEDURES
from sqe.sql.virtual import VirtualTable

if TYPE_CHECKING:
    import pyarrow as pa


def fill(table: VirtualTable, session: Session, tracker: QueryTracker) -> pa.Table:
    """The rows of a virtual table for one statement."""
    wanted = Narrowing.of(table)
    if table.name in information_schema.TABLES and table.catalog is not None:
        itself = table.name in own.TABLES and own.is_own(table.catalog, wanted.only(SCHEMA))
        tables_here = own.TABLES if itself else information_schema.TABLES
        return tables_here[table.name](session, table.catalog, wanted)
    listing = catalogs.TABLES.get(table.name) or jdbc.TABLES.get(table.name)
    if listing is not None:
        return listing(session, wanted)
    if table.name in runtime.TABLES:
        return runtime.TABLES[table.name](session, tracker)
    if table.name in tables.TABLES and table.catalog is not None:
        return tables.TABLES[table.name](session, table.catalog, table.filters)
    if table.name in show.TABLES:
        return show.TABLES[table.name](session, table.catalog or "", table.filters)
    if table.name in procedures.TABLES:
        return procedures.TABLES[table.name](session, tracker, table.catalog or "", table.filters)
    raise NotFoundError(f"there is no table {table.name}", condition="TABLE_OR_VIEW_NOT_FOUND")


def refuse_denied(tables: Sequence[VirtualTable], permitted: frozenset[str]) -> None:
    """Raise when one of the tables answers a call of a procedure that takes paths and is not among the permitted."""
    for table in tables:
        name = table.name.removeprefix("procedure.")
        if table.name in procedures.TABLES and name in PATH_PROCEDURES - permitted:
            raise DeniedError(
                f"the procedure {name} is for admins", hint="query.admin_procedures lists what they may call"
            )


def refuse_unknown_catalogs(session: Session, named: tuple[tuple[str, Position | None], ...]) -> None:
    """Raise when a name that must be one of a catalog is not."""
    for name, position in named:
        if name not in session.spark.catalogs():
            raise NotFoundError(
                f"there is no catalog {name}",
                hint="SHOW CATALOGS lists what there is",
                position=position,
                condition="CATALOG_NOT_FOUND",
            )


def refuse_missing(session: Session, asked_for: tuple[str, str, str | None] | None) -> None:
    """Raise when the schema or table that a statement asks about is not there."""
    if asked_for is None:
        return
    catalog, schema, table = asked_for
    tables = own.own_tables(catalog, schema) if own.is_own(catalog, schema) else None
    if not (session.spark.has_schema(catalog, schema) if tables is None else tables):
        raise _missing(f"there is no schema {catalog}.{schema}", f"{catalog}.{schema}", "SCHEMA_NOT_FOUND")
    if table is None:
        return
    if table not in (tables or {name for name, _ in session.spark.relations(catalog, schema)}):
        name = f"{catalog}.{schema}.{table}"
        hint = f"SHOW TABLES IN {catalog}.{schema} lists what there is"
        raise _missing(f"there is no table {name}", name, "TABLE_OR_VIEW_NOT_FOUND", hint)


def _missing(message: str, about: str, condition: str, hint: str | None = None) -> NotFoundError:
    error = NotFoundError(message, hint=hint, condition=condition)
    error.about = about
    return error
