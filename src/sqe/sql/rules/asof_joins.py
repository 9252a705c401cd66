"""`a ASOF JOIN b ON a.k = b.k AND a.t >= b.t`: to each row of `a` the one row of `b` that is nearest in time.

It is a LATERAL subquery that keeps the first of the rows that fit, the nearest first; Spark makes joins of such ones.
"""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.identifiers import folded
from sqe.sql.scopes import qualifier, source_name
from sqe.sql.trees import number, position_of

_INEQUALITIES = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def translate_asof_joins(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite them."""
    for join in list(tree.find_all(exp.Join)):
        if str(join.args.get("method") or "").upper() == "ASOF":
            _rewrite(join, context)
    return tree


def _rewrite(join: exp.Join, context: Context) -> None:
    side = str(join.args.get("side") or "").upper()
    right = join.this
    name = source_name(right) if isinstance(right, exp.Table | exp.Subquery | exp.Values) else None
    if side not in {"", "LEFT"} or name is None:
        raise NotSupportedError(
            "ASOF JOIN keeps the rows on its left and takes a relation with a name on its right",
            hint="a ASOF [LEFT] JOIN b ON a.k = b.k AND a.t >= b.t",
            position=position_of(join, context.sql),
        )
    shown = exp.Star()
    condition: exp.Expr | None = join.args.get("on")
    if join.args.get("using"):
        names = [folded(column) for column in join.args["using"]]
        condition = _of_names(join, name, names, context)
        shown.set("except_", [exp.to_identifier(column, quoted=True) for column in names])
    conditions, order = _read(condition, name, join, context)
    nearest = exp.Select(expressions=[shown]).from_(right.copy())
    nearest.set("where", exp.Where(this=exp.and_(*conditions)))
    nearest.set("order", exp.Order(expressions=[order]))
    nearest.set("limit", exp.Limit(expression=number(1)))
    alias = exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    made = exp.Lateral(this=exp.Subquery(this=nearest), alias=alias)
    join.set("this", made)
    for part in ("method", "using", "kind"):
        join.set(part, None)
    join.set("on", exp.Boolean(this=True))


def _of_names(join: exp.Join, right: str, names: list[str], context: Context) -> exp.Expr:
    """USING: all but the last are equal, the last is at most that of the left side."""
    select = join.parent
    alone = isinstance(select, exp.Select) and select.args["joins"][0] is join
    left = source_name(select.args["from_"].this) if isinstance(select, exp.Select) and alone else None
    if left is None:
        raise NotSupportedError(
            "ASOF JOIN … USING has one relation with a name on its left",
            hint="write the condition: ON a.k = b.k AND a.t >= b.t",
            position=position_of(join, context.sql),
        )
    conditions = []
    for place, name in enumerate(names):
        kind = exp.GTE if place == len(names) - 1 else exp.EQ
        conditions.append(kind(this=_column(left, name), expression=_column(right, name)))
    return exp.and_(*conditions, copy=False)


def _column(table: str, name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))


def _read(
    condition: exp.Expr | None, right: str, join: exp.Join, context: Context
) -> tuple[list[exp.Expr], exp.Ordered]:
    """The conditions, and the nearest row first: by the right side of the one inequality."""
    bare = condition.unnest() if condition is not None else None
    parts = [part.unnest() for part in bare.flatten()] if isinstance(bare, exp.And) else [bare] if bare else []
    found = [part for part in parts if isinstance(part, _INEQUALITIES)]
    if len(found) != 1 or len([part for part in parts if not isinstance(part, exp.EQ)]) != 1:
        raise SqlSemanticError(
            "the condition of ASOF JOIN is one of >=, >, <=, < and any number of =, with AND between them",
            position=position_of(condition if condition is not None else join, context.sql),
        )
    comparison = found[0]
    is_left = _belongs(comparison.this, right)
    is_right = _belongs(comparison.expression, right)
    if is_left == is_right:
        raise SqlSemanticError(
            f"one side of the inequality of ASOF JOIN is about {right}, the other one is not",
            hint=f"write the relations before the names of columns: {right}.t",
            position=position_of(comparison, context.sql),
        )
    latest = isinstance(comparison, exp.GT | exp.GTE) is is_right
    value = comparison.expression if is_right else comparison.this
    return parts, exp.Ordered(this=value.copy(), desc=latest, nulls_first=False)


def _belongs(value: exp.Expr, right: str) -> bool:
    """Whether all columns of an expression say that they are of a relation."""
    columns = list(value.find_all(exp.Column))
    return bool(columns) and all(qualifier(column) == right for column in columns)
