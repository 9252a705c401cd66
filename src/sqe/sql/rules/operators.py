"""Operators that mean something else in Spark, or that it does not have."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqe.core.errors import NotSupportedError, StatementTooComplexError
from sqe.sql.context import Context
from sqe.sql.trees import call, number, position_of


def translate_operators(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite from the leaves up."""
    found = list(tree.find_all(*_TRANSLATIONS))
    _refuse_long_rows(found, context)
    for node in reversed(found):
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


def _arithmetic(name: str, *, plain: bool = True) -> Callable[[exp.Expr, Context], exp.Expr]:
    """Sums and products too: what dates, durations and reals make of them is Trino's, not Spark's."""

    def made(node: exp.Expr, context: Context) -> exp.Expr:
        above, depth = node.parent, 0
        while isinstance(above, _CHAINED) and depth <= _DEEPEST:
            depth += not isinstance(above, exp.Paren)
            above = above.parent
        if depth <= _DEEPEST:
            return call(name, node.this, node.expression, like=node)
        if not plain:
            raise StatementTooComplexError(
                f"there are more than {_DEEPEST} operators in a row", position=position_of(node, context.sql)
            )
        # A row of very many is one of numbers or of texts; calls within calls would be too deep for Spark.
        return node

    return made


def _refuse_long_rows(nodes: list[exp.Expr], context: Context) -> None:
    """Each operator in a row is one level deeper for Spark, which would fail only after long work."""
    # Parents come before what is below them.
    depths: dict[int, int] = {}
    for node in nodes:
        if isinstance(node, _CHAINED):
            above = node.parent
            while isinstance(above, exp.Paren):
                above = above.parent
            depth = depths[id(node)] = depths.get(id(above), 0) + 1
            if depth > _LONGEST:
                raise StatementTooComplexError(
                    f"there are more than {_LONGEST} operators in a row", position=position_of(node, context.sql)
                )


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


def _matches_any_case(node: exp.Expr, context: Context) -> exp.Expr:
    """`text ~* pattern`."""
    del context
    pattern = call("concat", exp.Literal.string("(?i)"), node.expression)
    return call("sqe_regexp_like", node.this, pattern, like=node)


def _similar(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    return call("sqe_similar_to", node.this, node.expression, like=node)


def _ordered_all(node: exp.Expr, context: Context) -> exp.Expr:
    """`a > ALL (SELECT …)`, `a = ANY (…)`: Spark compares with sets only by IN, so the rest goes by extremes."""
    quantifier = node.expression
    if isinstance(quantifier, exp.Anonymous) and len(quantifier.expressions) == 1:
        kind = _QUANTIFIERS.get(str(quantifier.this).upper())
        quantifier = kind(this=quantifier.expressions[0]) if kind else quantifier
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
    return _by_extremes(node, query, wants_all=wants_all)


def _by_extremes(node: exp.Expr, query: exp.Expr, *, wants_all: bool) -> exp.Expr:
    """Compare with the least or the greatest of the set; what NULLs and an empty set mean is in the function table."""
    alias = exp.TableAlias(this=exp.to_identifier("sqe_set"), columns=[exp.to_identifier("sqe_value")])
    value = exp.column("sqe_value")
    facts = [call("min", value), call("max", value.copy()), call("count", number(1)), call("count", value.copy())]
    row = call("sqe_row", *facts)
    found = exp.Subquery(this=exp.Select(expressions=[row]).from_(exp.Subquery(this=query, alias=alias)))
    least, most = (call("sqe__field", found.copy(), number(place)) for place in (1, 2))
    below = isinstance(node, exp.LT | exp.LTE)
    if isinstance(node, exp.EQ | exp.NEQ):
        join = exp.And if wants_all else exp.Or
        test: exp.Expr = join(this=_compared(node, least), expression=_compared(node, most))
    else:
        test = _compared(node, least if below == wants_all else most)
    return call("sqe__all" if wants_all else "sqe__any", test, found, like=node)


def _compared(node: exp.Expr, bound: exp.Expr) -> exp.Expr:
    return type(node)(this=node.this.copy(), expression=bound)


def _grouping(node: exp.Expr, context: Context) -> exp.Expr:
    """`grouping(a, b)` is one number, a bit for each column; Spark asks for one column at a time."""
    del context
    bits = [call("grouping", column.copy()) for column in node.expressions]
    total: exp.Expr = bits[0]
    for bit in bits[1:]:
        total = exp.Add(this=exp.Mul(this=exp.Paren(this=total), expression=number(2)), expression=bit)
    return exp.Cast(this=exp.Paren(this=total), to=exp.DataType(this=exp.DType.INT))


def _refined_window(node: exp.Expr, context: Context) -> exp.Expr:
    """`OVER (w ROWS …)`: Spark knows named windows only as they are, so what `w` says is copied."""
    del context
    name, select = node.args.get("alias"), node.find_ancestor(exp.Select)
    if name is None or select is None or not any(node.args.get(part) for part in ("spec", "order", "partition_by")):
        return node
    for window in select.args.get("windows") or []:
        if window.name.lower() == name.name.lower():
            for part in ("partition_by", "order"):
                found = window.args.get(part)
                if found and not node.args.get(part):
                    node.set(part, found.copy() if isinstance(found, exp.Expr) else [each.copy() for each in found])
            node.set("alias", None)
    return node


def _group(node: exp.Expr, context: Context) -> exp.Expr:
    """`GROUP BY ()` is one group of all rows, as without it."""
    del context
    sets = node.expressions
    parent = node.parent
    if len(sets) == 1 and isinstance(sets[0], exp.Tuple) and not sets[0].expressions and parent is not None:
        parent.set("group", None)
    return node


_LOCAL_TYPES = frozenset({
    exp.DType.DATE, exp.DType.TIME, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.DATETIME,
})  # fmt: skip
_DEEPEST = 50
_LONGEST = 2500
_CHAINED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.DPipe, exp.Paren)
_QUANTIFIERS: dict[str, type[exp.Expr]] = {"ALL": exp.All, "ANY": exp.Any, "SOME": exp.Any}

_TRANSLATIONS: dict[type[exp.Expr], Callable[[exp.Expr, Context], exp.Expr]] = {
    exp.Add: _arithmetic("sqe_add"),
    exp.Sub: _arithmetic("sqe_subtract"),
    exp.Mul: _arithmetic("sqe_multiply"),
    exp.Cast: _local_cast,
    exp.TryCast: _local_cast,
    exp.GroupConcat: _joined_texts,
    exp.Grouping: _grouping,
    exp.Group: _group,
    exp.Window: _refined_window,
    exp.Div: _arithmetic("sqe_divide", plain=False),
    exp.Mod: _arithmetic("sqe_mod", plain=False),
    exp.DPipe: _arithmetic("sqe_concat"),
    exp.Bracket: _subscript,
    exp.Array: _array,
    exp.SimilarTo: _similar,
    exp.RegexpLike: _binary("sqe_regexp_like"),
    exp.RegexpILike: _matches_any_case,
    exp.AtTimeZone: _at_time_zone,
    exp.EQ: _ordered_all,
    exp.NEQ: _ordered_all,
    exp.GT: _ordered_all,
    exp.GTE: _ordered_all,
    exp.LT: _ordered_all,
    exp.LTE: _ordered_all,
}
