"""What ORDER BY means, as expressions that can stand elsewhere: in a window, or around the query."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError, Position, SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.identifiers import folded
from sqe.sql.trees import position_of


def is_all(value: exp.Expr) -> bool:
    """`ALL` by itself is no column of that name."""
    name = value.this if isinstance(value, exp.Column) and not value.table else None
    return isinstance(name, exp.Identifier) and not name.args.get("quoted") and name.name.lower() == "all"


def meant(value: exp.Expr, items: list[exp.Expr], context: Context) -> exp.Expr:
    """An item of ORDER BY or DISTINCT ON, with the number of a column taken for that column."""
    if is_all(value):
        raise NotSupportedError("ALL cannot be used here", hint="write the columns", position=_place(value, context))
    if not isinstance(value, exp.Literal) or value.is_string:
        return value.copy()
    number = int(value.name) if value.name.isdigit() else 0
    if any(item.is_star for item in items):
        raise NotSupportedError(
            "a column cannot be meant by its number beside a star here", position=_place(value, context)
        )
    if not 1 <= number <= len(items):
        raise SqlSemanticError(f"there is no column number {value.name}", position=_place(value, context))
    found = items[number - 1]
    return (found.this if isinstance(found, exp.Alias) else found).copy()


def by_result(value: exp.Expr, items: list[exp.Expr], context: Context) -> exp.Expr:
    """The same from outside of the query, where only its columns are known."""
    wanted = meant(value, items, context)
    for item in items:
        inner = item.this if isinstance(item, exp.Alias) else item
        if inner == wanted:
            name = item.args["alias"] if isinstance(item, exp.Alias) else item.this
            if isinstance(name, exp.Identifier):
                return exp.column(exp.to_identifier(folded(name), quoted=True))
    return wanted


def result_items(query: exp.Expr) -> list[exp.Expr]:
    """What a query shows; the first one of a UNION names its columns."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    if isinstance(query, exp.Values):
        row = query.expressions[0]
        count = len(row.expressions) if isinstance(row, exp.Tuple) else 1
        return [exp.column(exp.to_identifier(f"col{number}", quoted=True)) for number in range(1, count + 1)]
    return list(query.expressions) if isinstance(query, exp.Select) else [exp.Star()]


def _place(value: exp.Expr, context: Context) -> Position | None:
    return position_of(value, context.sql)
