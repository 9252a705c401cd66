"""CREATE TABLE, CREATE VIEW, CREATE SCHEMA."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.sql.commands import CreateView, SetDefaults
from sqe.sql.context import Context
from sqe.sql.statements.attach import create_secret
from sqe.sql.statements.columns import column
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.like import create_like
from sqe.sql.statements.names import check_new, full_name
from sqe.sql.statements.outcome import Outcome
from sqe.sql.statements.properties import Properties, read_properties
from sqe.sql.statements.table_clauses import table_clause
from sqe.sql.statements.writing import literal, name_text, schema_text, table_text
from sqe.sql.tokens import position_of

#: Translates the tokens of a query; the text still carries its marks.
QueryText = Callable[[Sequence[Token]], str]
_NOT_OFFERED = ("FUNCTION", "INDEX", "PROCEDURE", "SEQUENCE", "TYPE", "ROLE", "USER", "TRIGGER", "GLOBAL")


def create(cursor: Cursor, context: Context, query_text: QueryText) -> Outcome:
    """What a CREATE stands for."""
    replace = cursor.word("OR", "REPLACE")
    if cursor.word("TEMPORARY", "VIEW") or cursor.word("TEMP", "VIEW"):
        context.for_view = "temporary"
        made, _ = _view(cursor, context, query_text, replace=replace)
        return Outcome(spark=(made.replace(" VIEW", " TEMPORARY VIEW", 1),))
    if cursor.word("SCHEMA") or cursor.word("DATABASE") or cursor.word("NAMESPACE"):
        return Outcome(spark=(_schema(cursor, context),))
    if cursor.word("VIEW"):
        context.for_view = "stored"
        made, command = _view(cursor, context, query_text, replace=replace)
        return Outcome(spark=(made,), command=command)
    if cursor.word("SECRET"):
        return Outcome(command=create_secret(cursor, replace=replace))
    if cursor.word("MATERIALIZED", "VIEW"):
        raise NotSupportedError("materialized views are not supported", hint="use CREATE TABLE … AS or CREATE VIEW")
    if cursor.word("TABLE"):
        return _table(cursor, context, query_text, replace=replace)
    for kind in _NOT_OFFERED:
        if cursor.sees(kind):
            raise NotSupportedError(f"CREATE {kind} is not supported")
    raise cursor.error("TABLE, VIEW or SCHEMA is expected")


def _needs_catalog(path: Sequence[Name], parts: int, context: Context) -> None:
    """A name of so many parts begins with a catalog; Spark would look for nested schemas otherwise."""
    if len(path) >= parts:
        context.catalogs.append(path[0])


def _if_not_exists(cursor: Cursor) -> str:
    return " IF NOT EXISTS" if cursor.word("IF", "NOT", "EXISTS") else ""


def _schema(cursor: Cursor, context: Context) -> str:
    exists = _if_not_exists(cursor)
    path = check_new(cursor.path())
    _needs_catalog(path, 2, context)
    text = f"CREATE NAMESPACE{exists} {schema_text(path, context)}"
    properties = Properties()
    while not cursor.ended:
        if cursor.word("LOCATION"):
            properties.location = cursor.text()
        elif cursor.word("COMMENT"):
            text += f" COMMENT {literal(cursor.text())}"
        elif cursor.word("WITH", "DBPROPERTIES") or cursor.word("WITH", "PROPERTIES") or cursor.word("WITH"):
            read_properties(cursor, context, properties)
        else:
            cursor.end()
    if properties.location is not None:
        text += f" LOCATION {literal(properties.location)}"
    return text + properties.written().replace(" TBLPROPERTIES ", " WITH DBPROPERTIES ")


def _view(cursor: Cursor, context: Context, query_text: QueryText, *, replace: bool) -> tuple[str, CreateView]:
    words = "CREATE OR REPLACE VIEW" if replace else "CREATE VIEW"
    exists = _if_not_exists(cursor)
    path = check_new(cursor.path())
    _needs_catalog(path, 3, context)
    text = f"{words}{exists} {table_text(path, context)}"
    if cursor.take(TokenType.L_PAREN):
        columns = [_view_column(cursor, context)]
        while cursor.take(TokenType.COMMA):
            columns.append(_view_column(cursor, context))
        cursor.need(TokenType.R_PAREN, ")")
        text += f" ({', '.join(columns)})"
    if cursor.word("COMMENT"):
        text += f" COMMENT {literal(cursor.text())}"
    security = cursor.one_of("INVOKER", "DEFINER") if cursor.word("SECURITY") else "INVOKER"
    properties = Properties()
    if cursor.word("TBLPROPERTIES"):
        read_properties(cursor, context, properties)
        text += properties.written()
    cursor.expect("AS")
    query = cursor.rest()
    made = query_text(query)
    target = full_name([part.text for part in path], context)
    if target in context.read and replace:
        raise SqlSemanticError("a view cannot read itself", position=position_of(path[-1].token))
    command = CreateView(target, cursor.written(query), security, frozenset(context.read))
    return f"{text} AS {made}", command


def _view_column(cursor: Cursor, context: Context) -> str:
    text = name_text(cursor.name(), context)
    return f"{text} COMMENT {literal(cursor.text())}" if cursor.word("COMMENT") else text


def _table(cursor: Cursor, context: Context, query_text: QueryText, *, replace: bool) -> Outcome:
    words = "CREATE OR REPLACE TABLE" if replace else "CREATE TABLE"
    if replace and context.write_branch is not None:
        raise NotSupportedError(
            f"CREATE OR REPLACE TABLE replaces the whole table and cannot go to the branch {context.write_branch}",
            hint="SET WRITE_BRANCH = DEFAULT first, or change the branch: TRUNCATE TABLE and INSERT INTO",
        )
    exists = _if_not_exists(cursor)
    path = check_new(cursor.path())
    _needs_catalog(path, 3, context)
    target = full_name([part.text for part in path], context)
    if cursor.sees("LIKE") or cursor.lists("LIKE"):
        return Outcome(command=create_like(cursor, context, target, exists=bool(exists), replace=replace))
    name = table_text(path, context)
    defaults: dict[str, str | None] = {}
    titles = cursor.name_list()
    columns = _columns(cursor, context, defaults) if cursor.take(TokenType.L_PAREN) else ""
    properties = Properties()
    clauses = _clauses(cursor, context, properties)
    if defaults:
        # Older versions of the format have no defaults.
        properties.values.setdefault("format-version", "3")
    if titles:
        cursor.expect("AS")
        query = f" AS SELECT * FROM ({_source(cursor, query_text)}) AS `_`({_names(titles, context)})"
    else:
        query = f" AS {_source(cursor, query_text)}" if cursor.word("AS") else ""
    text = f"{words}{exists} {name}{columns} USING iceberg{clauses}{properties.written()}{query}"
    command = SetDefaults(target, defaults) if defaults else None
    return Outcome(spark=(text, *_alterations(name, properties)), command=command)


def _clauses(cursor: Cursor, context: Context, properties: Properties) -> str:
    """What stands before the query, in the order that Spark takes."""
    comment = ""
    while not cursor.ended and not cursor.sees("AS"):
        said = table_clause(cursor, context, properties)
        comment = comment if said is None else f" COMMENT {literal(said)}"
    partitions = f" PARTITIONED BY ({', '.join(properties.partitioning)})" if properties.partitioning else ""
    location = f" LOCATION {literal(properties.location)}" if properties.location is not None else ""
    return f"{partitions}{location}{comment}"


def _names(names: Sequence[Name], context: Context) -> str:
    return ", ".join(name_text(name, context) for name in names)


def _source(cursor: Cursor, query_text: QueryText) -> str:
    """The query of a CTAS, perhaps WITH [NO] DATA."""
    tokens = cursor.rest()
    words = [token.text.upper() for token in tokens[-3:]]
    if words == ["WITH", "NO", "DATA"]:
        return f"SELECT * FROM ({query_text(tokens[:-3])}) LIMIT 0"
    return query_text(tokens[:-2] if words[-2:] == ["WITH", "DATA"] else tokens)


def _alterations(name: str, properties: Properties) -> list[str]:
    """What Spark takes only after the table is there."""
    found = []
    if properties.sorted_by:
        found.append(f"ALTER TABLE {name} WRITE ORDERED BY {', '.join(properties.sorted_by)}")
    if properties.identifier_fields:
        found.append(f"ALTER TABLE {name} SET IDENTIFIER FIELDS {', '.join(properties.identifier_fields)}")
    return found


def _columns(cursor: Cursor, context: Context, defaults: dict[str, str | None]) -> str:
    columns = []
    while True:
        made = column(cursor, context)
        columns.append(made.written)
        if made.default is not None:
            defaults[".".join(part.text for part in made.path)] = made.default
        if not cursor.take(TokenType.COMMA):
            break
    cursor.need(TokenType.R_PAREN, ")")
    return f" ({', '.join(columns)})"
