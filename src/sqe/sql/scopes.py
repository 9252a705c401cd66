"""Which relations the names of a query can mean."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqe.sql.rules.identifiers import folded

SCOPES = (exp.Select, exp.Update, exp.Delete, exp.Merge)


def sources(scope: exp.Expr) -> Iterator[exp.Expr]:
    """What stands after FROM, JOIN and USING, or is changed."""
    if not isinstance(scope, exp.Select):
        yield scope.this
    for part in (scope.args.get("from_"), scope.args.get("using")):
        for source in part if isinstance(part, list) else [part]:
            if source is not None:
                yield source.this if isinstance(source, exp.From) else source
    for join in scope.args.get("joins") or []:
        yield join.this


def named_queries(tree: exp.Expr) -> set[str]:
    """The names that WITH clauses give."""
    return {_folded(cte.args["alias"].this) for cte in tree.find_all(exp.CTE)}


def is_stored(source: exp.Expr, queries: set[str], sql: str) -> bool:
    """Whether a source is named like a table of a catalog: no file, no function, no query."""
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return False
    start = source.this.meta.get("start")
    is_file = start is not None and sql[start] == "'"
    return not is_file and (bool(source.args.get("db")) or folded(source.this) not in queries)


def source_name(source: exp.Expr) -> str | None:
    """What columns write in front of their names to mean this source."""
    alias = source.args.get("alias")
    this = alias.this if alias is not None else source.this
    return folded(this) if isinstance(this, exp.Identifier) else None


def qualifier(column: exp.Column) -> str | None:
    """What a column writes in front of its name."""
    return _folded(column.args["table"]) if column.args.get("table") else None


def _folded(name: exp.Expr) -> str:
    return folded(name) if isinstance(name, exp.Identifier) else ""
