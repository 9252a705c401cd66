"""DEFAULT of a column: a literal."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.dialect import WRITE
from sqe.sql.parse import parse
from sqe.sql.rules import RULES
from sqe.sql.statements.cursor import Cursor
from sqe.sql.tokens import position_of, tokenize


def default_query(tokens: Sequence[Token], cursor: Cursor) -> str:
    """A query of Spark's whose one value is the default."""
    if not tokens:
        raise cursor.error("a value is expected")
    sql = f"SELECT {cursor.written(tokens)} AS v"
    inner = Context(sql)
    tree = parse(tokenize(sql), sql)
    value = tree.expressions[0].this if len(tree.expressions) == 1 else None
    if not _is_literal(value):
        raise NotSupportedError("the default of a column is a literal", position=position_of(tokens[0]))
    for rule in RULES:
        tree = rule(tree, inner)
    return inner.anchors.taken_out(WRITE.generate(tree, copy=False, normalize_functions=False))[0]


def _is_literal(value: exp.Expr | None) -> bool:
    if isinstance(value, exp.Neg | exp.Paren | exp.Cast):
        return _is_literal(value.this)
    return isinstance(value, exp.Literal | exp.Boolean | exp.Null | exp.HexString)
