"""Arrow's types in Trino's words: a name for people, a signature for clients."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqe.query.columns import is_binary, is_list

#: What Trino calls a text without a limit.
_UNBOUNDED = 2_147_483_647
#: The engine's times of day have no more digits of a second, whatever Arrow has room for.
TIME_DIGITS = 6
#: Digits of a second by Arrow's unit.
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*\Z")


Check = Callable[[pa.DataType], bool]

_SIMPLE: tuple[tuple[Check, str], ...] = (
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_int8, "tinyint"),
    (pa.types.is_int16, "smallint"),
    (pa.types.is_uint8, "smallint"),
    (pa.types.is_int32, "integer"),
    (pa.types.is_uint16, "integer"),
    (pa.types.is_int64, "bigint"),
    (pa.types.is_uint32, "bigint"),
    (pa.types.is_float16, "real"),
    (pa.types.is_float32, "real"),
    (pa.types.is_float64, "double"),
    (pa.types.is_date, "date"),
    (pa.types.is_duration, "interval day to second"),
    (pa.types.is_null, "unknown"),
    (is_binary, "varbinary"),
)


@dataclass(frozen=True)
class TrinoType:
    """A type: `name` as SQL writes it, and the two parts of its signature."""

    name: str
    raw: str
    arguments: tuple[dict[str, Any], ...] = ()

    @property
    def signature(self) -> dict[str, Any]:
        """The signature as clients read it."""
        return {"rawType": self.raw, "arguments": list(self.arguments)}


#: The engine's note about the type of a column that leaves as text.
_NOTE = b"sqe.type"
MONTHS = "interval year to month"


def columns_of(schema: pa.Schema) -> list[dict[str, Any]]:
    """The columns of a result as the protocol describes them."""
    return [column(field.name, _noted(field) or trino_type(field.type)) for field in schema]


def are_months(field: pa.Field[Any]) -> bool:
    """Whether a column of texts holds intervals of months."""
    return bool((field.metadata or {}).get(_NOTE) == MONTHS.encode())


def _noted(field: pa.Field[Any]) -> TrinoType | None:
    name = (field.metadata or {}).get(_NOTE, b"").decode()
    return TrinoType(name, name) if name in {MONTHS, "json"} else None


def column(name: str, kind: TrinoType) -> dict[str, Any]:
    """One column."""
    return {"name": name, "type": kind.name, "typeSignature": kind.signature}


def trino_type(kind: pa.DataType) -> TrinoType:
    """Trino's type of an Arrow type; what it has no type for is sent as varchar."""
    kind = storage_type(kind)
    for matches, name in _SIMPLE:
        if matches(kind):
            return TrinoType(name, name)
    if pa.types.is_uint64(kind):
        # No whole number of Trino's holds all of them; cut ones would be wrong ones.
        return _decimal(20, 0)
    if pa.types.is_decimal(kind):
        return _decimal(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return _precise("timestamp", _DIGITS[kind.unit], " with time zone" if kind.tz else "")
    if pa.types.is_time(kind):
        return _precise("time", min(_DIGITS[kind.unit], TIME_DIGITS))
    return _nested(kind) or TrinoType("varchar", "varchar", (_long(_UNBOUNDED),))


def storage_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values themselves, without encodings that only save space."""
    while True:
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        elif pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
            kind = kind.value_type
        else:
            return kind


def _nested(kind: pa.DataType) -> TrinoType | None:
    if is_list(kind):
        element = trino_type(kind.value_type)  # type: ignore[attr-defined]  # the stubs know one kind of lists
        return TrinoType(f"array({element.name})", "array", (_type(element),))
    if pa.types.is_map(kind):
        key, value = trino_type(kind.key_type), trino_type(kind.item_type)
        return TrinoType(f"map({key.name}, {value.name})", "map", (_type(key), _type(value)))
    if pa.types.is_struct(kind):
        return _row(kind)
    return None


def _row(kind: pa.StructType) -> TrinoType:
    names: list[str] = []
    arguments: list[dict[str, Any]] = []
    for index in range(kind.num_fields):
        field = kind.field(index)
        inner = trino_type(field.type)
        # A row without names for its fields got these from the engine.
        unnamed = field.name == f"field{index}"
        names.append(inner.name if unnamed else f"{_quoted(field.name)} {inner.name}")
        value: dict[str, Any] = {"typeSignature": inner.signature}
        if not unnamed:
            value["fieldName"] = {"name": field.name}
        arguments.append({"kind": "NAMED_TYPE", "value": value})
    return TrinoType(f"row({', '.join(names)})", "row", tuple(arguments))


def _quoted(name: str) -> str:
    if _PLAIN_NAME.match(name):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _decimal(precision: int, scale: int) -> TrinoType:
    # Arrow allows a negative scale, SQL does not.
    precision, scale = precision - min(scale, 0), max(scale, 0)
    return TrinoType(f"decimal({precision},{scale})", "decimal", (_long(precision), _long(scale)))


def _precise(name: str, digits: int, zone: str = "") -> TrinoType:
    return TrinoType(f"{name}({digits}){zone}", f"{name}{zone}", (_long(digits),))


def _long(value: int) -> dict[str, Any]:
    return {"kind": "LONG", "value": value}


def _type(kind: TrinoType) -> dict[str, Any]:
    return {"kind": "TYPE", "value": kind.signature}
