"""Definitions of columns."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot.tokenizer_core import Token

from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.defaults import default_query
from sqe.sql.statements.writing import literal, path_text, type_text

_COLUMN_ENDS = ("NOT", "NULL", "DEFAULT", "COMMENT", "WITH", "FIRST", "AFTER", "PRIMARY", "GENERATED")


@dataclass(frozen=True)
class Column:
    """A column's definition; name and type in Spark's words."""

    path: list[Name]
    name: str
    type: str
    required: bool = False
    comment: str | None = None
    default: str | None = None

    @property
    def written(self) -> str:
        """All but the default, for a statement of Spark's."""
        comment = f" COMMENT {literal(self.comment)}" if self.comment is not None else ""
        return f"{self.name} {self.type}{' NOT NULL' if self.required else ''}{comment}"


def column(cursor: Cursor, context: Context) -> Column:
    """Read a column's definition."""
    path = cursor.path()
    kind = type_text(_type_tokens(cursor), cursor, context)
    required, comment, default = False, None, None
    while not cursor.ended:
        if cursor.word("NOT", "NULL"):
            required = True
        elif cursor.word("COMMENT"):
            comment = cursor.text()
        elif cursor.word("DEFAULT"):
            default = default_query(cursor.until("NOT", "COMMENT", "FIRST", "AFTER"), cursor)
        elif not cursor.word("NULL"):
            break
    return Column(path, path_text(path, context), kind, required, comment, default)


def _type_tokens(cursor: Cursor) -> list[Token]:
    tokens = cursor.until(*_COLUMN_ENDS)
    if cursor.word("WITH", "TIME", "ZONE") or cursor.word("WITHOUT", "TIME", "ZONE"):
        return [*tokens, *cursor.taken(3)]
    return tokens
