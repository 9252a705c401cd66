"""Pieces of Spark's SQL, with the marks that lead back to the user's text."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token

from sqe.core.errors import NotSupportedError, SqeError, SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.parse import parse
from sqe.sql.rules.types import spark_type
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.names import refuse_own
from sqe.sql.stored_types import refuse_unknown, refuse_unstorable
from sqe.sql.tokens import position_of, tokenize


def path_text(path: Sequence[Name], context: Context) -> str:
    """A column's name for Spark."""
    return ".".join(name_text(name, context) for name in path)


def schema_text(path: Sequence[Name], context: Context) -> str:
    """A schema's name for Spark: `"a.b"` in quotes is the schema b in a, as in Trino."""
    catalog, schema = (path[:1], path[1:]) if len(path) > 1 else ([], path)
    levels = [level for name in schema for level in _levels(name)]
    written = [name_text(name, context) for name in [*catalog, *levels]]
    if not catalog and len(levels) > 1:
        # Lest the first level be taken for a catalog.
        written = ["`" + context.catalog.replace("`", "``") + "`", *written]
    return ".".join(written)


def table_text(path: Sequence[Name], context: Context) -> str:
    """A table's or a view's name for Spark; only the name itself may hold a dot. Raises for one of the engine's own."""
    refuse_own(path, context)
    *owners, name = path
    written = name_text(name, context)
    return f"{schema_text(owners, context)}.{written}" if owners else written


def _levels(name: Name) -> list[Name]:
    parts = name.text.split(".")
    return [Name(part, name.token) for part in parts] if all(parts) else [name]


def table_query(cursor: Cursor, context: Context) -> str:
    """All rows of the table whose name comes next; `t@branch` are those of a branch or a tag."""
    name = table_text(cursor.path(), context)
    branch = cursor.branch()
    return f"TABLE {name}" if branch is None else f"SELECT * FROM {name} VERSION AS OF {literal(branch.text)}"


def name_text(name: Name, context: Context) -> str:
    """One part of a name for Spark."""
    place = {"start": name.token.start, "end": name.token.end}
    return "`" + context.anchors.mark(name.text.replace("`", "``"), place) + "`"


def literal(value: str) -> str:
    """A string for Spark."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def type_text(tokens: Sequence[Token], cursor: Cursor, context: Context) -> str:
    """The type of a column for Spark. Raises for one that tables cannot hold."""
    if not tokens:
        raise cursor.error("a type is expected")
    place = position_of(tokens[0])
    sql = f"SELECT CAST(NULL AS {cursor.written(tokens)})"
    try:
        tree = parse(tokenize(sql), sql)
        kind = tree.expressions[0].args["to"]
        refuse_unstorable(kind, place)
        return spark_type(kind, context)
    except (SqeError, AttributeError, KeyError) as error:
        refuse_unknown(cursor.written(tokens), place)
        if isinstance(error, NotSupportedError):
            error.position = place
            raise
        raise SqlSyntaxError(f"{cursor.written(tokens)!r} is not a type", position=place) from error
