"""From text to a syntax tree."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import SqlSyntaxError
from sqe.sql.dialect import READ
from sqe.sql.tokens import position_of, prepared

_Answer = TypeVar("_Answer")
_STACK_BYTES = 512 << 20
_stack_lock = threading.Lock()


def parse(tokens: Sequence[Token], sql: str) -> exp.Expr:
    """The tree of one statement. Raises `SqlSyntaxError` with the place."""
    ready = prepared(tokens)
    try:
        trees = READ.parser().parse(ready, sql)
    except ParseError as error:
        raise _syntax_error(error, ready) from error
    found = [tree for tree in trees if tree is not None]
    if not found:
        raise SqlSyntaxError("there is no statement")
    if len(found) > 1:
        ends = [number for number, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON]
        raise SqlSyntaxError("one statement at a time", position=position_of(tokens[ends[0] + 1]))
    return found[0]


def deeply(work: Callable[[], _Answer]) -> _Answer:
    """Run something that recurses with a stack that is large enough for every statement that is let through.

    The compiled parser does not count its recursion: without room it would take the whole process down.
    """
    outcome: list[_Answer] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - handed to the caller
            failure.append(error)

    with _stack_lock:
        before = threading.stack_size(_STACK_BYTES)
        try:
            thread = threading.Thread(target=run, name="translate", daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def _syntax_error(error: ParseError, tokens: Sequence[Token]) -> SqlSyntaxError:
    facts = error.errors[0] if error.errors else {}
    place = (facts.get("line"), facts.get("col"))
    token = next((token for token in tokens if (token.line, token.col) == place), None)
    said = str(facts.get("description") or "").strip().rstrip(".")
    near = f" near {facts['highlight']!r}" if facts.get("highlight") else ""
    said = re.split(r" but got <Token|, got <Token", said)[0]
    known = said and "Unexpected token" not in said and "class '" not in said and "Token" not in said
    return SqlSyntaxError(
        f"syntax error{near}" + (f": {said[0].lower()}{said[1:]}" if known else ""),
        position=position_of(token) if token else None,
    )


#: Deep trees are walked by Python code too.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))
