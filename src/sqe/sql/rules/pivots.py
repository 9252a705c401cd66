"""DuckDB's statements PIVOT and UNPIVOT, alone or as the source of a query.

A pivot is a grouping: each of its new columns is an aggregate over the rows with one value. Which values there are must
be known before Spark sees the query; without IN, the engine is asked.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.identifiers import folded
from sqe.sql.rules.metadata_tables import full_path
from sqe.sql.scopes import is_stored
from sqe.sql.tokens import CALL_MARK
from sqe.sql.trees import position_of, text

#: Answers the texts that a query of the dialect finds, at most one more than the given number.
Ask = Callable[[exp.Select, int], Sequence[str]]
#: A column for each value: more than this many are a mistake.
_MOST_COLUMNS = 2000
_VALUE = "_sqe_value"


@dataclass(frozen=True)
class _Key:
    """One value of ON: which rows have it, and what its columns are called."""

    condition: exp.Expr
    title: str


def translate_pivots(tree: exp.Expr, context: Context, ask: Ask) -> exp.Expr:
    """Rewrite all of them; those that follow a table in brackets are Spark's own."""
    for pivot in list(tree.find_all(exp.Pivot)):
        if pivot.this is None:
            continue
        made = _unpivoted(pivot, context) if pivot.args.get("unpivot") else _pivoted(pivot, context, ask)
        if pivot is tree:
            tree = made
        else:
            pivot.replace(made)
    return tree


def _pivoted(pivot: exp.Pivot, context: Context, ask: Ask) -> exp.Select:
    ons = pivot.expressions
    if not ons:
        raise SqlSemanticError("PIVOT needs ON", position=position_of(pivot, context.sql))
    aggregates = pivot.args.get("using") or [_count()]
    keys = [_keys(on, pivot, context, ask) for on in ons]
    columns = [
        _column([*combination], aggregate, context, many=len(aggregates) > 1)
        for combination in itertools.product(*keys)
        for aggregate in aggregates
    ]
    if len(columns) > _MOST_COLUMNS:
        raise _too_many(pivot, context)
    group = pivot.args.get("group")
    if group is not None:
        before = [part.copy() for part in group.expressions]
        grouping = group.copy()
    else:
        used = {
            folded(column.this): column.this for part in [*ons, *aggregates] for column in part.find_all(exp.Column)
        }
        before = [exp.Star(except_=[name.copy() for name in used.values()])]
        grouping = exp.Group(all=True)
    made = exp.Select(expressions=[*before, *columns]).from_(pivot.this.copy())
    made.set("group", grouping)
    return made


def _keys(on: exp.Expr, pivot: exp.Pivot, context: Context, ask: Ask) -> list[_Key]:
    if not isinstance(on, exp.In):
        # By their texts: whatever type the values have, they come as texts.
        shown = exp.Cast(this=on.copy(), to=exp.DataType(this=exp.DType.VARCHAR))
        values = ask(_values(on, pivot), _MOST_COLUMNS)
        if len(values) > _MOST_COLUMNS:
            raise _too_many(on, context)
        return [_Key(exp.EQ(this=shown.copy(), expression=text(value)), value) for value in values]
    if not on.expressions:
        raise NotSupportedError(
            "the values of PIVOT are written in a list, or all that there are",
            hint="PIVOT t ON column IN ('a', 'b') …, or PIVOT t ON column …",
            position=position_of(on, context.sql),
        )
    found = []
    for item in on.expressions:
        value = item.this if isinstance(item, exp.Alias) else item
        title = item.alias if isinstance(item, exp.Alias) else _title(value)
        found.append(_Key(exp.EQ(this=on.this.copy(), expression=value.copy()), title))
    return found


def _title(value: exp.Expr) -> str:
    return value.name if isinstance(value, exp.Literal) else value.sql(dialect="trino")


def _values(on: exp.Expr, pivot: exp.Pivot) -> exp.Select:
    """The query for the values of an expression, in their order; NULL gets no column."""
    name = exp.to_identifier(_VALUE, quoted=True)
    inner = exp.Select(expressions=[exp.alias_(on.copy(), name)]).from_(pivot.this.copy()).distinct()
    inner.set("where", exp.Where(this=exp.Not(this=exp.Is(this=exp.Paren(this=on.copy()), expression=exp.Null()))))
    shown = exp.Cast(this=exp.column(name.copy()), to=exp.DataType(this=exp.DType.VARCHAR))
    alias = exp.TableAlias(this=exp.to_identifier("_sqe_values", quoted=True))
    asked = exp.Select(expressions=[exp.alias_(shown, exp.to_identifier("value", quoted=True))])
    asked = asked.from_(exp.Subquery(this=inner, alias=alias))
    asked.set("order", exp.Order(expressions=[exp.Ordered(this=exp.column(name.copy()), nulls_first=False)]))
    _bring_named_queries(asked, pivot)
    return asked


