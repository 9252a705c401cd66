"""Where a name that an error is about stands in the statement."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import Position, SqeError
from sqe.sql.tokens import position_of, tokenize


def place_of_name(sql: str, name: str, within: Position | None) -> Position | None:
    """The only place where the name stands, as a whole or by its last parts; None if there is none or are several.

    With a position that is known already, only what stands inside of it counts.
    """
    try:
        tokens = tokenize(sql)
    except SqeError:
        return None
    parts = name.lower().split(".")
    for count in range(len(parts), 0, -1):
        found = [run for run in _runs(tokens, parts[-count:]) if within is None or _inside(run, within)]
        if found:
            first, last = found[0]
            only = len(found) == 1 and first.line == last.line
            return Position.of_offset(sql, first.start, last.end) if only else None
    return None


def _runs(tokens: list[Token], parts: list[str]) -> list[tuple[Token, Token]]:
    """First and last token of each place where the parts stand with dots between them, and no dot before."""
    width = 2 * len(parts) - 1
    found = []
    for at in range(len(tokens) - width + 1):
        run = tokens[at : at + width]
        named = [token.text.lower() for token in run[::2]] == parts
        dotted = all(token.token_type is TokenType.DOT for token in run[1::2])
        if named and dotted:
            found.append((run[0], run[-1]))
    return found


def _inside(run: tuple[Token, Token], within: Position) -> bool:
    place = position_of(run[0])
    return place.line == within.line and within.column <= place.column < within.column + within.length
