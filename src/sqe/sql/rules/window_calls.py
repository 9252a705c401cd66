"""Window functions with numbers that Spark takes as constants only: lead, lag, nth_value, ntile."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.trees import call, number, position_of, text, topmost

#: Where the number stands among the arguments.
_NUMBERS = {"lead": 1, "lag": 1, "nth_value": 1, "ntile": 0}
_UP_TO_HERE = {"kind": "ROWS", "start": "UNBOUNDED", "start_side": "PRECEDING", "end": "CURRENT ROW"}


def window_template(node: exp.Anonymous, name: str, context: Context) -> str | None:
    """A template for a call whose number is no plain constant; the arguments may be changed to fit it."""
    place = _NUMBERS.get(name)
    window = topmost(node)
    if place is None or place >= len(node.expressions) or not isinstance(window, exp.Window):
        return None
    count = node.expressions[place]
    below = isinstance(count, exp.Neg) and isinstance(count.this, exp.Literal)
    if name in {"lead", "lag"} and (below or isinstance(count, exp.Null)):
        raise SqlSemanticError(
            f"the offset in {name} must be at least 0, and not NULL", position=position_of(count, context.sql)
        )
    # NULLs that are skipped cannot be counted by place.
    if not isinstance(node.parent, exp.Window):
        return None
    if isinstance(count, exp.Null):
        return f"IF(false, {'bigint(agg_row_number())' if name == 'ntile' else 'agg_any_value($1)'}, NULL)"
    return None if count.find(exp.Column, exp.Query) is None else _by_rows(node, name, _whole(window))


def _by_rows(node: exp.Anonymous, name: str, window: exp.Window) -> str:
    """By the rows of the window as an array, or by the place of a row and the number of them."""
    if name == "nth_value":
        return "sqe__nth(agg_collect_list(named_struct('v', $1)), $2)"
    if name == "ntile":
        return _with(node, "sqe__tile($1, $2, $3)", _place(window), _count(window))
    default = [argument.copy() for argument in node.expressions[2:3]]
    found = _before(node, window, backwards=name == "lead")
    node.set("expressions", [])
    return _with(node, f"sqe__found($1{', $2' if default else ''})", found, *default)


def _with(node: exp.Anonymous, template: str, *more: exp.Expr) -> str:
    """The window around the call is not needed: what is counted in it has windows of its own."""
    node.set("expressions", [*node.expressions, *more])
    topmost(node).replace(node)
    return template


def _whole(window: exp.Window) -> exp.Window:
    """`OVER w` with all that `w` says."""
    name, select = window.args.get("alias"), window.find_ancestor(exp.Select)
    made = window.copy()
    if name is None or select is None:
        return made
    for known in select.args.get("windows") or []:
        if known.name.lower() == name.name.lower():
            for part in ("partition_by", "order"):
                if known.args.get(part) and not made.args.get(part):
                    made.set(part, known.copy().args[part])
            made.set("alias", None)
    return made


def _place(window: exp.Window) -> exp.Expr:
    return _over(window, call("row_number"))


def _count(window: exp.Window) -> exp.Expr:
    made = _over(window, call("count", number(1)))
    made.set("order", None)
    return made


def _before(node: exp.Anonymous, window: exp.Window, *, backwards: bool) -> exp.Expr:
    """The row so many rows before; a row after is one before in the other order."""
    row = call("named_struct", text("v"), node.expressions[0].copy())
    made = _over(window, call("sqe__row_before", row, call("bigint", node.expressions[1].copy())))
    made.set("spec", exp.WindowSpec(**_UP_TO_HERE))
    order = made.args.get("order")
    for key in order.expressions if backwards and order is not None else []:
        first = bool(key.args.get("nulls_first"))
        key.set("desc", not key.args.get("desc"))
        key.set("nulls_first", not first)
    return made


def _over(window: exp.Window, inner: exp.Expr) -> exp.Window:
    made = window.copy()
    made.set("this", inner)
    made.set("spec", None)
    return made
