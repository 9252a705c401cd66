"""Values as SQL would print them: a column of any type becomes a column of strings, NULL stays NULL.

All work is done on whole columns; Python touches single values only where Arrow has no function for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute

from sqe.query.columns import is_binary, plain

# An Arrow array of any type: the stubs' generics know few of the kernels that are used here.
Column: TypeAlias = Any
pc: Any = pyarrow.compute


CHUNK_ROWS = 65_536
CHUNK_BYTES = 64 << 20


def chunks(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch in slices small enough that their text fits in memory many times."""
    rows: int = batch.num_rows
    step = max(1, min(CHUNK_ROWS, rows * CHUNK_BYTES // max(1, batch.nbytes)))
    for start in range(0, rows, step):
        yield batch.slice(start, step)


def texts(array: Column) -> Column:
    """The column as `large_string`, one SQL text per value."""
    array = plain(array)
    kind = array.type
    if pa.types.is_nested(kind):
        from sqe.cli.cell_json import json_texts

        return _keep_nulls(json_texts(array), array)
    for matches, convert in _converters():
        if matches(kind):
            return convert(array)
    if pa.types.is_primitive(kind) or _is_text(kind) or pa.types.is_null(kind):
        return array.cast(pa.large_string())
    return by_value(array, str)


def join(columns: list[Column], separator: str, *, start: str = "", end: str = "") -> str:
    """The rows as one text: the columns of a row joined by the separator, between `start` and `end`."""
    kind = pa.large_string()
    none, between = pa.scalar("", kind), pa.scalar(separator, kind)
    # Only the outer columns get the row's edges: joining them into the whole rows copies everything again.
    edged = list(columns)
    if start:
        edged[0] = pc.binary_join_element_wise(pa.scalar(start, kind), edged[0], none)
    edged[-1] = pc.binary_join_element_wise(edged[-1], pa.scalar(end, kind), none)
    rows = edged[0] if len(edged) == 1 else pc.binary_join_element_wise(*edged, between)
    _, offsets, data = rows.buffers()
    edges = pa.Int64Array.from_buffers(pa.int64(), len(rows) + 1, [None, offsets], offset=rows.offset)
    first, last = edges[0].as_py(), edges[-1].as_py()
    return "" if data is None else str(memoryview(data)[first:last], "utf-8")


def by_value(array: Column, convert: Callable[[Any], str]) -> Column:
    """The column with every value converted in Python."""
    values = (None if value is None else convert(value) for value in array.to_pylist())
    return pa.array(values, pa.large_string())


def patch(column: Column, pattern: str, fix: Callable[[str], str]) -> Column:
    """The text column with the texts that match the pattern fixed in Python."""
    odd = pc.fill_null(pc.match_substring_regex(column, pattern), False)
    if not pc.any(odd).as_py():
        return column
    fixed = by_value(column.filter(odd), fix)
    return pc.replace_with_mask(column, odd, fixed.cast(pa.large_string()))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _converters() -> list[tuple[Callable[[pa.DataType], bool], Callable[[Column], Column]]]:
    return [
        (pa.types.is_floating, _floats),
        (pa.types.is_decimal, _decimals),
        (pa.types.is_timestamp, _timestamps),
        (pa.types.is_time, _trimmed),
        (pa.types.is_duration, _durations),
        (is_binary, lambda array: by_value(array, bytes.hex)),
    ]


def _keep_nulls(column: Column, source: Column) -> Column:
    return pc.if_else(source.is_valid(), column, pa.scalar(None, pa.large_string()))


def _floats(array: Column) -> Column:
    # Arrow prints 1.0 as 1, and turns to exponents earlier than people do.
    column = array.cast(pa.large_string())
    whole = pc.match_substring_regex(column, r"^-?\d+$")
    if pc.any(whole).as_py():
        kind = pa.large_string()
        with_fraction = pc.binary_join_element_wise(column, pa.scalar(".0", kind), pa.scalar("", kind))
        column = pc.if_else(whole, with_fraction, column)
    return patch(column, "[en]", _float_text)


def _float_text(text: str) -> str:
    names = {"nan": "NaN", "-nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return names.get(text) or repr(float(text))


def _decimals(array: Column) -> Column:
    return patch(array.cast(pa.large_string()), "E", lambda text: f"{Decimal(text):f}")


def _timestamps(array: Column) -> Column:
    zone = array.type.tz
    naive = pa.timestamp(array.type.unit)
    if zone is None:
        return _trimmed(array)
    if zone.upper() in {"UTC", "ETC/UTC", "Z", "+00:00", "GMT"}:
        return _with_offset(_trimmed(array.cast(naive)), pa.scalar("+00:00", pa.large_string()))
    try:
        local = pc.local_timestamp(array)
        offsets = pc.strftime(array, format="%z").cast(pa.large_string())
    except pa.ArrowInvalid:
        # The machine has no such time zone: UTC is less handy but as right.
        return _timestamps(array.cast(pa.timestamp(array.type.unit, "UTC")))
    offsets = pc.replace_substring_regex(offsets, pattern=r"(\d\d)$", replacement=r":\1")
    return _with_offset(_trimmed(local), offsets)


def _with_offset(column: Column, offset: Column) -> Column:
    return pc.binary_join_element_wise(column, offset, pa.scalar("", pa.large_string()))


def _trimmed(array: Column) -> Column:
    column = array.cast(pa.large_string())
    if array.type.unit == "s":
        return column
    return pc.utf8_rtrim(pc.utf8_rtrim(column, characters="0"), characters=".")


def _durations(array: Column) -> Column:
    # Arrow refuses nanoseconds to Python; a duration of SQL has microseconds.
    return by_value(array.cast(pa.duration("us"), safe=False), _duration_text)


def _duration_text(value: timedelta) -> str:
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    fraction = f".{value.microseconds:06}".rstrip("0") if value.microseconds else ""
    return f"{sign}{value.days} {minutes // 60:02}:{minutes % 60:02}:{seconds:02}{fraction}"
