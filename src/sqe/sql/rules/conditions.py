"""What stands after WHERE, ON and HAVING is a boolean; Spark's own error about it points at the whole query."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.trees import call, cast, position_of

#: What need not be a boolean; all else that can stand there is one.
_DOUBTFUL = (exp.Column, exp.Anonymous, exp.Binary, exp.Neg, exp.Case, exp.Cast)
_CONNECTIVES = (exp.Connector, exp.Predicate)


def translate_conditions(tree: exp.Expr, context: Context) -> exp.Expr:
    """Let the conditions that need it be looked at."""
    for clause in tree.find_all(exp.Where, exp.Having):
        if not isinstance(clause.parent, exp.Filter):
            _condition(clause.this, type(clause).__name__.upper(), context)
    for join in tree.find_all(exp.Join):
        if join.args.get("on") is not None:
            _condition(join.args["on"], "ON", context)
    return tree


def _condition(written: exp.Expr, clause: str, context: Context) -> None:
    bare = written.unnest()
    if isinstance(bare, exp.Null):
        written.replace(cast(exp.Null(), "BOOLEAN"))
    elif isinstance(bare, exp.Literal):
        kind = "varchar" if bare.is_string else "a number"
        raise SqlSemanticError(
            f"{clause} clause must evaluate to a boolean: it is {kind}", position=position_of(bare, context.sql)
        )
    elif clause != "HAVING" and isinstance(bare, _DOUBTFUL) and not isinstance(bare, _CONNECTIVES):
        written.replace(call("sqe__condition", written.copy(), like=bare))