def _bring_named_queries(asked: exp.Select, pivot: exp.Pivot) -> None:
    """What WITH names before the place of the pivot may be what it is about."""
    inside = {id(pivot)} | {id(above) for above in _ancestors(pivot)}
    for above in _ancestors(pivot):
        named = above.args.get("with_")
        if named is not None:
            before = itertools.takewhile(lambda query: id(query) not in inside, named.expressions)
            found = [query.copy() for query in before]
            if found:
                asked.set("with_", exp.With(expressions=found, recursive=named.args.get("recursive")))
            return


def _ancestors(node: exp.Expr) -> list[exp.Expr]:
    found = []
    above = node.parent
    while above is not None:
        found.append(above)
        above = above.parent
    return found


def _count() -> exp.Expr:
    name = exp.to_identifier(f"{CALL_MARK}count", quoted=True)
    return exp.Anonymous(this=name, expressions=[exp.Star()])


def _column(keys: list[_Key], aggregate: exp.Expr, context: Context, *, many: bool) -> exp.Expr:
    """The aggregate over the rows that have these values."""
    named = isinstance(aggregate, exp.Alias)
    inner = aggregate.this if named else aggregate
    bare = inner.this if isinstance(inner, exp.Filter) else inner
    if not isinstance(bare, exp.Anonymous | exp.GroupConcat):
        raise SqlSemanticError("USING takes calls of aggregate functions", position=position_of(aggregate, context.sql))
    conditions = [key.condition.copy() for key in keys]
    if isinstance(inner, exp.Filter):
        conditions.append(exp.Paren(this=inner.expression.this.copy()))
    made = exp.Filter(this=bare.copy(), expression=exp.Where(this=exp.and_(*conditions, copy=False)))
    title = "_".join(key.title for key in keys)
    if named or many:
        title += "_" + (aggregate.alias if named else _shown(bare))
    return exp.alias_(made, exp.to_identifier(title, quoted=True))


def _shown(aggregate: exp.Expr) -> str:
    arguments = ", ".join(part.sql(dialect="trino") for part in aggregate.expressions)
    name = aggregate.this.name if isinstance(aggregate.this, exp.Identifier) else str(aggregate.this)
    return f"{name.removeprefix(CALL_MARK).lower()}({arguments})".replace(CALL_MARK, "")


def _too_many(place: exp.Expr, context: Context) -> SqlSemanticError:
    return SqlSemanticError(
        f"PIVOT would make more than {_MOST_COLUMNS} columns",
        hint="name the values that matter: ON column IN (…)",
        position=position_of(place, context.sql),
    )


def _unpivoted(pivot: exp.Pivot, context: Context) -> exp.Select:
    """Spark has the same behind a table."""
    into = pivot.args.get("into")
    name = into.this if into and into.this else exp.column("name")
    values = into.expressions if into and into.expressions else [exp.column("value")]
    targets: list[exp.Expr] = [value.this.copy() for value in values]
    columns = [made for on in pivot.expressions or [] for made in _columns(on, pivot, context)]
    if not columns:
        raise SqlSemanticError("UNPIVOT needs ON and columns", position=position_of(pivot, context.sql))
    made = exp.Pivot(
        expressions=targets if len(targets) == 1 else [exp.Tuple(expressions=targets)],
        fields=[exp.In(this=name.this.copy(), expressions=columns)],
        unpivot=True,
    )
    source = pivot.this.copy()
    source.set("pivots", [*(source.args.get("pivots") or []), made])
    return exp.Select(expressions=[exp.Star()]).from_(source)


def _columns(on: exp.Expr, pivot: exp.Pivot, context: Context) -> list[exp.Expr]:
    """What one item of ON stands for: a column, several side by side, or all but some."""
    if isinstance(on, exp.Alias):
        return [exp.PivotAlias(this=on.this.copy(), alias=on.args["alias"].copy())]
    star = on
    if isinstance(on, exp.Anonymous) and on.name.lower() == f"{CALL_MARK}columns" and len(on.expressions) == 1:
        star = on.expressions[0]
    if not isinstance(star, exp.Star):
        return [on.copy()]
    source = pivot.this
    if context.lookup is None or not is_stored(source, set(), context.sql) or source.args.get("joins"):
        raise NotSupportedError(
            "UNPIVOT knows all columns of tables alone",
            hint="name them: ON a, b",
            position=position_of(on, context.sql),
        )
    catalog, schema, table = full_path(source, context)
    left_out = {folded(column.this) for column in star.args.get("except_") or []}
    found = context.lookup.columns((catalog, schema, table)) or []
    return [exp.column(exp.to_identifier(name, quoted=True)) for name in found if name not in left_out]
