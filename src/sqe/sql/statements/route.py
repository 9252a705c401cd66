"""Which statements are the parser's of queries, and which are read here. None goes to Spark unread."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot.tokenizer_core import TokenType

from sqe.sql.context import Context
from sqe.sql.statements.alter import alter
from sqe.sql.statements.create import QueryText, create
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.describe import describe, refuse_prepared
from sqe.sql.statements.others import comment, drop, explain, truncate
from sqe.sql.statements.procedures import call_procedure
from sqe.sql.statements.session import reset, set_value, use
from sqe.sql.statements.show import show
from sqe.sql.virtual import Answer

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
        return _routed(show(cursor, context))
    refuse_prepared(cursor)
    if cursor.word("DESCRIBE") or cursor.word("DESC"):
        return _routed(describe(cursor, context, query_text))
    if _has_no_rows(cursor, context):
        return Route(spark=(_NOTHING,))
    if cursor.word("EXPLAIN"):
        return Route(spark=tuple(explain(cursor, query_text)))
    return _routed(_of_session(cursor, context) or _definition(cursor, context, query_text))


def _routed(made: str | Answer | list[str] | None) -> Route | None:
    if isinstance(made, str):
        return Route(query=made)
    if isinstance(made, Answer):
        return Route(answer=made)
    return Route(spark=tuple(made)) if made else None


def _of_session(cursor: Cursor, context: Context) -> list[str] | Answer | None:
    if cursor.word("USE"):
        return use(cursor, context)
    if cursor.word("SET"):
        return set_value(cursor)
    if cursor.word("RESET", "SESSION"):
        return reset(cursor, in_session=True)
    return reset(cursor, in_session=False) if cursor.word("RESET") else None


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


def _definition(cursor: Cursor, context: Context, query_text: QueryText) -> list[str] | Answer | None:
    if cursor.word("CREATE"):
        return create(cursor, context, query_text)
    if cursor.word("ALTER"):
        return alter(cursor, context)
    if cursor.word("DROP"):
        return drop(cursor, context)
    if cursor.word("TRUNCATE"):
        return truncate(cursor, context)
    if cursor.word("COMMENT"):
        return comment(cursor, context)
    return call_procedure(cursor, context) if cursor.word("CALL") else None
