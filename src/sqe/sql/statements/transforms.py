"""Partition fields: a column, or a transform of one. Both orders of arguments are understood."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.writing import path_text
from sqe.sql.tokens import position_of

_TIMES = {"year": "years", "month": "months", "day": "days", "hour": "hours"}
_NUMBERED = frozenset({"bucket", "truncate"})
_KNOWN = frozenset({*_TIMES, *_TIMES.values(), *_NUMBERED, "identity", "void"})


def transform_list(cursor: Cursor, context: Context) -> list[str]:
    """Partition fields with commas between them."""
    found = [transform(cursor, context)]
    while cursor.take(TokenType.COMMA):
        found.append(transform(cursor, context))
    return found


def transform(cursor: Cursor, context: Context) -> str:
    """One partition field in Spark's words."""
    path = cursor.path()
    name = path[0].text
    if len(path) > 1 or not cursor.take(TokenType.L_PAREN):
        return path_text(path, context)
    if name not in _KNOWN:
        raise SqlSyntaxError(
            f"{name} is no partition transform",
            hint=f"there are {', '.join(sorted(_KNOWN))}",
            position=position_of(path[0].token),
        )
    number = _number(cursor)
    if number is not None:
        cursor.need(TokenType.COMMA, ",")
    column = path_text(cursor.path(), context)
    if number is None and cursor.take(TokenType.COMMA):
        number = _number(cursor)
    cursor.need(TokenType.R_PAREN, ")")
    if name == "identity":
        return column
    if name in _NUMBERED:
        if number is None:
            raise cursor.error(f"{name} needs a number and a column")
        return f"{name}({number}, {column})"
    return f"{_TIMES.get(name, name)}({column})"


def _number(cursor: Cursor) -> str | None:
    tokens = cursor.until() if cursor.next_is(TokenType.NUMBER) else []
    return tokens[0].text if tokens else None
