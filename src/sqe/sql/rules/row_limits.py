"""FETCH FIRST … WITH TIES, ORDER BY ALL, and the ways to spread rows that Spark has."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError, SqlSemanticError, SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.rules.result_order import by_result, is_all, meant, result_items
from sqe.sql.trees import call, number, position_of


def translate_limits(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite what Spark has no words for."""
    for query in reversed(list(tree.find_all(exp.Query, exp.Values))):
        limit = query.args.get("limit")
        options = limit.args.get("limit_options") if isinstance(limit, exp.Fetch) else None
        if isinstance(limit, exp.Fetch) and options is not None and options.args.get("with_ties"):
            made = _with_ties(query, limit, context)
            if query is tree:
                tree = made
            elif made is not query:
                query.replace(made)
    for spread in tree.find_all(exp.Distribute, exp.Cluster):
        # Where rows go has no order, and no place for NULLs in it.
        spread.set("expressions", [key.this if isinstance(key, exp.Ordered) else key for key in spread.expressions])
    for order in tree.find_all(exp.Order):
        _order_by_all(order)
    return tree


def _order_by_all(order: exp.Order) -> None:
    """`ORDER BY ALL` by itself is no column of that name."""
    if len(order.expressions) == 1 and is_all(order.expressions[0].this):
        order.expressions[0].this.replace(exp.Var(this="ALL"))


def _with_ties(query: exp.Expr, limit: exp.Fetch, context: Context) -> exp.Expr:
    """Keep the rows whose rank is within the limit: the last one's equals come along."""
    order = query.args.get("order")
    if order is None:
        raise SqlSyntaxError("FETCH FIRST WITH TIES needs ORDER BY", position=position_of(query, context.sql))
    last = _last(query, limit, context)
    # DISTINCT and QUALIFY take rows away that must not be counted.
    filtered = query.args.get("distinct") is not None or query.args.get("qualify") is not None
    rows = query if isinstance(query, exp.Select) and not filtered else _around(query, context)
    ranked = rows.args["order"].copy()
    for item in ranked.expressions:
        item.set("this", meant(item.this, rows.expressions, context))
    condition = exp.LTE(this=exp.Window(this=call("rank"), order=ranked), expression=last)
    rows.set("limit", None)
    rows.set("qualify", exp.Qualify(this=condition))
    return rows


def _last(query: exp.Expr, limit: exp.Fetch, context: Context) -> exp.Expr:
    """The number of the last row that is wanted: OFFSET takes its rows away from before it."""
    offset = query.args.get("offset")
    counts = [limit.args.get("count") or number(1), offset.expression if offset is not None else number(0)]
    if not all(isinstance(count, exp.Literal) and count.name.isdigit() for count in counts):
        raise NotSupportedError("WITH TIES needs plain numbers of rows", position=position_of(limit, context.sql))
    if int(counts[0].name) == 0:
        raise SqlSemanticError("FETCH FIRST needs at least one row", position=position_of(limit, context.sql))
    return number(sum(int(count.name) for count in counts))


def _around(query: exp.Expr, context: Context) -> exp.Select:
    """A query of all columns of another one, with its order: the ranks are those of the rows that are left in it."""
    items = result_items(query)
    order, offset = query.args["order"].copy(), query.args.get("offset")
    for item in order.expressions:
        item.set("this", by_result(item.this, items, context))
    inner = query.copy()
    for key in ("order", "limit", "offset"):
        inner.set(key, None)
    alias = exp.TableAlias(this=exp.to_identifier("_sqe_ranked", quoted=True))
    source = inner if isinstance(inner, exp.Subquery) else exp.Subquery(this=inner)
    source.set("alias", alias)
    made = exp.Select(expressions=[exp.Star()]).from_(source)
    made.set("order", order)
    made.set("offset", offset.copy() if offset is not None else None)
    outer = inner.args.get("with_")
    if outer is not None:
        inner.set("with_", None)
        made.set("with_", outer)
    return made
