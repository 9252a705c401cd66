"""`sum(v) FILTER (WHERE c) OVER (…)`: Spark filters no rows in windows, so the values to leave out become NULL."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.tokens import CALL_MARK
from sqe.sql.trees import number, position_of

#: Aggregates that pass over NULL, and which of their arguments must be NULL for that.
_PASS_OVER = dict.fromkeys(
    (
        "sum", "avg", "count", "count_if", "min", "max", "bool_and", "bool_or", "every", "stddev", "stddev_pop",
        "stddev_samp", "variance", "var_pop", "var_samp", "approx_distinct", "any_value", "arbitrary", "geometric_mean",
        "bitwise_and_agg", "bitwise_or_agg", "approx_percentile",
    ),
    0,
) | {"max_by": 1, "min_by": 1}  # fmt: skip


def translate_window_filters(tree: exp.Expr, context: Context) -> exp.Expr:
    """Put the condition of each filter within a window into the argument of its aggregate."""
    for found in list(tree.find_all(exp.Filter)):
        if isinstance(found.parent, exp.Window) and found.parent.this is found:
            found.replace(_filtered(found, context))
    return tree


def _filtered(found: exp.Filter, context: Context) -> exp.Expr:
    aggregate = found.this
    name = aggregate.name.removeprefix(CALL_MARK).lower() if isinstance(aggregate, exp.Anonymous) else ""
    arguments = aggregate.expressions
    if arguments and isinstance(arguments[0], exp.Distinct):
        arguments = arguments[0].expressions
    place = _PASS_OVER.get(name)
    if place is None or place >= max(len(arguments), name == "count"):
        raise NotSupportedError(
            f"FILTER is not offered for {name or 'this aggregate'} with OVER",
            position=position_of(aggregate, context.sql),
        )
    if not arguments:
        aggregate.set("expressions", [exp.Star()])
        arguments = aggregate.expressions
    value: exp.Expr = arguments[place]
    kept = number(1) if isinstance(value, exp.Star) else value.copy()
    value.replace(exp.Case(ifs=[exp.If(this=found.expression.this.copy(), true=kept)]))
    made: exp.Expr = aggregate.copy()
    return made
