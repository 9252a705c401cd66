"""Function calls, by the function table."""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from sqe.core.errors import SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.functions.table import PREFIX, function_table
from sqe.sql.parse import parse
from sqe.sql.rules.ordered_calls import ordered_template
from sqe.sql.rules.window_calls import window_template
from sqe.sql.tokens import CALL_MARK, QUOTED_CALL_MARK, tokenize
from sqe.sql.trees import call, cast, place_of, position_of, topmost

#: In a template: the call that is the aggregate, when it is not the outermost one.
_AGGREGATE = "agg_"
#: Functions over the elements of an array; Spark wants to know that NULL is one.
_OVER_ARRAYS = frozenset({"transform", "filter", "reduce", "any_match", "all_match", "none_match"})
#: Window functions that need an order in Spark.
_ORDERED = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"})


def translate_calls(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite every call, innermost first."""
    for node in reversed(list(tree.find_all(exp.Anonymous))):
        name = _name(node)
        if name is None or isinstance(node.parent, exp.Table):
            continue
        _refuse_owner(node, name, context)
        made = _translated(node, name, context)
        if made is not node and node is tree:
            tree = made
    return tree


def _refuse_owner(node: exp.Anonymous, name: str, context: Context) -> None:
    """`catalog.schema.f(x)`: functions belong to no catalog."""
    parent = node.parent
    if isinstance(parent, exp.Dot) and parent.expression is node:
        owner = ".".join(part.name for part in parent.this.find_all(exp.Identifier, bfs=False))
        raise SqlSemanticError(
            f"there is no function {owner}.{name}",
            hint="functions belong to no catalog or schema; SHOW FUNCTIONS lists what there is",
            position=position_of(node, context.sql),
            condition="UNRESOLVED_ROUTINE",
        )


def _name(node: exp.Anonymous) -> str | None:
    """The name that the user wrote, None for a call that is a translation already."""
    this = node.this
    written = str(this.this) if isinstance(this, exp.Identifier) else str(this)
    return written[1:].lower() if written.startswith((CALL_MARK, QUOTED_CALL_MARK)) else None


def _translated(node: exp.Anonymous, name: str, context: Context) -> exp.Expr:
    table = function_table()
    arguments, distinct, order = _arguments(node)
    if order is not None:
        ordered = ordered_template(node, name, arguments, order, distinct=distinct, context=context)
        if ordered is not None:
            return _by_template(node, ordered)
    if name in _ORDERED:
        _give_order(topmost(node))
    if distinct and name == "count" and isinstance(topmost(node), exp.Window):
        # Spark has no DISTINCT in windows.
        node.set("expressions", node.expressions[0].expressions)
        return _by_template(node, "bigint(size(agg_collect_set($1)))")
    takes_lambda = any(isinstance(argument, exp.Lambda) for argument in node.expressions)
    if takes_lambda:
        _prepare_lambda(node, name)
    template = window_template(node, name, context) or table.rewrite(name, len(arguments), takes_lambda=takes_lambda)
    if template is not None:
        return _by_template(node, template)
    if name in table.scalars:
        node.set("this", PREFIX + name)
    elif name in table.passed:
        node.set("this", name)
    else:
        raise _unknown(node, name, context)
    return node


def _unknown(node: exp.Anonymous, name: str, context: Context) -> SqlSemanticError:
    """There is no such function, or none with so many arguments."""
    table, position = function_table(), position_of(node, context.sql)
    counts = table.counts(name)
    if counts:
        known = " or ".join(str(count) for count in counts)
        return SqlSemanticError(
            f"the function {name} takes {known} argument{'' if counts == [1] else 's'}, not {len(_arguments(node)[0])}",
            position=position,
            condition="WRONG_NUM_ARGS",
        )
    near = table.nearest(name)
    return SqlSemanticError(
        f"there is no function {name}",
        hint=f"did you mean {near}?" if near else "SHOW FUNCTIONS lists what there is",
        position=position,
        condition="UNRESOLVED_ROUTINE",
    )


def _prepare_lambda(node: exp.Anonymous, name: str) -> None:
    first, last = node.expressions[0], node.expressions[-1]
    if name in _OVER_ARRAYS and isinstance(first, exp.Null):
        first.replace(cast(exp.Null(), "ARRAY<VOID>"))
    if name == "array_sort" and isinstance(last, exp.Lambda):
        last.set("this", call("sqe__ordering", last.this))


def _give_order(window: exp.Expr) -> None:
    """`row_number() OVER ()` counts in any order; Spark wants to be told one."""
    if isinstance(window, exp.Window) and not window.args.get("order") and not window.args.get("alias"):
        window.set("order", exp.Order(expressions=[exp.Ordered(this=exp.Literal.number(1))]))


def _by_template(node: exp.Anonymous, template: str) -> exp.Expr:
    arguments, distinct, _ = _arguments(node)
    made = _template(template).copy()
    top = topmost(node)
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
    order = arguments[-1] if arguments and isinstance(arguments[-1], exp.Order) else None
    if order is not None:
        arguments[-1] = order.this
    distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
    if distinct:
        arguments = list(arguments[0].expressions)
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
    for found in tree.find_all(exp.Anonymous):
        name = _name(found)
        if name is not None:
            found.set("this", name)
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


def _wrapped(node: exp.Expr, top: exp.Expr, inner: exp.Expr) -> exp.Expr:
    """A copy of what stands around `node`, around `inner` instead."""
    parent = node.parent
    if node is top or parent is None:
        return inner
    copy = parent.copy()
    copy.set("this", inner)
    return _wrapped(parent, top, copy)
