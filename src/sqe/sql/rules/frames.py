"""Frames of windows. Of GROUPS: so many groups of equal rows before and after. Spark has frames of ROWS and of RANGE.

Groups that are numbered one by one are a range of numbers: the window is ordered by the number of each row's group.
A frame that leaves out some of its rows has no counterpart.
"""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError, SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.trees import call, position_of


def translate_frames(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite every frame of GROUPS, and refuse EXCLUDE."""
    for window in list(tree.find_all(exp.Window)):
        spec = window.args.get("spec")
        if spec is not None:
            _excluded(window, spec, context)
        if spec is not None and str(spec.args.get("kind") or "").upper() == "GROUPS":
            _by_number(window, spec, context)
    return tree


def _excluded(window: exp.Window, spec: exp.Expr, context: Context) -> None:
    """NO OTHERS leaves out nothing, as a frame without the word does."""
    left_out = str(spec.args.get("exclude") or "").upper()
    if left_out and left_out != "NO OTHERS":
        raise NotSupportedError(
            f"EXCLUDE {left_out} in a frame is not supported", position=position_of(window, context.sql)
        )
    spec.set("exclude", None)


def _by_number(window: exp.Window, spec: exp.Expr, context: Context) -> None:
    order = window.args.get("order")
    if order is None:
        raise SqlSyntaxError("a frame of GROUPS needs ORDER BY", position=position_of(window, context.sql))
    parts = [part.copy() for part in window.args.get("partition_by") or []]
    number = exp.Window(this=call("dense_rank"), partition_by=parts, order=order.copy(), over="OVER")
    window.set("order", exp.Order(expressions=[exp.Ordered(this=number, nulls_first=False)]))
    spec.set("kind", "RANGE")
