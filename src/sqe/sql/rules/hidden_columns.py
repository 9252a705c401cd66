"""Columns that every Iceberg table has beside its own: `"$path"`, `"$partition"`, `"$file_modified_time"`.

Spark has them under other names and leaves them out of `*`.
"""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.metadata_tables import full_path
from sqe.sql.scopes import SCOPES, is_stored, named_queries, qualifier, source_name, sources
from sqe.sql.trees import call, position_of, text

_PATH, _PARTITION, _MODIFIED = "$path", "$partition", "$file_modified_time"
_HIDDEN = frozenset({_PATH, _PARTITION, _MODIFIED})


def translate_hidden_columns(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite every hidden column of a table; a column of that name in a subquery is an ordinary one."""
    found = [column for column in tree.find_all(exp.Column) if column.name.lower() in _HIDDEN]
    subqueries = named_queries(tree) if found else set()
    planned = [(column, _owner(column, subqueries, context)) for column in found if not _is_output(column)]
    for column, table in planned:
        if table is not None:
            _rewrite(column, table, context)
    return tree


def _rewrite(column: exp.Column, table: exp.Table, context: Context) -> None:
    name = column.name.lower()
    made: exp.Expr = _renamed(column, "_file")
    if name == _MODIFIED:
        made = call("sqe__file_time", made, like=column)
    elif name == _PARTITION:
        names = [text(part) for part in full_path(table, context)]
        made = call(
            "sqe__partition_path", *names, _renamed(column, "_spec_id"), _renamed(column, "_partition"), like=column
        )
    if isinstance(column.parent, exp.Select) and column.arg_key == "expressions":
        made = exp.alias_(made, exp.to_identifier(column.name, quoted=True))
    column.replace(made)


def _renamed(column: exp.Column, name: str) -> exp.Column:
    made = column.copy()
    made.this.set("this", name)
    made.this.set("quoted", True)
    return made


def _is_output(column: exp.Column) -> bool:
    """Whether an ORDER BY means a column of the result, which has the name that was written."""
    order = column.find_ancestor(exp.Order, exp.Select)
    select = order.parent if isinstance(order, exp.Order) else None
    return isinstance(select, exp.Select) and column.name in select.named_selects


def _owner(column: exp.Column, subqueries: set[str], context: Context) -> exp.Table | None:
    """The table that a hidden column belongs to, looked for from the inside out."""
    wanted = qualifier(column)
    scope = column.find_ancestor(*SCOPES)
    while scope is not None:
        named = [source for source in sources(scope) if wanted is None or source_name(source) == wanted]
        tables = [source for source in named if is_stored(source, subqueries, context.sql)]
        if any(_gives(source, column.name) for source in named):
            return None
        if len(tables) > 1:
            raise SqlSemanticError(
                f'the column "{column.name}" is ambiguous',
                hint="write the table or its alias in front of it",
                position=position_of(column, context.sql),
                condition="AMBIGUOUS_REFERENCE",
            )
        if tables:
            return tables[0]  # type: ignore[return-value]
        scope = scope.find_ancestor(*SCOPES)
    return None


def _gives(source: exp.Expr, name: str) -> bool:
    return isinstance(source, exp.Subquery) and name in source.named_selects
