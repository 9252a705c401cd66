"""Which statements are queries in disguise, and which go to Spark as they are."""

from __future__ import annotations

from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.show import describe, show

#: Spark understands the statement as it is written.
SPARKS_OWN = "as it is"


def as_query(cursor: Cursor, context: Context) -> str | None:
    """The query that answers a statement; `SPARKS_OWN` for one of Spark's own; None for a statement of the dialect."""
    if cursor.word("SHOW"):
        return show(cursor, context) or SPARKS_OWN
    if cursor.word("DESCRIBE") or cursor.word("DESC"):
        return _describe(cursor, context)
    if cursor.word("USE"):
        return SPARKS_OWN
    return None


def _describe(cursor: Cursor, context: Context) -> str:
    for word in ("EXTENDED", "FORMATTED", "HISTORY", "SCHEMA", "DATABASE", "NAMESPACE", "CATALOG", "FUNCTION", "QUERY"):
        if cursor.word(word):
            return SPARKS_OWN
    cursor.word("TABLE")
    return describe(cursor, context)
