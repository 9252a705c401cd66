"""SHOW and DESCRIBE as queries on information_schema and the system catalog."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import NotFoundError, NotSupportedError
from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.names import full_name, refuse_own, schema_name
from sqe.sql.statements.writing import literal
from sqe.sql.tokens import position_of
from sqe.sql.virtual import Answer


def show(cursor: Cursor, context: Context) -> str | Answer:
    """The query or the answer for a SHOW statement."""
    for words, read in _KINDS.items():
        if cursor.word(*words.split()):
            return read(cursor, context)
    raise cursor.error(f"SHOW is followed by one of {', '.join(_KINDS)}")


def _listed(context: Context, columns: str, of_trino: str) -> str:
    """The columns of a listing; clients of Trino's go by the names that Trino gives them, or by their places."""
    return of_trino if context.trino_listings else columns


def _catalogs(cursor: Cursor, context: Context) -> str:
    columns = _listed(context, "catalog_name", 'catalog_name AS "Catalog"')
    return _like(cursor, f"SELECT {columns} FROM system.metadata.catalogs", "catalog_name")


def _schemas(cursor: Cursor, context: Context) -> str:
    catalog = cursor.name().text if _from(cursor) else context.catalog
    columns = _listed(context, "schema_name", 'schema_name AS "Schema"')
    return _like(cursor, f"SELECT {columns} FROM {_quoted(catalog)}.information_schema.schemata", "schema_name")


def _columns(cursor: Cursor, context: Context) -> str:
    if not _from(cursor):
        raise cursor.error("FROM is expected")
    return columns_of(cursor, context)


def columns_of(cursor: Cursor, context: Context) -> str:
    """The query that lists the columns of a table."""
    catalog, schema, table = full_name(cursor.names(), context)
    branch = cursor.branch()
    cursor.end()
    context.asked_for = (catalog, schema, table)
    if branch is not None:
        _refuse_missing(branch, (catalog, schema, table), context)
    described = 'column_name AS "Column", data_type AS "Type", \'\' AS "Extra", coalesce(comment, \'\') AS "Comment"'
    columns = _listed(context, "column_name, data_type, is_nullable, comment", described)
    # A branch has the columns that its table has now.
    return (
        f"SELECT {columns} FROM {_quoted(catalog)}.information_schema.columns"
        f" WHERE table_schema = {_text(schema)} AND table_name = {_text(table)}"
    )


def _refuse_missing(branch: Name, table: tuple[str, str, str], context: Context) -> None:
    source = ".".join("`" + part.replace("`", "``") + "`" for part in (*table, "refs"))
    asked = f"SELECT name FROM {source} WHERE name = {literal(branch.text)}"
    if context.lookup is not None and not context.lookup.texts(asked, 1):
        raise NotFoundError(
            f"{'.'.join(table)} has no branch or tag {branch.text}",
            hint=f'SELECT * FROM "{table[2]}$refs" lists them',
            position=position_of(branch.token),
        )


def _relations(cursor: Cursor, context: Context, kind: str) -> str:
    catalog, schema = schema_name(cursor.path(), context) if _from(cursor) else (context.catalog, context.schema)
    context.asked_for = (catalog, schema, None)
    columns = _listed(context, "table_catalog, table_schema, table_name", 'table_name AS "Table"')
    query = f"SELECT {columns} FROM {_quoted(catalog)}.information_schema.{kind} WHERE table_schema = {_text(schema)}"
    return _like(cursor, query, "table_name", joined="AND")


def _of_kind(kind: str) -> Callable[[Cursor, Context], str]:
    return lambda cursor, context: _relations(cursor, context, kind)


def _table_properties(cursor: Cursor, context: Context) -> str:
    catalog, schema, table = full_name(cursor.names(), context)
    cursor.end()
    name = ".".join([_quoted(catalog), *map(_quoted, schema.split(".")), _quoted(f"{table}$properties")])
    return f"SELECT key, value FROM {name} ORDER BY key"


def _stored(cursor: Cursor, context: Context) -> tuple[str, str, str]:
    """Catalog, schema and name of a relation that a catalog holds."""
    path = cursor.path()
    refuse_own(path, context)
    return full_name([name.text for name in path], context)


