"""What the parameters of a statement are compared with: a good guess at their types, made from the tokens alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from sqe.sql.tokens import tokenize

#: Stands for a number of rows.
ROWS = "#rows"
_BEFORE_TABLES = frozenset({TokenType.FROM, TokenType.JOIN, TokenType.UPDATE, TokenType.INTO})
_COMPARISONS = frozenset({
    TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE, TokenType.LIKE,
})  # fmt: skip
_COUNTS = frozenset({TokenType.LIMIT, TokenType.OFFSET})


@dataclass(frozen=True)
class Compared:
    """The tables that a statement names, and for each parameter the column beside it; None when there is none."""

    tables: list[list[str]]
    columns: list[str | None]


def compared(sql: str) -> Compared:
    """Look at a statement. Raises `SqlSyntaxError` for what has no tokens."""
    tokens = tokenize(sql)
    tables = [_path(tokens, at + 1) for at, token in enumerate(tokens) if token.token_type in _BEFORE_TABLES]
    places = [at for at, token in enumerate(tokens) if token.token_type is TokenType.PLACEHOLDER]
    return Compared([path for path in tables if path], [_beside(tokens, at) for at in places])


def _beside(tokens: Sequence[Token], at: int) -> str | None:
    before = _type(tokens, at - 1)
    if before in _COUNTS:
        return ROWS
    if before in _COMPARISONS or before is TokenType.BETWEEN:
        return _name_before(tokens, at - 1)
    if before is TokenType.AND and _type(tokens, at - 3) is TokenType.BETWEEN:
        return _name_before(tokens, at - 3)
    if _type(tokens, at + 1) in _COMPARISONS:
        path = _path(tokens, at + 2)
        return path[-1] if path else None
    return _name_before_list(tokens, at)


def _name_before_list(tokens: Sequence[Token], at: int) -> str | None:
    """The column before `IN (`."""
    while _type(tokens, at) in {TokenType.PLACEHOLDER, TokenType.COMMA}:
        at -= 1
    if _type(tokens, at) is TokenType.L_PAREN and _type(tokens, at - 1) is TokenType.IN:
        return _name_before(tokens, at - 1)
    return None


def _name_before(tokens: Sequence[Token], at: int) -> str | None:
    """The name that ends before a token, or before a NOT before it."""
    at -= 2 if _type(tokens, at - 1) is TokenType.NOT else 1
    return _word(tokens[at]) if at >= 0 else None


def _path(tokens: Sequence[Token], at: int) -> list[str]:
    """The parts of the name that begins at a token; none when no name does."""
    parts: list[str] = []
    while at < len(tokens):
        word = _word(tokens[at])
        if word is None:
            return []
        parts.append(word)
        if _type(tokens, at + 1) is not TokenType.DOT:
            # What has a bracket is a call.
            return [] if _type(tokens, at + 1) is TokenType.L_PAREN else parts
        at += 2
    return []


def _word(token: Token) -> str | None:
    if token.token_type is TokenType.IDENTIFIER:
        return token.text
    return token.text.lower() if token.text.isidentifier() and token.token_type is not TokenType.STRING else None


def _type(tokens: Sequence[Token], at: int) -> TokenType | None:
    return tokens[at].token_type if 0 <= at < len(tokens) else None
