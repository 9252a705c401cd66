"""Pieces of Spark's SQL, with the marks that lead back to the user's text."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token

from sqe.core.errors import SqeError, SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.parse import parse
from sqe.sql.rules.types import spark_type
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.tokens import position_of, tokenize


def path_text(path: Sequence[Name], context: Context) -> str:
    """A name for Spark."""
    return ".".join(name_text(name, context) for name in path)


def name_text(name: Name, context: Context) -> str:
    """One part of a name for Spark."""
    place = {"start": name.token.start, "end": name.token.end}
    return "`" + context.anchors.mark(name.text.replace("`", "``"), place) + "`"


def literal(value: str) -> str:
    """A string for Spark."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def type_text(tokens: Sequence[Token], cursor: Cursor, context: Context) -> str:
    """A type for Spark."""
    if not tokens:
        raise cursor.error("a type is expected")
    sql = f"SELECT CAST(NULL AS {cursor.written(tokens)})"
    try:
        tree = parse(tokenize(sql), sql)
        return spark_type(tree.expressions[0].args["to"], context)
    except (SqeError, AttributeError, KeyError) as error:
        raise SqlSyntaxError(f"{cursor.written(tokens)!r} is not a type", position=position_of(tokens[0])) from error
