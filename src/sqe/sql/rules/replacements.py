"""`SELECT * REPLACE (price * 2 AS price) FROM t`: all columns, some of them computed.

Spark has no such star. The columns go through a row: inside, a row of all columns in which some are replaced; outside,
that row's fields. Spark's optimizer takes the row away again.
"""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.rules.identifiers import folded
from sqe.sql.trees import call, place_of, position_of

_ROW = "_replaced"
_OTHER = "_beside"


def replace_columns(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite every SELECT with such a star."""
    for select in list(tree.find_all(exp.Select)):
        stars = [item for item in select.expressions if _star(item) is not None]
        if any(_changes(item) for item in stars):
            made = _through_row(select, stars, context)
            if select is tree:
                tree = made
            else:
                select.replace(made)
    return tree


def _star(item: exp.Expr) -> exp.Star | None:
    inner = item.this if isinstance(item, exp.Column) else item
    return inner if isinstance(inner, exp.Star) else None


def _changes(item: exp.Expr) -> bool:
    star = _star(item)
    return star is not None and bool(star.args.get("replace") or star.args.get("rename"))


def _through_row(select: exp.Select, stars: list[exp.Expr], context: Context) -> exp.Select:
    only = stars[0]
    star = _star(only)
    if len(stars) > 1 or star is None or star.args.get("rename"):
        raise NotSupportedError(
            "beside * REPLACE there can be no second star, and no RENAME", position=position_of(select, context.sql)
        )
    replaced = star.args["replace"]
    star.set("replace", None)
    row = call("sqe__replaced", call("struct", only.copy()), call("struct", *[item.copy() for item in replaced]))
    row.meta.update(place_of(replaced[0]))
    outside: list[exp.Expr] = []
    inside: list[exp.Expr] = []
    for number, item in enumerate(select.expressions):
        if item is only:
            inside.append(exp.alias_(row, exp.to_identifier(_ROW, quoted=True)))
            outside.append(exp.Column(this=exp.Star(), table=exp.to_identifier(_ROW, quoted=True)))
        else:
            name = f"{_OTHER}{number}"
            value = item.this if isinstance(item, exp.Alias) else item
            inside.append(exp.alias_(value.copy(), exp.to_identifier(name, quoted=True)))
            title = exp.to_identifier(item.alias_or_name, quoted=True)
            outside.append(exp.alias_(exp.column(exp.to_identifier(name, quoted=True)), title))
    _order_by_row(select, {folded(item.args["alias"]) for item in replaced})
    select.set("expressions", inside)
    inner = exp.Subquery(this=select.copy(), alias=exp.TableAlias(this=exp.to_identifier("q", quoted=True)))
    return exp.Select(expressions=outside).from_(inner)


def _order_by_row(select: exp.Select, names: set[str]) -> None:
    """ORDER BY means the columns of the result."""
    order = select.args.get("order")
    for item in order.expressions if order else ():
        column = item.this
        if isinstance(column, exp.Column) and not column.table and folded(column.this) in names:
            name = exp.to_identifier(folded(column.this), quoted=True)
            column.replace(exp.column(name, table=exp.to_identifier(_ROW, quoted=True)))
