"""SHOW and DESCRIBE as queries on information_schema and the system catalog."""

from __future__ import annotations

from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.names import full_name


def show(cursor: Cursor, context: Context) -> str | None:
    """The query that answers a SHOW statement, None for one that is not known here."""
    if cursor.word("CATALOGS"):
        return _like(cursor, "SELECT catalog_name FROM system.metadata.catalogs", "catalog_name")
    if cursor.word("SCHEMAS") or cursor.word("DATABASES"):
        catalog = cursor.name().text if _from(cursor) else context.catalog
        return _like(cursor, f"SELECT schema_name FROM {_quoted(catalog)}.information_schema.schemata", "schema_name")
    if cursor.word("TABLES"):
        return _relations(cursor, context, "tables")
    if cursor.word("VIEWS"):
        return _relations(cursor, context, "views")
    if cursor.word("COLUMNS"):
        if not _from(cursor):
            raise cursor.error("FROM is expected")
        return describe(cursor, context)
    return None


def describe(cursor: Cursor, context: Context) -> str:
    """The query that lists the columns of a table."""
    catalog, schema, table = full_name(cursor.names(), context)
    cursor.end()
    context.asked_for = (catalog, schema, table)
    return (
        f"SELECT column_name, data_type, is_nullable, comment FROM {_quoted(catalog)}.information_schema.columns"
        f" WHERE table_schema = {_text(schema)} AND table_name = {_text(table)} ORDER BY ordinal_position"
    )


def _relations(cursor: Cursor, context: Context, kind: str) -> str:
    catalog, schema = context.catalog, context.schema
    if _from(cursor):
        match cursor.names():
            case [only]:
                schema = only
            case [first, *others]:
                catalog, schema = first, ".".join(others)
    context.asked_for = (catalog, schema, None)
    query = (
        f"SELECT table_catalog, table_schema, table_name FROM {_quoted(catalog)}.information_schema.{kind}"
        f" WHERE table_schema = {_text(schema)}"
    )
    return _like(cursor, query, "table_name", joined="AND")


def _from(cursor: Cursor) -> bool:
    return cursor.word("FROM") or cursor.word("IN")


def _like(cursor: Cursor, query: str, column: str, joined: str = "WHERE") -> str:
    if cursor.word("LIKE"):
        query += f" {joined} {column} LIKE {_text(cursor.text())}"
        if cursor.word("ESCAPE"):
            query += f" ESCAPE {_text(cursor.text())}"
    cursor.end()
    return f"{query} ORDER BY {column}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
