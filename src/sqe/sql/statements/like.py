"""CREATE TABLE … LIKE."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.sql.anchors import unmarked
from sqe.sql.commands import CreateLike, FullName, NewColumn
from sqe.sql.context import Context
from sqe.sql.statements.columns import column
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.names import full_name
from sqe.sql.statements.properties import Properties
from sqe.sql.statements.table_clauses import table_clause
from sqe.sql.tokens import position_of


def create_like(cursor: Cursor, context: Context, target: FullName, *, exists: bool, replace: bool) -> CreateLike:
    """`LIKE other` makes the same table again; `(LIKE other, x BIGINT)` takes its columns, and more if it says so."""
    if replace:
        raise NotSupportedError("CREATE OR REPLACE TABLE … LIKE is not supported", hint="drop the table first")
    parts: list[FullName | NewColumn] = []
    whole: FullName | None = None
    bracket = cursor.take(TokenType.L_PAREN)
    while True:
        if cursor.word("LIKE"):
            word = cursor.taken(1)[0]
            source, everything = _source(cursor, context, everything=not bracket)
            if everything and whole is not None:
                raise SqlSemanticError(
                    "only one LIKE clause can specify INCLUDING PROPERTIES", position=position_of(word)
                )
            whole = source if everything else whole
            parts.append(source)
        else:
            parts.append(_own_column(cursor, context))
        if not bracket or not cursor.take(TokenType.COMMA):
            break
    if bracket:
        cursor.need(TokenType.R_PAREN, ")")
    properties = _properties(cursor, context)
    return CreateLike(target, tuple(parts), exists, whole, properties.values, properties.location)


def _source(cursor: Cursor, context: Context, *, everything: bool) -> tuple[FullName, bool]:
    source = full_name([part.text for part in cursor.path()], context)
    if cursor.word("INCLUDING", "PROPERTIES"):
        everything = True
    elif cursor.word("EXCLUDING", "PROPERTIES"):
        everything = False
    return source, everything


def _own_column(cursor: Cursor, context: Context) -> NewColumn:
    made = column(cursor, context)
    if made.default is not None:
        raise NotSupportedError(
            "a column beside LIKE has no DEFAULT",
            hint="ALTER TABLE … ALTER COLUMN … SET DEFAULT gives it one",
            position=position_of(made.path[0].token),
        )
    return NewColumn(tuple(part.text for part in made.path), unmarked(made.type), made.required, made.comment)


def _properties(cursor: Cursor, context: Context) -> Properties:
    properties = Properties()
    while not cursor.ended:
        comment = table_clause(cursor, context, properties)
        if comment is not None:
            properties.values["comment"] = comment
        if properties.partitioning or properties.sorted_by or properties.identifier_fields:
            raise NotSupportedError(
                "CREATE TABLE … LIKE takes LOCATION, COMMENT and properties",
                hint="INCLUDING PROPERTIES takes partitioning and order from the other table",
            )
    return properties
