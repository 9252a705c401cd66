"""FETCH FIRST … WITH TIES, ORDER BY ALL, and the ways to spread rows that Spark has."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.trees import call, number, position_of


def translate_limits(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite what Spark has no words for."""
    for query in list(tree.find_all(exp.Select)):
        limit = query.args.get("limit")
        if not isinstance(limit, exp.Fetch):
            continue
        options = limit.args.get("limit_options")
        if options is not None and options.args.get("with_ties"):
            _with_ties(query, limit, context)
    for spread in tree.find_all(exp.Distribute, exp.Cluster):
        # Where rows go has no order, and no place for NULLs in it.
        spread.set("expressions", [key.this if isinstance(key, exp.Ordered) else key for key in spread.expressions])
    for order in tree.find_all(exp.Order):
        _order_by_all(order)
    return tree


def _order_by_all(order: exp.Order) -> None:
    """`ORDER BY ALL` by itself is no column of that name."""
    if len(order.expressions) == 1:
        column = order.expressions[0].this
        name = column.this if isinstance(column, exp.Column) and not column.table else None
        if isinstance(name, exp.Identifier) and not name.args.get("quoted") and name.name.lower() == "all":
            column.replace(exp.Var(this="ALL"))


def _with_ties(query: exp.Select, limit: exp.Fetch, context: Context) -> None:
    """Keep the rows whose rank is within the limit: the last one's equals come along."""
    order = query.args.get("order")
    if order is None:
        raise SqlSyntaxError("FETCH FIRST WITH TIES needs ORDER BY", position=position_of(query, context.sql))
    count = limit.args.get("count") or number(1)
    rank = exp.Window(this=call("rank"), order=order.copy())
    condition = exp.LTE(this=rank, expression=count.copy())
    query.set("limit", None)
    qualify = query.args.get("qualify")
    both = exp.And(this=qualify.this, expression=condition) if qualify else condition
    query.set("qualify", exp.Qualify(this=both))
