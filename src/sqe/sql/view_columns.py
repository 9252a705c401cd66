"""The columns of a view are those that it has when it is made, found by their names ever after.

A star in its text would mean other columns as soon as a table gets a new one or has them in another order, and the
engine gives the columns of a view their names by their places. So the names stand around every such query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.trees import position_of

#: Answers the names of the columns of a query of Spark's.
Columns = Callable[[exp.Expr], Sequence[str]]


def bind_by_name(tree: exp.Expr, context: Context, columns: Columns) -> exp.Expr:
    """Write the names around each query of a translated view that shows columns by a star."""
    _refuse_passing(context)
    for query in list(_shown(tree)):
        names = columns(_alone(query, tree))
        if len({name.lower() for name in names}) < len(names):
            raise NotSupportedError(
                "a view cannot show columns of one name by a star",
                hint="write the columns, each with a name of its own",
                position=position_of(query, context.sql),
            )
        made = _around(query, names)
        if query is tree:
            return made
        query.replace(made)
    return tree


def _refuse_passing(context: Context) -> None:
    """What the view would not find any more when it is read."""
    if context.secrets:
        raise NotSupportedError("a view cannot keep credentials", hint="CREATE TABLE … AS keeps the rows instead")
    if context.of_this_moment:
        raise NotSupportedError("a view cannot find out the values of PIVOT", hint="name them: ON column IN (…)")
    if context.virtual:
        raise NotSupportedError(f"a view cannot read {context.virtual[0].name}, which is filled for each statement")
    if context.relative_files and context.for_view == "stored":
        raise NotSupportedError("a view cannot keep relative paths", hint="write the whole path of the file")


def _shown(query: exp.Expr) -> list[exp.Expr]:
    """The queries whose rows are those of the view and that have a star: both sides of a UNION may be some."""
    if isinstance(query, exp.SetOperation):
        return [*_shown(query.this), *_shown(query.expression)]
    if isinstance(query, exp.Subquery):
        return _shown(query.this)
    return [query] if isinstance(query, exp.Select) and any(item.is_star for item in query.expressions) else []


def _alone(query: exp.Expr, tree: exp.Expr) -> exp.Expr:
    """The query with the names that WITH gives around it."""
    copy = query.copy()
    above = query.parent
    while above is not None and query is not tree:
        outer = above.args.get("with_")
        if outer is not None:
            copy = exp.Select(expressions=[exp.Star()]).from_(exp.Subquery(this=copy, alias=_alias()))
            copy.set("with_", outer.copy())
        above = None if above is tree else above.parent
    return copy


def _around(query: exp.Expr, names: Sequence[str]) -> exp.Select:
    shown = [exp.column(exp.to_identifier(name, quoted=True)) for name in names]
    return exp.Select(expressions=shown).from_(exp.Subquery(this=query.copy(), alias=_alias()))


def _alias() -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier("_sqe_view", quoted=True))
