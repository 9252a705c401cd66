"""Calls with a syntax of their own become ordinary ones: EXTRACT(year FROM x) is year(x)."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqe.core.errors import SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.tokens import CALL_MARK
from sqe.sql.trees import call, number, position_of, text, topmost

_FIELDS = {
    "year": "year", "quarter": "quarter", "month": "month", "week": "week", "day": "day", "day_of_month": "day",
    "day_of_week": "day_of_week", "dow": "day_of_week", "day_of_year": "day_of_year", "doy": "day_of_year",
    "year_of_week": "year_of_week", "yow": "year_of_week", "hour": "hour", "minute": "minute", "second": "second",
    "timezone_hour": "timezone_hour", "timezone_minute": "timezone_minute",
}  # fmt: skip


def translate_special_calls(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite from the leaves up."""
    for node in reversed(list(tree.find_all(*_TRANSLATIONS))):
        made = _TRANSLATIONS[type(node)](node, context)
        if node is tree:
            tree = made
        elif made is not node:
            node.replace(made)
    return tree


def marked(name: str, *arguments: exp.Expr | None, like: exp.Expr) -> exp.Anonymous:
    """A call as if the user had written it."""
    return call(CALL_MARK + name, *(argument for argument in arguments if argument is not None), like=like)


def _extract(node: exp.Expr, context: Context) -> exp.Expr:
    field = node.this.name.lower()
    if field not in _FIELDS:
        known = ", ".join(sorted(_FIELDS))
        raise SqlSyntaxError(
            f"there is no field {field} to extract", hint=f"known: {known}", position=position_of(node, context.sql)
        )
    return marked(_FIELDS[field], node.expression, like=node)


def _trim(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    where = str(node.args.get("position") or "").upper()
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(where, "trim")
    return marked(name, node.this, node.args.get("expression"), like=node)


def _position(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    return marked("strpos", node.this, node.args["substr"], like=node)


def _substring(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    start = node.args.get("start") or number(1)
    return marked("substr", node.this, start, node.args.get("length"), like=node)


def _overlay(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    return marked("overlay", node.this, node.expression, node.args["from_"], node.args.get("for_"), like=node)


def _normalize(node: exp.Expr, context: Context) -> exp.Expr:
    del context
    form = node.args.get("form")
    return marked("normalize", node.this, text(form.name.upper() if isinstance(form, exp.Expr) else "NFC"), like=node)


def _listagg(node: exp.Expr, context: Context) -> exp.Expr:
    """A text of more than a megabyte is an error, or is cut as ON OVERFLOW says."""
    del context
    overflow = node.args.get("on_overflow")
    separator = node.args.get("separator") or text("")
    top = topmost(node)
    if not isinstance(overflow, exp.OverflowTruncateBehavior) and _beside_distinct(node, top):
        made = _gathered_texts(node, top, separator)
    elif not isinstance(overflow, exp.OverflowTruncateBehavior):
        node.set("on_overflow", None)
        made = call("sqe__bounded", top.copy(), like=node)
    else:
        gathered = marked("array_agg", node.this.copy(), like=node)
        around: exp.Expr = gathered
        if top is not node:
            node.replace(gathered)
            around = top.copy()
        filler = overflow.this.copy() if overflow.this else text("...")
        counted = exp.Boolean(this=bool(overflow.args.get("with_count")))
        made = call("sqe__joined", around, separator.copy(), filler, counted, like=node)
    if top is node:
        return made
    top.replace(made)
    return node


def _beside_distinct(node: exp.Expr, top: exp.Expr) -> bool:
    """Whether another aggregate of the query is of distinct values: Spark cannot have both."""
    query = node.find_ancestor(exp.Select)
    own = node.find(exp.Distinct)
    if query is None or isinstance(top, exp.Window):
        return False
    return any(found is not own for found in query.find_all(exp.Distinct) if found is not query.args.get("distinct"))


def _gathered_texts(node: exp.Expr, top: exp.Expr, separator: exp.Expr) -> exp.Expr:
    """LISTAGG by an array of its texts that are not NULL."""
    value = node.this.this if isinstance(node.this, exp.Order) else node.this
    value = value.expressions[0] if isinstance(value, exp.Distinct) else value
    there: exp.Expr = exp.Not(this=exp.Is(this=exp.paren(value.copy()), expression=exp.Null()))
    if isinstance(top, exp.Filter):
        there = exp.And(this=exp.paren(top.expression.this.copy()), expression=there)
    texts = exp.Filter(this=marked("array_agg", node.this.copy(), like=node), expression=exp.Where(this=there))
    return call("sqe__bounded", call("array_join", texts, separator.copy()), like=node)


def _like(node: exp.Expr, context: Context) -> exp.Expr:
    """A backslash escapes nothing unless ESCAPE says so; to Spark it always does."""
    del context
    pattern = node.expression
    if isinstance(node.parent, exp.Escape):
        return node
    if isinstance(pattern, exp.Literal):
        node.set("expression", text(pattern.name.replace("\\", "\\\\")))
    else:
        node.set("expression", call("replace", pattern, text("\\"), text("\\\\")))
    return node


_TRANSLATIONS: dict[type[exp.Expr], Callable[[exp.Expr, Context], exp.Expr]] = {
    exp.Extract: _extract,
    exp.Trim: _trim,
    exp.StrPosition: _position,
    exp.Substring: _substring,
    exp.Overlay: _overlay,
    exp.Normalize: _normalize,
    exp.GroupConcat: _listagg,
    exp.Like: _like,
}
