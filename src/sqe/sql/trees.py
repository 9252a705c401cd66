"""Small helpers on syntax trees."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sqe.core.errors import Position

#: What may stand around the call of an aggregate and belongs to it.
WRAPPERS = (exp.Filter, exp.Window, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def call(name: str, *arguments: exp.Expr, like: exp.Expr | None = None) -> exp.Anonymous:
    """A call that the generator writes as it is; it stands where `like` stood in the user's text."""
    node = exp.Anonymous(this=name, expressions=list(arguments))
    if like is not None:
        node.meta.update(place_of(like))
    return node


def text(value: str) -> exp.Literal:
    """A string literal."""
    return exp.Literal.string(value)


def number(value: int) -> exp.Expr:
    """A number."""
    return exp.Literal.number(value)


def raw_type(name: str) -> exp.DataType:
    """A type of Spark's, written as it is."""
    return exp.DataType(this=exp.DType.USERDEFINED, kind=name)


def cast(value: exp.Expr, to: str) -> exp.Cast:
    """A cast to a type of Spark's."""
    return exp.Cast(this=value, to=raw_type(to))


def topmost(node: exp.Expr) -> exp.Expr:
    """A call with everything that belongs to it: FILTER, OVER, WITHIN GROUP."""
    top = node
    while isinstance(top.parent, WRAPPERS) and top.parent.this is top:
        top = top.parent
    return top


def place_of(node: exp.Expr) -> dict[str, Any]:
    """Start and end of a node in the user's text, as far as the parser noted them."""
    if "start" in node.meta:
        return {key: node.meta[key] for key in ("line", "col", "start", "end") if key in node.meta}
    for below in node.walk():
        if "start" in below.meta:
            return place_of(below)
    return {}


def position_of(node: exp.Expr, sql: str) -> Position | None:
    """Where a node stands, for an error."""
    place = place_of(node)
    return Position.of_offset(sql, place["start"], place["end"]) if place else None
