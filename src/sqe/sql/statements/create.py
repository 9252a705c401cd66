"""CREATE TABLE, CREATE VIEW, CREATE SCHEMA."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.properties import Properties, read_properties
from sqe.sql.statements.transforms import transform_list
from sqe.sql.statements.writing import literal, name_text, path_text, type_text

#: Translates the tokens of a query; the text still carries its marks.
QueryText = Callable[[Sequence[Token]], str]
_NOT_OFFERED = ("FUNCTION", "INDEX", "PROCEDURE", "SEQUENCE", "TYPE", "ROLE", "USER", "TRIGGER", "GLOBAL")
_COLUMN_ENDS = ("NOT", "NULL", "DEFAULT", "COMMENT", "WITH", "FIRST", "AFTER", "PRIMARY", "GENERATED")


def create(cursor: Cursor, context: Context, query_text: QueryText) -> list[str]:
    """The statements of Spark's that a CREATE stands for."""
    replace = cursor.word("OR", "REPLACE")
    if cursor.word("TEMPORARY", "VIEW") or cursor.word("TEMP", "VIEW"):
        return [_view(cursor, context, query_text, replace=replace).replace(" VIEW", " TEMPORARY VIEW", 1)]
    if cursor.word("SCHEMA") or cursor.word("DATABASE") or cursor.word("NAMESPACE"):
        return [_schema(cursor, context)]
    if cursor.word("VIEW"):
        return [_view(cursor, context, query_text, replace=replace)]
    if cursor.word("MATERIALIZED", "VIEW"):
        raise NotSupportedError("materialized views are not supported", hint="use CREATE TABLE … AS or CREATE VIEW")
    if cursor.word("TABLE"):
        return _table(cursor, context, query_text, replace=replace)
    for kind in _NOT_OFFERED:
        if cursor.sees(kind):
            raise NotSupportedError(f"CREATE {kind} is not supported")
    raise cursor.error("TABLE, VIEW or SCHEMA is expected")


def _if_not_exists(cursor: Cursor) -> str:
    return " IF NOT EXISTS" if cursor.word("IF", "NOT", "EXISTS") else ""


def _schema(cursor: Cursor, context: Context) -> str:
    text = f"CREATE NAMESPACE{_if_not_exists(cursor)} {path_text(cursor.path(), context)}"
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


def _view(cursor: Cursor, context: Context, query_text: QueryText, *, replace: bool) -> str:
    words = "CREATE OR REPLACE VIEW" if replace else "CREATE VIEW"
    text = f"{words}{_if_not_exists(cursor)} {path_text(cursor.path(), context)}"
    if cursor.take(TokenType.L_PAREN):
        columns = [_view_column(cursor, context)]
        while cursor.take(TokenType.COMMA):
            columns.append(_view_column(cursor, context))
        cursor.need(TokenType.R_PAREN, ")")
        text += f" ({', '.join(columns)})"
    if cursor.word("COMMENT"):
        text += f" COMMENT {literal(cursor.text())}"
    if cursor.word("SECURITY"):
        cursor.one_of("INVOKER", "DEFINER")
    properties = Properties()
    if cursor.word("TBLPROPERTIES"):
        read_properties(cursor, context, properties)
        text += properties.written()
    cursor.expect("AS")
    return f"{text} AS {query_text(cursor.rest())}"


def _view_column(cursor: Cursor, context: Context) -> str:
    text = name_text(cursor.name(), context)
    return f"{text} COMMENT {literal(cursor.text())}" if cursor.word("COMMENT") else text


def _table(cursor: Cursor, context: Context, query_text: QueryText, *, replace: bool) -> list[str]:
    words = "CREATE OR REPLACE TABLE" if replace else "CREATE TABLE"
    exists = _if_not_exists(cursor)
    name = path_text(cursor.path(), context)
    columns = _columns(cursor, context) if cursor.take(TokenType.L_PAREN) else ""
    properties, comment = Properties(), ""
    while not cursor.ended and not cursor.sees("AS"):
        comment = _table_clause(cursor, context, properties) or comment
    query = f" AS {query_text(cursor.rest())}" if cursor.word("AS") else ""
    partitions = f" PARTITIONED BY ({', '.join(properties.partitioning)})" if properties.partitioning else ""
    location = f" LOCATION {literal(properties.location)}" if properties.location is not None else ""
    text = f"{words}{exists} {name}{columns} USING iceberg{partitions}{location}{comment}{properties.written()}{query}"
    return [text, *_alterations(name, properties)]


def _alterations(name: str, properties: Properties) -> list[str]:
    """What Spark takes only after the table is there."""
    found = []
    if properties.sorted_by:
        found.append(f"ALTER TABLE {name} WRITE ORDERED BY {', '.join(properties.sorted_by)}")
    if properties.identifier_fields:
        found.append(f"ALTER TABLE {name} SET IDENTIFIER FIELDS {', '.join(properties.identifier_fields)}")
    return found


def _table_clause(cursor: Cursor, context: Context, properties: Properties) -> str:
    """Read one clause; answers the comment if that is what it was."""
    if cursor.word("COMMENT"):
        return f" COMMENT {literal(cursor.text())}"
    if cursor.word("USING"):
        if cursor.name().text != "iceberg":
            raise NotSupportedError("tables are Iceberg tables", hint="leave USING out, or write USING iceberg")
    elif cursor.word("PARTITIONED", "BY"):
        cursor.need(TokenType.L_PAREN, "(")
        properties.partitioning += transform_list(cursor, context)
        cursor.need(TokenType.R_PAREN, ")")
    elif cursor.word("LOCATION"):
        properties.location = cursor.text()
    elif cursor.word("TBLPROPERTIES") or cursor.word("WITH"):
        read_properties(cursor, context, properties)
    else:
        raise cursor.error("PARTITIONED BY, WITH, TBLPROPERTIES, COMMENT, LOCATION or AS is expected")
    return ""


def _columns(cursor: Cursor, context: Context) -> str:
    columns = [column(cursor, context)]
    while cursor.take(TokenType.COMMA):
        columns.append(column(cursor, context))
    cursor.need(TokenType.R_PAREN, ")")
    return f" ({', '.join(columns)})"


def column(cursor: Cursor, context: Context) -> str:
    """A column's definition in Spark's words."""
    if cursor.sees("LIKE"):
        raise NotSupportedError("CREATE TABLE … LIKE is not supported yet")
    path = cursor.path()
    text = f"{path_text(path, context)} {type_text(_type_tokens(cursor), cursor, context)}"
    while not cursor.ended:
        if cursor.word("NOT", "NULL"):
            text += " NOT NULL"
        elif cursor.word("COMMENT"):
            text += f" COMMENT {literal(cursor.text())}"
        elif cursor.sees("DEFAULT"):
            raise NotSupportedError("columns with a DEFAULT are not supported yet")
        elif not cursor.word("NULL"):
            break
    return text


def _type_tokens(cursor: Cursor) -> list[Token]:
    tokens = cursor.until(*_COLUMN_ENDS)
    if cursor.word("WITH", "TIME", "ZONE") or cursor.word("WITHOUT", "TIME", "ZONE"):
        return [*tokens, *cursor.taken(3)]
    return tokens
