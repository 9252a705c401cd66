"""UPDATE … FROM and DELETE … USING: Spark has neither, and both are a MERGE."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.trees import position_of


def translate_changes(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite a change of one table by another one."""
    if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Directory):
        raise NotSupportedError("INSERT goes into tables", hint="COPY (query) TO 'file' writes files")
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
