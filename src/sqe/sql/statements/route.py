"""Which statements are the parser's of queries, which are read here, and which go to Spark as they are."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot.tokenizer_core import TokenType

from sqe.sql.context import Context
from sqe.sql.statements.alter import alter
from sqe.sql.statements.create import QueryText, create
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.others import comment, drop, explain, truncate
from sqe.sql.statements.procedures import call_procedure
from sqe.sql.statements.show import describe, show
from sqe.sql.virtual import Answer

_SPARKS_DESCRIBES = (
    "EXTENDED", "FORMATTED", "HISTORY", "SCHEMA", "DATABASE", "NAMESPACE", "CATALOG", "FUNCTION", "QUERY",
)  # fmt: skip
#: Each statement is a transaction of its own, and Iceberg keeps its statistics itself; clients send these anyway.
_NOTHING = "SELECT CAST(NULL AS STRING) AS `result` WHERE FALSE"
_WITHOUT_EFFECT = ("BEGIN", "COMMIT", "ROLLBACK", "ANALYZE")


@dataclass(frozen=True)
class Route:
    """What becomes of a statement: a query of the dialect, an answer of ours, or statements of Spark's with marks."""

    query: str | None = None
    answer: Answer | None = None
    spark: tuple[str, ...] = ()


def route(cursor: Cursor, context: Context, query_text: QueryText) -> Route | None:
    """How a statement is done, None for one that the parser of queries reads."""
    if cursor.word("SHOW"):
        query = show(cursor, context)
        return Route(query=query) if query else Route(spark=(context.sql,))
    if cursor.word("DESCRIBE") or cursor.word("DESC"):
        return _describe(cursor, context)
    if _has_no_rows(cursor, context):
        return Route(spark=(_NOTHING,))
    if cursor.word("USE") or cursor.word("SET") or cursor.word("RESET"):
        return Route(spark=(context.sql,))
    if cursor.word("EXPLAIN"):
        return Route(spark=tuple(explain(cursor, query_text)))
    made = call_procedure(cursor, context) if cursor.word("CALL") else _definition(cursor, context, query_text)
    if isinstance(made, Answer):
        return Route(answer=made)
    return Route(spark=tuple(made)) if made else None


def _has_no_rows(cursor: Cursor, context: Context) -> bool:
    """Statements for the session alone, and those without any effect."""
    if cursor.word("SET", "WRITE_BRANCH"):
        context.write_branch = _branch(cursor)
        return True
    return any(cursor.sees(word) for word in _WITHOUT_EFFECT) and not _is_block(cursor)


def _branch(cursor: Cursor) -> str | None:
    """`SET WRITE_BRANCH = 'b' | DEFAULT | NULL`; main is where changes go anyway."""
    cursor.take(TokenType.EQ)
    name = None if cursor.word("DEFAULT") or cursor.word("NULL") else cursor.text()
    cursor.end()
    return None if name == "main" else name


def _is_block(cursor: Cursor) -> bool:
    """`BEGIN … END` of SQL scripting is no transaction."""
    return cursor.sees("BEGIN") and cursor.left > 1 and not cursor.sees("BEGIN", "TRANSACTION")


def _definition(cursor: Cursor, context: Context, query_text: QueryText) -> list[str] | None:
    if cursor.word("CREATE"):
        return create(cursor, context, query_text)
    if cursor.word("ALTER"):
        return alter(cursor, context)
    if cursor.word("DROP"):
        return drop(cursor, context)
    if cursor.word("TRUNCATE"):
        return truncate(cursor, context)
    return comment(cursor, context) if cursor.word("COMMENT") else None


def _describe(cursor: Cursor, context: Context) -> Route:
    if any(cursor.sees(word) for word in _SPARKS_DESCRIBES):
        return Route(spark=(context.sql,))
    cursor.word("TABLE")
    return Route(query=describe(cursor, context))
