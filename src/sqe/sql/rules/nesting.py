"""Calls that stand in Spark's plan twice: within each other they double at each level."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import StatementTooComplexError
from sqe.sql.context import Context
from sqe.sql.tokens import CALL_MARK
from sqe.sql.trees import position_of

#: 2 to this power copies of the innermost argument are still planned in no time.
_DEEPEST = 10
_DOUBLING = frozenset({"nullif"})


def refuse_deep_nesting(tree: exp.Expr, context: Context) -> exp.Expr:
    """Raise for a nest that would keep the planner busy for hours."""
    depths: dict[int, int] = {}
    # Parents come before what is below them.
    for node in tree.find_all(exp.Func):
        if _name(node) not in _DOUBLING:
            continue
        above = node.parent
        while above is not None and id(above) not in depths:
            above = above.parent
        depth = depths[id(node)] = depths.get(id(above), 0) + 1
        if depth > _DEEPEST:
            raise StatementTooComplexError(
                f"calls of {_name(node)} are nested more than {_DEEPEST} deep", position=position_of(node, context.sql)
            )
    return tree


def _name(node: exp.Func) -> str:
    return (node.name.removeprefix(CALL_MARK) if isinstance(node, exp.Anonymous) else node.sql_name()).lower()
