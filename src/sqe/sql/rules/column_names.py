"""Columns without a name are called what was written; Spark would call them after the translation."""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.context import Context
from sqe.sql.trees import place_of

_NAMED = (exp.Column, exp.Alias, exp.Star, exp.Dot, exp.PropertyEQ, exp.Aliases)


def name_columns(tree: exp.Expr, context: Context) -> exp.Expr:
    """Give every expression of a SELECT list a name."""
    for select in tree.find_all(exp.Select):
        for number, column in enumerate(select.expressions):
            field = _field(column.unnest())
            if field is not None:
                column.replace(exp.alias_(column.copy(), field))
            elif not isinstance(column.unnest(), _NAMED):
                name = _written(column, context) or f"_col{number}"
                column.replace(exp.alias_(column.copy(), exp.to_identifier(name, quoted=True)))
    return tree


def _field(column: exp.Expr) -> exp.Identifier | None:
    """The name of a field that is taken out of a row: `CAST(x AS ROW(a INTEGER)).a` is called a."""
    field = column.expression if isinstance(column, exp.Dot) else None
    return field.copy() if isinstance(field, exp.Identifier) else None


def _written(column: exp.Expr, context: Context) -> str | None:
    place = place_of(column)
    found = context.item_around(place["start"]) if place else None
    return " ".join(context.sql[found[0] : found[1] + 1].split()) if found else None
