"""Operators that mean something else in Spark, or that it does not have."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.trees import call, position_of


def translate_operators(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite from the leaves up."""
    for node in reversed(list(tree.find_all(*_TRANSLATIONS))):
        translation = _TRANSLATIONS.get(type(node))
        made = translation(node, context) if translation else node
        if node is tree:
            tree = made
        elif made is not node:
            node.replace(made)
    return tree


def _binary(name: str) -> Callable[[exp.Expr, Context], exp.Expr]:
    def made(node: exp.Expr, context: Context) -> exp.Expr:
        del context
        return call(name, node.this, node.expression, like=node)

    return made


def _arithmetic(name: str) -> Callable[[exp.Expr, Context], exp.Expr]:
    """Sums and products too: what dates, durations and reals make of them is Trino's, not Spark's."""

    def made(node: exp.Expr, context: Context) -> exp.Expr:
        del context
        above, depth = node.parent, 0
        while isinstance(above, exp.Add | exp.Sub | exp.Mul | exp.Paren):
            above, depth = above.parent, depth + 1
        # A sum of very many is one of numbers; calls within calls would be too deep for Spark.
        return node if depth > _DEEPEST else call(name, node.this, node.expression, like=node)

    return made


def _local_cast(node: exp.Expr, context: Context) -> exp.Expr:
    """`CAST(x AT TIME ZONE z AS date)` is what the clock in that zone shows."""
    del context
    if node.args["to"].this in _LOCAL_TYPES and not isinstance(node.this, exp.Literal):
        node.set("this", call("sqe__local", node.this))
    return node


def _joined_texts(node: exp.Expr, context: Context) -> exp.Expr:
    """Without a separator, LISTAGG puts nothing between the texts."""
    del context
    if not node.args.get("separator"):
        node.set("separator", exp.Literal.string(""))
    return node


def _subscript(node: exp.Expr, context: Context) -> exp.Expr:
    indexes = node.expressions
    if len(indexes) != 1 or isinstance(indexes[0], exp.Slice):
        raise NotSupportedError(
            "a subscript is one index; use slice(array, start, length)", position=position_of(node, context.sql)
        )
    return call("sqe_subscript", node.this, indexes[0], like=node)


def _at_time_zone(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    return call("sqe_at_timezone", node.this, node.args["zone"], like=node)


def _array(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    return call("array", *node.expressions, like=node)


def _similar(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    return call("sqe_similar_to", node.this, node.expression, like=node)


def _ordered_all(node: exp.Expr, context: Context) -> exp.Expr:
    """`a > ALL (SELECT …)`, `a = ANY (…)`: Spark compares with sets only by IN, so the rest goes by extremes."""
    quantifier = node.expression
    if isinstance(quantifier, exp.Anonymous) and str(quantifier.this).upper() == "ALL" and quantifier.expressions:
        quantifier = exp.All(this=quantifier.expressions[0])
    return _quantified(node, quantifier, context) if isinstance(quantifier, exp.All | exp.Any) else node


def _quantified(node: exp.Expr, quantifier: exp.Expr, context: Context) -> exp.Expr:
    query = quantifier.this
    if isinstance(query, exp.Subquery):
        query = query.this
    wants_all = isinstance(quantifier, exp.All)
    equal = isinstance(node, exp.EQ)
    unequal = isinstance(node, exp.NEQ)
    if not isinstance(query, exp.Query | exp.Values):
        raise NotSupportedError("ALL and ANY need a subquery", position=position_of(node, context.sql))
    if isinstance(query, exp.Values):
        query = exp.Select(expressions=[exp.Star()]).from_(query.copy())
    if (equal and not wants_all) or (unequal and wants_all):
        found: exp.Expr = exp.In(this=node.this, query=exp.Subquery(this=query))
        return exp.Not(this=found) if unequal else found
    return _by_array(node, query, wants_all=wants_all)


def _by_array(node: exp.Expr, query: exp.Expr, *, wants_all: bool) -> exp.Expr:
    """Gather the subquery's values; three-valued logic is that of Spark's `forall` and `exists`."""
    alias = exp.TableAlias(this=exp.to_identifier("sqe_set"), columns=[exp.to_identifier("sqe_value")])
    gathered = call("collect_list", call("struct", exp.column("sqe_value")))
    values = exp.Select(expressions=[gathered]).from_(exp.Subquery(this=query, alias=alias))
    item = exp.Dot(this=exp.to_identifier("sqe_item"), expression=exp.to_identifier("sqe_value"))
    test = exp.Lambda(
        this=type(node)(this=node.this.copy(), expression=item), expressions=[exp.to_identifier("sqe_item")]
    )
    return call("forall" if wants_all else "exists", exp.Subquery(this=values), test, like=node)


_LOCAL_TYPES = frozenset({
    exp.DType.DATE, exp.DType.TIME, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.DATETIME,
})  # fmt: skip
_DEEPEST = 50

_TRANSLATIONS: dict[type[exp.Expr], Callable[[exp.Expr, Context], exp.Expr]] = {
    exp.Add: _arithmetic("sqe_add"),
    exp.Sub: _arithmetic("sqe_subtract"),
    exp.Mul: _arithmetic("sqe_multiply"),
    exp.Cast: _local_cast,
    exp.TryCast: _local_cast,
    exp.GroupConcat: _joined_texts,
    exp.Div: _binary("sqe_divide"),
    exp.Mod: _binary("sqe_mod"),
    exp.DPipe: _binary("sqe_concat"),
    exp.Bracket: _subscript,
    exp.Array: _array,
    exp.SimilarTo: _similar,
    exp.RegexpLike: _binary("sqe_regexp_like"),
    exp.AtTimeZone: _at_time_zone,
    exp.EQ: _ordered_all,
    exp.NEQ: _ordered_all,
    exp.GT: _ordered_all,
    exp.GTE: _ordered_all,
    exp.LT: _ordered_all,
    exp.LTE: _ordered_all,
}
