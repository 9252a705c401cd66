"""Trino's type signatures as Arrow types, for a client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from sqe.core.errors import ExternalError

_SIMPLE: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "real": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "varbinary": pa.binary(),
    "interval day to second": pa.duration("ms"),
    "unknown": pa.null(),
}
#: A type is not nested deeper; one that is was made to hurt.
_DEEPEST = 60
#: Digits of a second that Arrow's units have room for.
_UNITS: tuple[tuple[int, str], ...] = ((0, "s"), (3, "ms"), (6, "us"), (9, "ns"))


def schema_of(columns: object) -> pa.Schema:
    """The schema of a result's columns. Raises `ExternalError` for what is no list of columns."""
    if not isinstance(columns, list):
        raise not_understood("its columns")
    return pa.schema([_field(column) for column in columns])


def not_understood(what: str) -> ExternalError:
    """The server says something that the protocol does not have."""
    return ExternalError(f"the server's answer is not understood: {what}", hint="is it a Trino or an SQE server?")


def arrow_type(signature: object, depth: int = 0) -> pa.DataType:
    """The Arrow type of a signature; what Arrow has no type for stays text."""
    if not isinstance(signature, Mapping) or depth > _DEEPEST:
        raise not_understood("a type")
    raw, arguments = signature.get("rawType"), signature.get("arguments", [])
    if not isinstance(raw, str) or not isinstance(arguments, list):
        raise not_understood("a type")
    simple = _SIMPLE.get(raw)
    if simple is not None:
        return simple
    if raw in {"array", "map", "row"}:
        return _nested(raw, arguments, depth + 1)
    return _with_numbers(raw, [value for value in map(_value, arguments) if isinstance(value, int)])


def _field(column: object) -> pa.Field[Any]:
    name = column.get("name") if isinstance(column, Mapping) else None
    if not isinstance(column, Mapping) or not isinstance(name, str):
        raise not_understood("a column")
    return pa.field(name, arrow_type(column.get("typeSignature")))


def _with_numbers(raw: str, numbers: Sequence[int]) -> pa.DataType:
    if raw == "decimal" and len(numbers) == 2 and 0 <= numbers[1] <= numbers[0] and 0 < numbers[0] <= 76:
        return pa.decimal128(*numbers) if numbers[0] <= 38 else pa.decimal256(*numbers)
    unit: Any = _unit(numbers[0] if numbers else 3)
    if unit is not None and raw == "timestamp":
        return pa.timestamp(unit)
    if unit is not None and raw == "timestamp with time zone":
        return pa.timestamp(unit, "UTC")
    if unit is not None and raw == "time":
        return pa.time32(unit) if unit in {"s", "ms"} else pa.time64(unit)
    return pa.string()


def _nested(raw: str, arguments: Sequence[object], depth: int) -> pa.DataType:
    values = [_value(argument) for argument in arguments]
    if raw == "array" and len(values) == 1:
        return pa.list_(arrow_type(values[0], depth))
    if raw == "map" and len(values) == 2:
        return pa.map_(arrow_type(values[0], depth), arrow_type(values[1], depth))
    if raw == "row":
        return pa.struct([_row_field(index, value, depth) for index, value in enumerate(values)])
    raise not_understood("a type")


def _row_field(index: int, value: object, depth: int) -> pa.Field[Any]:
    if not isinstance(value, Mapping):
        raise not_understood("a type")
    named = value.get("fieldName")
    name = named.get("name") if isinstance(named, Mapping) else None
    # A field without a name gets the one that the engine has for it.
    return pa.field(name if isinstance(name, str) else f"field{index}", arrow_type(value.get("typeSignature"), depth))


def _value(argument: object) -> object:
    if not isinstance(argument, Mapping):
        raise not_understood("a type")
    return argument.get("value")


def _unit(digits: int) -> str | None:
    return next((unit for most, unit in _UNITS if digits <= most), None)
