"""VALUES with what is only known while the statement runs: Spark takes constants there, and SELECT takes all."""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.tokens import CALL_MARK

#: Each row becomes a query of its own; so many are enough for what people write by hand.
_MOST_ROWS = 100
_NEW_EACH_TIME = frozenset(CALL_MARK + name for name in ("uuid", "random", "rand", "shuffle"))
_NESTED = frozenset({exp.DType.ARRAY, exp.DType.MAP, exp.DType.STRUCT})


def computed_rows(values: exp.Values, tree: exp.Expr) -> exp.Expr:
    """The tree with SELECT … UNION ALL SELECT … for VALUES that Spark could not take."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    if not 0 < len(rows) <= _MOST_ROWS or not _is_computed(values):
        return tree
    query: exp.Expr = _row(rows[0])
    for row in rows[1:]:
        query = exp.Union(this=query, expression=_row(row), distinct=False)
    alias = values.args.get("alias")
    if alias is not None or isinstance(values.parent, exp.From | exp.Join):
        query = exp.Subquery(this=query, alias=alias.copy() if alias is not None else None)
    if values is tree:
        return query
    values.replace(query)
    return tree


def _is_computed(values: exp.Values) -> bool:
    """Whether a part of it is no constant to Spark; a word DEFAULT is nothing that a query could say."""
    found = False
    for node in values.walk():
        if isinstance(node, exp.Column) and node.name.upper() == "DEFAULT":
            return False
        found |= isinstance(node, exp.Lambda)
        found |= isinstance(node, exp.Anonymous) and node.name.lower() in _NEW_EACH_TIME
        found |= isinstance(node, exp.Cast) and node.args["to"].this in _NESTED
    return found


def _row(values: list[exp.Expr]) -> exp.Select:
    named = [exp.alias_(value.copy(), f"col{number}", quoted=True) for number, value in enumerate(values, 1)]
    return exp.Select(expressions=named)
