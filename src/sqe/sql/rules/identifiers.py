"""Unquoted names are lower case; all are quoted for Spark, and carry their place."""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.context import Context
from sqe.sql.tokens import CALL_MARK, QUOTED_CALL_MARK


def fold_identifiers(tree: exp.Expr, context: Context) -> exp.Expr:
    """Fold, quote and mark every name; literals are marked too."""
    mark = context.anchors.mark
    for node in tree.find_all(exp.Identifier, exp.Anonymous, exp.Literal):
        if isinstance(node, exp.Identifier):
            name = folded(node)
            node.set("this", mark(name, node.meta) if node.meta else name)
            node.set("quoted", True)
        elif isinstance(node, exp.Anonymous):
            node.set("this", mark(str(node.this), node.meta) if node.meta else node.this)
        elif node.meta:
            node.set("this", mark(node.this, node.meta))
    return tree


def folded(node: exp.Identifier) -> str:
    """The name that an identifier stands for."""
    name = str(node.this)
    if name.startswith(CALL_MARK):
        return name[1:].lower()
    if name.startswith(QUOTED_CALL_MARK):
        return name[1:]
    return name if node.args.get("quoted") else name.lower()
