"""UPDATE … FROM and DELETE … USING, which are a MERGE in Spark; MERGE … INSERT without a list of columns."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotFoundError, NotSupportedError, SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.metadata_tables import full_path
from sqe.sql.trees import position_of

_BRANCH = "$branch_"


def translate_changes(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite a change of one table by another one."""
    if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Directory):
        raise NotSupportedError("INSERT goes into tables", hint="COPY (query) TO 'file' writes files")
    if isinstance(tree, exp.Merge):
        _name_columns(tree, context)
    if isinstance(tree, exp.Update) and tree.args.get("from_"):
        sources = [tree.args["from_"].this]
        then: exp.Expr = exp.Update(expressions=tree.expressions)
    elif isinstance(tree, exp.Delete) and tree.args.get("using"):
        sources = list(tree.args["using"])
        then = exp.Var(this="DELETE")
    else:
        return tree
    if len(sources) != 1 or sources[0].args.get("joins"):
        raise NotSupportedError(
            "a change takes its values from one relation",
            hint="put the join into a subquery: FROM (SELECT …) AS s",
            position=position_of(sources[-1], context.sql),
        )
    where = tree.args.get("where")
    when = exp.When(matched=True, source=False, then=then)
    return exp.Merge(
        this=tree.this,
        using=sources[0],
        on=where.this if where else exp.Boolean(this=True),
        whens=exp.Whens(expressions=[when]),
    )


def _name_columns(merge: exp.Merge, context: Context) -> None:
    """`INSERT VALUES (…)` is for all columns of the target in their order; Spark wants to have them named."""
    for when in merge.args["whens"].expressions:
        insert = when.args.get("then")
        values = insert.expression if isinstance(insert, exp.Insert) and insert.this is None else None
        if isinstance(values, exp.Tuple):
            columns = _columns_of(merge.this, context)
            if len(columns) != len(values.expressions):
                raise SqlSemanticError(
                    f"INSERT has {len(values.expressions)} values, but the table has {len(columns)} columns",
                    hint=f"they are {', '.join(columns)}",
                    position=position_of(values, context.sql),
                )
            names: list[exp.Expr] = [exp.to_identifier(name, quoted=True) for name in columns]
            insert.set("this", exp.Tuple(expressions=names))


def _columns_of(target: exp.Table, context: Context) -> list[str]:
    catalog, schema, name = full_path(target, context)
    place = position_of(target, context.sql)
    if context.lookup is None:
        raise NotSupportedError("INSERT needs a list of columns here", position=place)
    found = context.lookup.columns((catalog, schema, name.partition(_BRANCH)[0]))
    if found is None:
        raise NotFoundError(
            f"there is no table {catalog}.{schema}.{name}", position=place, condition="TABLE_OR_VIEW_NOT_FOUND"
        )
    return list(found)
