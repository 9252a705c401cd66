"""Which statements are the parser's of queries, and which are read here. None goes to Spark unread."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from sqe.sql.commands import ShowSecrets
from sqe.sql.context import Context
from sqe.sql.statements.alter import alter
from sqe.sql.statements.attach import attach, detach, drop_secret
from sqe.sql.statements.copy import copy
from sqe.sql.statements.create import QueryText, create
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.describe import describe
from sqe.sql.statements.others import comment, drop, explain, summarize, truncate
from sqe.sql.statements.outcome import Outcome
from sqe.sql.statements.prepared import prepared
from sqe.sql.statements.procedures import call_procedure
from sqe.sql.statements.session import reset, set_value, use
from sqe.sql.statements.show import show
from sqe.sql.virtual import Answer

#: Each statement is a transaction of its own, and Iceberg keeps its statistics itself; clients send these anyway.
_NOTHING = "SELECT CAST(NULL AS STRING) AS `result` WHERE FALSE"
_WITHOUT_EFFECT = ("BEGIN", "COMMIT", "ROLLBACK", "ANALYZE")


def route(cursor: Cursor, context: Context, query_text: QueryText) -> Outcome | None:
    """How a statement is done, None for one that the parser of queries reads."""
    if cursor.word("SHOW"):
        return _show(cursor, context)
    about_prepared = prepared(cursor, context)
    if about_prepared is not None:
        return about_prepared
    if cursor.word("DESCRIBE") or cursor.word("DESC"):
        return _made(describe(cursor, context, query_text))
    if _has_no_rows(cursor, context):
        return Outcome(spark=(_NOTHING,))
    if cursor.word("EXPLAIN"):
        return explain(cursor, lambda rest: _explained(rest, context, query_text))
    return (
        _made(_of_session(cursor, context))
        or _command(cursor, context, query_text)
        or _definition(cursor, context, query_text)
    )


def _made(made: str | Answer | list[str] | None) -> Outcome | None:
    if isinstance(made, str):
        return Outcome(query=made)
    if isinstance(made, Answer):
        return Outcome(answer=made)
    return Outcome(spark=tuple(made)) if made else None


def _show(cursor: Cursor, context: Context) -> Outcome | None:
    if cursor.word("SECRETS"):
        cursor.end()
        return Outcome(command=ShowSecrets())
    return _made(show(cursor, context))


def _explained(cursor: Cursor, context: Context, query_text: QueryText) -> Outcome:
    """The statement after EXPLAIN."""
    return _definition(cursor, context, query_text) or Outcome(spark=(query_text(cursor.rest()),))


def _command(cursor: Cursor, context: Context, query_text: QueryText) -> Outcome | None:
    if cursor.word("SUMMARIZE"):
        return summarize(cursor, context, query_text)
    if cursor.word("COPY"):
        command, text = copy(cursor, context, query_text)
        return Outcome(spark=(text,), command=command)
    if cursor.word("ATTACH"):
        return Outcome(command=attach(cursor))
    if cursor.word("DETACH"):
        return Outcome(command=detach(cursor))
    return Outcome(command=drop_secret(cursor)) if cursor.word("DROP", "SECRET") else None


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


def _definition(cursor: Cursor, context: Context, query_text: QueryText) -> Outcome | None:
    if cursor.word("CREATE"):
        return create(cursor, context, query_text)
    if cursor.word("ALTER"):
        return alter(cursor, context)
    if cursor.word("DROP"):
        return drop(cursor, context)
    for word, read in (("TRUNCATE", truncate), ("COMMENT", comment)):
        if cursor.word(word):
            return Outcome(spark=tuple(read(cursor, context)))
    return _made(call_procedure(cursor, context)) if cursor.word("CALL") else None
