"""The items of SELECT lists: where they begin and end in the text, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqe.sql.rules.identifiers import folded

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_LIST_ENDS = frozenset({
    TokenType.FROM, TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT, TokenType.WHERE, TokenType.GROUP_BY,
    TokenType.HAVING, TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH, TokenType.QUALIFY,
    TokenType.WINDOW, TokenType.SEMICOLON, TokenType.DISTRIBUTE_BY, TokenType.CLUSTER_BY, TokenType.SORT_BY,
})  # fmt: skip
_BEFORE_ITEMS = frozenset({TokenType.DISTINCT, TokenType.ALL})


def select_items(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """First and last character of each item; the parser keeps no note of that."""
    items: list[tuple[int, int]] = []
    #: For each open bracket the first token of the item that is being read, None outside of a SELECT list.
    first: list[Token | None] = [None]
    reading = [False]
    last: Token | None = None
    for token in tokens:
        kind = token.token_type
        if kind in _CLOSE and len(reading) > 1:
            _close(items, first.pop(), last if reading.pop() else None)
        elif reading[-1] and (kind is TokenType.COMMA or kind in _LIST_ENDS) and not _is_distinct_from(last, token):
            _close(items, first[-1], last)
            first[-1], reading[-1] = None, kind is TokenType.COMMA
        elif kind is TokenType.SELECT:
            first[-1], reading[-1] = None, True
        elif reading[-1] and first[-1] is None and kind not in _BEFORE_ITEMS:
            first[-1] = token
        if kind in _OPEN:
            first.append(None)
            reading.append(False)
        last = token
    _close(items, first[-1], last if reading[-1] else None)
    return items


def _is_distinct_from(last: Token | None, token: Token) -> bool:
    return token.token_type is TokenType.FROM and last is not None and last.token_type is TokenType.DISTINCT


def _close(items: list[tuple[int, int]], first: Token | None, last: Token | None) -> None:
    if first is not None and last is not None:
        items.append((first.start, last.end))


def aliases_of(tree: exp.Expr) -> frozenset[str]:
    """The names that the outermost SELECT list gives."""
    items = tree.expressions if isinstance(tree, exp.Select) else []
    return frozenset(folded(item.args["alias"]) for item in items if isinstance(item, exp.Alias))
