"""Values of parameters, as they come in Arrow, as constants of the dialect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa

from sqe.core.errors import NotSupportedError, SqlDataError, UserError

#: More than that is no row of parameters but a table.
_MOST_BYTES = 16 << 20


def collected(reader: Any) -> pa.Table:  # noqa: ANN401 - a stream of chunks, see uploads
    """All rows of parameters that come. Raises `UserError` when there are too many."""
    batches, size = [], 0
    for chunk in reader:
        if chunk.data is not None:
            batches.append(chunk.data)
            size += chunk.data.nbytes
        if size > _MOST_BYTES:
            raise UserError("these are too many rows of parameters", hint="ingest them into a table")
    return pa.Table.from_batches(batches, reader.schema)


def constants(rows: pa.Table) -> Iterator[list[str]]:
    """The values of each row in SQL. Raises `SqeError`."""
    columns = [_column(column) for column in rows.columns]
    yield from (list(row) for row in zip(*columns, strict=True))


def execution(sql: str, values: list[str]) -> str:
    """The statement with its parameters' values, which are put into its tree, not into its text."""
    return f"EXECUTE IMMEDIATE {_text(sql)} USING {', '.join(values)}" if values else sql


def _column(column: pa.ChunkedArray[Any]) -> list[str]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        kind = pa.timestamp("us", kind.tz)
        try:
            column = column.cast(kind)
        except pa.ArrowInvalid as error:
            raise SqlDataError("a parameter has more than six digits of a second") from error
    return [constant(value, kind) for value in column.to_pylist()]


def constant(value: Any, kind: pa.DataType) -> str:  # noqa: ANN401 - a value of any type
    """A value in SQL. Raises `NotSupportedError` for a type that has no constants."""
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return _number(value, single=pa.types.is_float32(kind))
    written = _SIMPLE.get(type(value))
    return written(value) if written else _nested(value, kind)


def _nested(value: Any, kind: pa.DataType) -> str:  # noqa: ANN401 - a list or a dict
    if pa.types.is_map(kind):
        keys = ", ".join(constant(key, kind.key_type) for key, _ in value)
        values = ", ".join(constant(item, kind.item_type) for _, item in value)
        return f"MAP(ARRAY[{keys}], ARRAY[{values}])"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"ARRAY[{', '.join(constant(item, kind.value_type) for item in value)}]"
    if pa.types.is_struct(kind):
        return f"ROW({', '.join(constant(value[field.name], field.type) for field in kind)})"
    raise NotSupportedError(f"a parameter cannot be of the type {kind}")


def _number(value: float, *, single: bool) -> str:
    if math.isnan(value):
        text = "nan()"
    elif math.isinf(value):
        text = "infinity()" if value > 0 else "-infinity()"
    else:
        # With an exponent it is a double, without one it would be a decimal.
        text = f"{value!r}" if "e" in repr(value) else f"{value!r}E0"
    return f"CAST({text} AS REAL)" if single else text


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        return f"TIMESTAMP '{value.isoformat(sep=' ', timespec='microseconds')}'"
    plain = value.astimezone(UTC).replace(tzinfo=None)
    return f"TIMESTAMP '{plain.isoformat(sep=' ', timespec='microseconds')} UTC'"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


_SIMPLE: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "TRUE" if value else "FALSE",
    int: str,
    Decimal: lambda value: f"DECIMAL '{value:f}'",
    str: _text,
    bytes: lambda value: f"X'{value.hex()}'",
    datetime: _moment,
    date: lambda value: f"DATE '{value.isoformat()}'",
    time: lambda value: f"TIME '{value.isoformat()}'",
}
