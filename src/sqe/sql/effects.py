"""Whether a statement does something, as its tree says it: `WITH … INSERT` begins like a query and is none."""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.classify import statement_kind
from sqe.sql.parameters import numbered
from sqe.sql.parse import deeply, parse
from sqe.sql.tokens import tokenize

#: They answer from what is known, and change nothing.
_LOOKS = frozenset({"show", "describe"})


def has_no_effect(sql: str) -> bool:
    """Whether a statement only answers rows, so that it can be analyzed without anything being done."""
    kind = statement_kind(sql)
    if kind != "query":
        return kind in _LOOKS
    tree = deeply(lambda: parse(numbered(tokenize(sql)), sql))
    return isinstance(tree, exp.Query | exp.Values)
