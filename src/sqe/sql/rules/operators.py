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


_TRANSLATIONS: dict[type[exp.Expr], Callable[[exp.Expr, Context], exp.Expr]] = {
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
