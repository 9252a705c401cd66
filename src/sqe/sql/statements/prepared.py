"""PREPARE, EXECUTE, EXECUTE IMMEDIATE, DEALLOCATE PREPARE, DESCRIBE INPUT and DESCRIBE OUTPUT."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotFoundError, NotSupportedError, SqlSemanticError
from sqe.sql.commands import Deallocate, DescribeOutput, Prepare
from sqe.sql.context import Context
from sqe.sql.parameters import check_count, constants, count_of
from sqe.sql.parse import parse
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.outcome import Execution, Outcome
from sqe.sql.tokens import position_of, tokenize

_ABOUT_PREPARED = ("PREPARE", "EXECUTE", "DEALLOCATE PREPARE")
_PARSED = frozenset({
    TokenType.SELECT, TokenType.WITH, TokenType.VALUES, TokenType.FROM, TokenType.INSERT, TokenType.UPDATE,
    TokenType.DELETE, TokenType.MERGE, TokenType.L_PAREN,
})  # fmt: skip
#: They bring keys, which have no place in a session's memory.
_SECRETIVE = ("CREATE SECRET", "CREATE OR REPLACE SECRET", "ATTACH")


def prepared(cursor: Cursor, context: Context) -> Outcome | None:
    """What becomes of a statement about prepared statements; None for any other one."""
    if cursor.word("PREPARE"):
        name = cursor.name()
        cursor.expect("FROM")
        rest = cursor.rest()
        _refuse(rest)
        if rest[0].token_type in _PARSED:
            # What is no SQL is told now, not when it is run.
            parse(rest, context.sql)
        return Outcome(command=Prepare(name.text, cursor.written(rest)))
    if cursor.word("EXECUTE", "IMMEDIATE"):
        text = cursor.text()
        place = cursor.taken(1)[0]
        _refuse(tokenize(text))
        return Outcome(execution=_execution(cursor, context, text, place))
    if cursor.word("EXECUTE"):
        name = cursor.name()
        return Outcome(execution=_execution(cursor, context, _text_of(name, context), name.token))
    if cursor.word("DEALLOCATE", "PREPARE"):
        name = cursor.name()
        cursor.end()
        _text_of(name, context)
        return Outcome(command=Deallocate(name.text))
    return _described(cursor, context)


def _described(cursor: Cursor, context: Context) -> Outcome | None:
    about_input = cursor.word("DESCRIBE", "INPUT")
    if not about_input and not cursor.word("DESCRIBE", "OUTPUT"):
        return None
    name = cursor.name()
    cursor.end()
    text = _text_of(name, context)
    count = count_of(text)
    if about_input:
        columns = "CAST(id AS BIGINT) AS `Position`, 'unknown' AS `Type`"
        return Outcome(spark=(f"SELECT {columns} FROM range({count}) ORDER BY id",))
    nothing: list[exp.Expr] = [exp.Null() for _ in range(count)]
    return Outcome(execution=Execution(text, nothing, name.token), command=DescribeOutput())


def _execution(cursor: Cursor, context: Context, text: str, place: Token) -> Execution:
    values = constants(cursor.rest(), context.sql) if cursor.word("USING") else []
    cursor.end()
    try:
        check_count(count_of(text), len(values))
    except SqlSemanticError as error:
        error.position = position_of(place)
        raise
    return Execution(text, values, place)


def _text_of(name: Name, context: Context) -> str:
    found = context.prepared.get(name.text)
    if found is None:
        raise NotFoundError(
            f"prepared statement not found: {name.text}",
            hint="PREPARE name FROM statement makes one, for the session",
            position=position_of(name.token),
        )
    return found


def _refuse(tokens: Sequence[Token]) -> None:
    """Statements that cannot be prepared."""
    words = " ".join(token.text.upper() for token in tokens[:4])
    place = position_of(tokens[0]) if tokens else None
    if not tokens or tokens[0].token_type is TokenType.SEMICOLON:
        raise SqlSemanticError("there is no statement to prepare", position=place)
    if words.startswith(_ABOUT_PREPARED):
        raise SqlSemanticError(f"invalid statement for a prepared one: {tokens[0].text.upper()}", position=place)
    if words.startswith(_SECRETIVE):
        raise NotSupportedError(f"{tokens[0].text.upper()} cannot be prepared: it brings keys", position=place)
