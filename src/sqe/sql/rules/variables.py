"""`@x` and `@@x`: there are no variables."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import NotSupportedError, Position
from sqe.sql.context import Context
from sqe.sql.tokens import position_of, tokenize


def refuse_variables(tree: exp.Expr, context: Context) -> exp.Expr:
    """Raise for a variable of a session or a server."""
    found = tree.find(exp.Parameter, exp.SessionParameter)
    if found is not None:
        raise NotSupportedError(
            "there are no variables",
            hint="SELECT version() and SHOW SESSION tell of the engine",
            position=_sign(context),
        )
    return tree


def _sign(context: Context) -> Position | None:
    """The first sign of a variable: before that of a branch, `t@b`, stands a name."""
    for token in tokenize(context.sql):
        before = context.sql[token.start - 1 : token.start]
        if token.token_type is TokenType.PARAMETER and not (before.isalnum() or before in set('"`_')):
            return position_of(token)
    return None
