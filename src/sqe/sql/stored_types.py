"""Types that columns of tables cannot have: refused, since another type in their place would lose something."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError, Position

_D = exp.DType
_MOST_DIGITS = 6
_TIMES = frozenset({_D.TIME, _D.TIMETZ})
_TIMESTAMPS = frozenset({_D.TIMESTAMP, _D.TIMESTAMPTZ, _D.TIMESTAMPLTZ, _D.TIMESTAMPNTZ})
#: Names that the parser does not know as types, and what to do instead.
_UNKNOWN = {
    "timestamp_ns": "use timestamp(6): a second has six digits here",
    "timestamptz_ns": "use timestamp(6) with time zone: a second has six digits here",
    "geometry": "keep well-known binary in a varbinary",
    "geography": "keep well-known binary in a varbinary",
    "sphericalgeography": "keep well-known binary in a varbinary",
    "hyperloglog": "keep it in a varbinary",
    "qdigest": "keep it in a varbinary",
    "tdigest": "keep it in a varbinary",
    "setdigest": "keep it in a varbinary",
    "p4hyperloglog": "keep it in a varbinary",
    "color": "keep it in a varchar",
    "hugeint": "use decimal(38, 0)",
}


def refuse_unstorable(kind: exp.DataType, position: Position | None) -> None:
    """Raise for a type that Iceberg's tables in Spark cannot hold, at any depth."""
    for inner in kind.find_all(exp.DataType):
        this = inner.this
        if this in _TIMES:
            raise _refusal(inner, "use varchar, or a timestamp(6) on some day", position)
        if isinstance(this, exp.Interval) or this is _D.INTERVAL:
            raise _refusal(inner, "keep the number of seconds or months in a bigint", position)
        if this in _TIMESTAMPS and _digits(inner) > _MOST_DIGITS:
            zone = "" if this in {_D.TIMESTAMP, _D.TIMESTAMPNTZ} else " with time zone"
            raise _refusal(inner, f"use timestamp(6){zone}: a second has six digits here", position)


def refuse_unknown(written: str, position: Position | None) -> None:
    """Raise for a type that exists elsewhere, by its name."""
    name = written.strip().lower().partition("(")[0].strip()
    if name in _UNKNOWN:
        raise NotSupportedError(f"columns cannot have the type {name}", hint=_UNKNOWN[name], position=position)


def _refusal(kind: exp.DataType, hint: str, position: Position | None) -> NotSupportedError:
    return NotSupportedError(
        f"columns cannot have the type {kind.sql(dialect='trino').lower()}", hint=hint, position=position
    )


def _digits(kind: exp.DataType) -> int:
    parameters = [part.name for part in kind.expressions if isinstance(part, exp.DataTypeParam)]
    return int(parameters[0]) if parameters and parameters[0].isdigit() else 0
