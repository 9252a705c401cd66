"""`SELECT DISTINCT ON (a) … ORDER BY a, b`: the first of the rows with the same `a`, in that order."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.rules.result_order import meant
from sqe.sql.trees import call, number, position_of


def translate_distinct_on(tree: exp.Expr, context: Context) -> exp.Expr:
    """It is QUALIFY row_number() OVER (PARTITION BY a ORDER BY a, b) = 1."""
    for select in tree.find_all(exp.Select):
        distinct = select.args.get("distinct")
        keys = distinct.args.get("on") if distinct is not None else None
        if keys is not None:
            _first_rows(select, keys, context)
    return tree


def _first_rows(select: exp.Select, keys: exp.Expr, context: Context) -> None:
    if select.args.get("qualify") is not None:
        raise NotSupportedError(
            "DISTINCT ON and QUALIFY cannot stand in one SELECT",
            hint="put one of them into a subquery",
            position=position_of(keys, context.sql),
        )
    written = keys.expressions if isinstance(keys, exp.Tuple) else [keys]
    parts = [meant(key, select.expressions, context) for key in written]
    order = select.args.get("order")
    within = order.copy() if order is not None else exp.Order(expressions=[exp.Ordered(this=number(1))])
    for item in within.expressions if order is not None else ():
        item.set("this", meant(item.this, select.expressions, context))
    place = exp.Window(this=call("row_number"), partition_by=parts, order=within, over="OVER")
    select.set("distinct", None)
    select.set("qualify", exp.Qualify(this=exp.EQ(this=place, expression=number(1))))