def _create(kind: str) -> Callable[[Cursor, Context], Answer]:
    def made(cursor: Cursor, context: Context) -> Answer:
        catalog, schema, name = _stored(cursor, context)
        cursor.end()
        context.asked_for = (catalog, schema, name)
        return Answer(f"show.create_{kind}", catalog, {"table_schema": schema, "table_name": name})

    return made


def _create_schema(cursor: Cursor, context: Context) -> Answer:
    catalog, schema = schema_name(cursor.path(), context)
    cursor.end()
    context.asked_for = (catalog, schema, None)
    return Answer("show.create_schema", catalog, {"table_schema": schema})


def _stats(cursor: Cursor, context: Context) -> Answer:
    cursor.expect("FOR")
    if cursor.next_is(TokenType.L_PAREN):
        raise NotSupportedError(
            "SHOW STATS is for tables, not for queries", hint="EXPLAIN COST shows what is expected of a query"
        )
    catalog, schema, table = _stored(cursor, context)
    cursor.end()
    context.asked_for = (catalog, schema, table)
    return Answer("show.stats", catalog, {"table_schema": schema, "table_name": table})


def _functions(cursor: Cursor, context: Context) -> Answer:
    del context
    if _from(cursor):
        raise NotSupportedError("schemas have no functions", hint="SHOW FUNCTIONS lists those that there are")
    return Answer("show.functions", condition=_pattern(cursor, "Function"))


def _session(cursor: Cursor, context: Context) -> Answer:
    del context
    return Answer("show.session", condition=_pattern(cursor, "Name"))


def _roles(cursor: Cursor, context: Context) -> Answer:
    del context
    if _from(cursor):
        cursor.name()
    cursor.end()
    return Answer("show.roles")


def _not_here(what: str, hint: str) -> Callable[[Cursor, Context], str]:
    def refused(cursor: Cursor, context: Context) -> str:
        del cursor, context
        raise NotSupportedError(f"SHOW {what} is not supported", hint=hint)

    return refused


def _pattern(cursor: Cursor, column: str) -> str:
    """`LIKE '…' [ESCAPE '…']` at the end as a condition of Spark's, which would take a backslash for an escape."""
    if not cursor.word("LIKE"):
        cursor.end()
        return ""
    pattern = cursor.text()
    escape = cursor.text() if cursor.word("ESCAPE") else _NO_ESCAPE
    cursor.end()
    if len(escape) != 1:
        raise cursor.error("an escape is one character")
    return f"`{column}` LIKE {literal(pattern)} ESCAPE {literal(escape)}"


def _from(cursor: Cursor) -> bool:
    return cursor.word("FROM") or cursor.word("IN")


def _like(cursor: Cursor, query: str, column: str, joined: str = "WHERE") -> str:
    if cursor.word("LIKE"):
        query += f" {joined} {column} LIKE {_text(cursor.text())}"
        if cursor.word("ESCAPE"):
            query += f" ESCAPE {_text(cursor.text())}"
    cursor.end()
    # The listings are in order already; Spark would shuffle them to sort them.
    return query


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


_NO_ESCAPE = "\ue002"
#: By the words after SHOW, the longer ones first.
_KINDS: dict[str, Callable[[Cursor, Context], str | Answer]] = {
    "CATALOGS": _catalogs,
    "SCHEMAS": _schemas,
    "DATABASES": _schemas,
    "TABLES": _of_kind("tables"),
    "VIEWS": _of_kind("views"),
    "COLUMNS": _columns,
    "CREATE TABLE": _create("table"),
    "CREATE VIEW": _create("view"),
    "CREATE SCHEMA": _create_schema,
    "TBLPROPERTIES": _table_properties,
    "STATS": _stats,
    "FUNCTIONS": _functions,
    "SESSION": _session,
    "CURRENT ROLES": _roles,
    "ROLE GRANTS": _roles,
    "ROLES": _roles,
    "CREATE MATERIALIZED VIEW": _not_here("CREATE MATERIALIZED VIEW", "there are no materialized views"),
    "CREATE FUNCTION": _not_here("CREATE FUNCTION", "SHOW FUNCTIONS lists those that there are"),
    "GRANTS": _not_here("GRANTS", "in the embedded engine everything belongs to its user"),
    "PARTITIONS": _not_here("PARTITIONS", 'SELECT * FROM "t$partitions" tells of the partitions of t'),
    "BRANCHES": _not_here("BRANCHES", 'SELECT * FROM "t$refs" lists the branches and tags of t'),
}
