"""Function calls, by the function table."""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from sqe.core.errors import SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.functions.table import PREFIX, function_table
from sqe.sql.parse import parse
from sqe.sql.tokens import CALL_MARK, QUOTED_CALL_MARK, tokenize
from sqe.sql.trees import place_of, position_of

#: What may stand around the call of an aggregate and belongs to it.
_WRAPPERS = (exp.Filter, exp.Window, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
#: In a template: the call that is the aggregate, when it is not the outermost one.
_AGGREGATE = "agg_"


def translate_calls(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite every call, innermost first."""
    for node in reversed(list(tree.find_all(exp.Anonymous))):
        name = _name(node)
        if name is None or isinstance(node.parent, exp.Table):
            continue
        made = _translated(node, name, context)
        if made is not node and node is tree:
            tree = made
    return tree


def _name(node: exp.Anonymous) -> str | None:
    """The name that the user wrote, None for a call that is a translation already."""
    this = node.this
    written = str(this.this) if isinstance(this, exp.Identifier) else str(this)
    return written[1:].lower() if written.startswith((CALL_MARK, QUOTED_CALL_MARK)) else None


def _translated(node: exp.Anonymous, name: str, context: Context) -> exp.Expr:
    table = function_table()
    takes_lambda = any(isinstance(argument, exp.Lambda) for argument in node.expressions)
    template = table.rewrite(name, len(node.expressions), takes_lambda=takes_lambda)
    if template is not None:
        return _by_template(node, template)
    if name in table.scalars:
        node.set("this", PREFIX + name)
    elif name in table.passed:
        node.set("this", name)
    else:
        near = table.nearest(name)
        raise SqlSemanticError(
            f"there is no function {name}",
            hint=f"did you mean {near}?" if near else "SHOW FUNCTIONS lists what there is",
            position=position_of(node, context.sql),
            condition="UNRESOLVED_ROUTINE",
        )
    return node


def _by_template(node: exp.Anonymous, template: str) -> exp.Expr:
    arguments, distinct, _ = _arguments(node)
    made = _template(template).copy()
    top = _topmost(node)
    calls = [found for found in made.find_all(exp.Anonymous) if str(found.this).startswith(_AGGREGATE)]
    whole = len(calls) == 0
    for found in [made] if whole and isinstance(made, exp.Anonymous) else calls:
        found.set("this", str(found.this).removeprefix(_AGGREGATE))
        found.meta.update(place_of(node))
        if distinct:
            found.set("expressions", [exp.Distinct(expressions=found.expressions)])
    made = _filled(made, arguments)
    if whole or top is node:
        node.replace(made)
        return made
    for found in calls:
        found.replace(_wrapped(node, top, found.copy()))
    top.replace(made)
    return made


def _arguments(node: exp.Anonymous) -> tuple[list[exp.Expr], bool, exp.Order | None]:
    """The plain arguments, whether DISTINCT stood before them, and an ORDER BY after them."""
    arguments = list(node.expressions)
    distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
    if distinct:
        arguments = list(arguments[0].expressions)
    order = arguments[-1] if arguments and isinstance(arguments[-1], exp.Order) else None
    if order is not None:
        arguments[-1] = order.this
    return arguments, distinct, order


def _filled(made: exp.Expr, arguments: list[exp.Expr]) -> exp.Expr:
    for hole in list(made.find_all(exp.Column)):
        name = hole.name
        if not name.startswith("$"):
            continue
        if name == "$*":
            if hole.parent is not None:
                hole.parent.set("expressions", [argument.copy() for argument in arguments])
            continue
        number = int(name[1:]) - 1
        filling = arguments[number].copy() if number < len(arguments) else exp.Null()
        if isinstance(filling, exp.Binary | exp.Case | exp.Not) and isinstance(hole.parent, exp.Binary | exp.Unary):
            filling = exp.Paren(this=filling)
        if hole is made:
            return filling
        hole.replace(filling)
    return made


@cache
def _template(text: str) -> exp.Expr:
    """A template as a tree: calls in it are Spark's, `$1` is a column until it is filled."""
    sql = "SELECT " + _quoted_holes(text)
    tree: exp.Expr = parse(tokenize(sql), sql).expressions[0]
    for call in tree.find_all(exp.Anonymous):
        name = _name(call)
        if name is not None:
            call.set("this", name)
    for node in tree.walk():
        node.meta.clear()
    tree.pop()
    return tree


def _quoted_holes(text: str) -> str:
    pieces = text.split("$")
    quoted = [pieces[0]]
    for piece in pieces[1:]:
        digits = len(piece) - len(piece.lstrip("0123456789*"))
        quoted.append(f'"${piece[:digits]}"{piece[digits:]}')
    return "".join(quoted)


def _topmost(node: exp.Expr) -> exp.Expr:
    """The call with everything that belongs to it: FILTER, OVER, WITHIN GROUP."""
    top = node
    while isinstance(top.parent, _WRAPPERS) and top.parent.this is top:
        top = top.parent
    return top


def _wrapped(node: exp.Expr, top: exp.Expr, inner: exp.Expr) -> exp.Expr:
    """A copy of what stands around `node`, around `inner` instead."""
    parent = node.parent
    if node is top or parent is None:
        return inner
    copy = parent.copy()
    copy.set("this", inner)
    return _wrapped(parent, top, copy)
