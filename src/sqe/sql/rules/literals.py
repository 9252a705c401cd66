"""Literals with a type in front: DATE '…', TIMESTAMP '…', DECIMAL '…', intervals, and the time of day now."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from sqe.core.errors import NotSupportedError, SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.moments import zoned
from sqe.sql.trees import call, cast, number, position_of, raw_type, text

#: Spark's times have so many digits of a second.
MOST_DIGITS = 6
#: What stands before a literal with a type, and the digits of a second that are too many.
_TYPE_BEFORE = re.compile(
    r"(?:\bTIME|\bTIMESTAMP|\bTIMESTAMPTZ|\bDATETIME|\bZONE)\s*(?:\(\s*\d+\s*\)\s*)?\Z", re.IGNORECASE
)
_FURTHER_DIGITS = re.compile(rf":\d+\.\d{{{MOST_DIGITS}}}(\d+)")


def translate_literals(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite literals that Spark writes differently."""
    for node in list(tree.find_all(*_TRANSLATIONS)):
        if isinstance(node, exp.Cast):
            _refuse_digits(node, context)
        translation = _TRANSLATIONS.get(type(node))
        made = translation(node) if translation else node
        if node is tree:
            tree = made
        elif made is not node:
            node.replace(made)
    return tree


def _refuse_digits(node: exp.Cast, context: Context) -> None:
    """`TIMESTAMP '… .1234567'`: a literal says what it means, so nothing of it is cut. A CAST of a text may be."""
    value = node.this
    if not isinstance(value, exp.Literal) or not value.is_string or "start" not in value.meta:
        return
    further = _FURTHER_DIGITS.search(value.this)
    if further and further[1].strip("0") and _TYPE_BEFORE.search(context.sql[: value.meta["start"]][-60:]):
        raise NotSupportedError(
            f"times have at most {MOST_DIGITS} digits of a second",
            hint="a CAST of a text takes further ones and drops them",
            position=position_of(value, context.sql),
        )


def _typed(node: exp.Expr) -> exp.Expr:
    """`DECIMAL '1.23'` has just the digits it shows; a timestamp with a zone is an instant."""
    value = node.this
    kind = node.args["to"]
    if not isinstance(value, exp.Literal) or not value.is_string:
        return value if kind.this is exp.DType.DECIMAL and _has_suffix(value) else node
    if kind.this is exp.DType.TIMESTAMPTZ:
        found = zoned(value.this)
        if found is None:
            return node
        moment, zone = found
        return call("sqe_at_timezone", cast(text(moment), "TIMESTAMP_LTZ"), text(zone), like=node)
    if kind.this is exp.DType.DECIMAL and not kind.expressions:
        digits = re.sub(r"[^0-9.]", "", value.this)
        whole, _, fraction = digits.partition(".")
        size = max(1, len(whole.lstrip("0")) + len(fraction))
        node.set("to", raw_type(f"DECIMAL({max(size, len(fraction))}, {len(fraction)})"))
    return node


def _has_suffix(value: exp.Expr) -> bool:
    """Whether a number was written as `1.5BD`: then it is an exact decimal already."""
    place = value.meta
    return "start" in place and place["end"] - place["start"] + 1 > len(str(value.this))


def _interval(node: exp.Expr) -> exp.Expr:
    """`INTERVAL 30 days` and `INTERVAL '30' days` are written with a singular unit."""
    unit = node.args.get("unit")
    if isinstance(unit, exp.Var):
        node.set("unit", exp.Var(this=unit.name.upper().removesuffix("S")))
    return node


def _bytes(node: exp.Expr) -> exp.Expr:
    if len(str(node.this)) % 2:
        raise SqlSyntaxError("a literal of bytes has two digits for each of them")
    return node


#: Words of the standard that stand for calls.
_WORDS = {"current_schema": "current_schema", "session_user": "session_user", "current_role": "sqe_current_role"}


def _word(node: exp.Expr) -> exp.Expr:
    """Words without brackets that the parser takes for columns."""
    if node.args.get("table") is not None or not isinstance(node.this, exp.Identifier) or node.this.quoted:
        return node
    name = node.name.lower()
    if name in _WORDS:
        made = call(_WORDS[name], like=node)
        # A column would have had its name from the word.
        return exp.alias_(made, name, quoted=True) if isinstance(node.parent, exp.Select) else made
    return cast(text(""), "STRING") if name == "current_path" else node


def _condition(node: exp.Expr) -> exp.Expr:
    """`WHEN NULL`: Spark wants to know that it is a boolean."""
    if isinstance(node.this, exp.Null) and not (isinstance(node.parent, exp.Case) and node.parent.this):
        node.set("this", cast(exp.Null(), "BOOLEAN"))
    return node


def _clock(name: str) -> Callable[[exp.Expr], exp.Expr]:
    """The time now, with as many digits of a second as are asked for: `current_timestamp(0)`."""

    def made(node: exp.Expr) -> exp.Expr:
        found = call(name, like=node)
        digits = node.this
        if not isinstance(digits, exp.Literal) or digits.is_string:
            return found
        return call("sqe__digits", found, number(min(int(digits.name), MOST_DIGITS)), like=node)

    return made


_TRANSLATIONS: dict[type[exp.Expr], Callable[[exp.Expr], exp.Expr]] = {
    exp.Cast: _typed,
    exp.Interval: _interval,
    exp.Column: _word,
    exp.HexString: _bytes,
    exp.If: _condition,
    exp.CurrentTimestamp: _clock("current_timestamp"),
    exp.CurrentDate: lambda node: call("current_date", like=node),
    exp.CurrentTime: _clock("current_time"),
    exp.Localtime: _clock("current_time"),
    exp.Localtimestamp: _clock("localtimestamp"),
    exp.CurrentUser: lambda node: call("current_user", like=node),
    exp.CurrentCatalog: lambda node: call("current_catalog", like=node),
    exp.CurrentSchema: lambda node: call("current_schema", like=node),
    exp.ParseJSON: lambda node: call("sqe_json_parse", node.this, like=node),
    exp.UnicodeString: lambda node: cast(text(_unicode(node.this, node.args.get("escape"))), "STRING"),
}


def _unicode(value: str, escape: exp.Expr | None) -> str:
    r"""`U&'\0041\+01F600'`, or with another sign for the backslash."""
    sign = re.escape(escape.name if isinstance(escape, exp.Expr) else "\\")
    found = re.compile(rf"{sign}(?:({sign})|([0-9A-Fa-f]{{4}})|\+([0-9A-Fa-f]{{6}}))")
    return found.sub(lambda one: one.group(1) or chr(int(one.group(2) or one.group(3), 16)), value)
