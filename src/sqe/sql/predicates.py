"""Which columns of a table statements compare with values."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise

from sqlglot import exp

from sqe.core.errors import SqeError
from sqe.sql.comments import without_comments
from sqe.sql.context import Context
from sqe.sql.parse import deeply, parse
from sqe.sql.rules.identifiers import folded
from sqe.sql.rules.metadata_tables import full_path
from sqe.sql.scopes import SCOPES, is_stored, named_queries, qualifier, source_name, sources
from sqe.sql.tokens import tokenize


def columns_compared(
    statements: Iterable[tuple[str, tuple[str, str]]], table: tuple[str, str, str], columns: Collection[str]
) -> dict[str, int]:
    """For each column of a table: how many of the statements look for rows where it equals a value.

    A statement comes with the catalog and the schema in which it ran.
    """
    return deeply(lambda: _counted(statements, table, columns))


def _counted(
    statements: Iterable[tuple[str, tuple[str, str]]], table: tuple[str, str, str], columns: Collection[str]
) -> dict[str, int]:
    counts: dict[str, int] = {}
    for sql, place in statements:
        if table[2].lower() in sql.lower():
            for name in _compared(Context(without_comments(sql), "", *place), table) & set(columns):
                counts[name] = counts.get(name, 0) + 1
    return counts


def _compared(context: Context, table: tuple[str, str, str]) -> set[str]:
    try:
        tree = parse(tokenize(context.sql), context.sql)
    except SqeError:
        # Not a query or a change of data: such statements look for no rows.
        return set()
    queries = named_queries(tree)
    found = set()
    for condition in tree.find_all(exp.EQ, exp.In):
        column = _column_beside_value(condition)
        if column is not None and _belongs(column, table, queries, context):
            found.add(folded(column.this))
    return found


def _column_beside_value(condition: exp.Expr) -> exp.Column | None:
    """`x = 1`, `1 = x`, `x IN (1, 2)`."""
    if condition.find_ancestor(exp.Where, exp.Join, exp.Having, exp.Merge) is None:
        return None
    if isinstance(condition, exp.In):
        values = condition.expressions
        is_list = bool(values) and not condition.args.get("query")
        sides = [condition.this, exp.Tuple(expressions=[value.copy() for value in values])] if is_list else []
    else:
        sides = [condition.this, condition.expression]
    for one, other in [*pairwise(sides), *pairwise(sides[::-1])]:
        if isinstance(one, exp.Column) and isinstance(one.this, exp.Identifier) and _is_value(other):
            return one
    return None


def _is_value(side: exp.Expr) -> bool:
    return side.find(exp.Column, exp.Query) is None


def _belongs(column: exp.Column, table: tuple[str, str, str], queries: set[str], context: Context) -> bool:
    """Whether a column can be one of the table; without a qualifier, any table of its query may have it."""
    wanted = qualifier(column)
    scope = column.find_ancestor(*SCOPES)
    if scope is None:
        return False
    for source in sources(scope):
        fits = wanted is None or source_name(source) == wanted
        if fits and isinstance(source, exp.Table) and is_stored(source, queries, context.sql):
            return tuple(full_path(source, context)) == table
    return False
