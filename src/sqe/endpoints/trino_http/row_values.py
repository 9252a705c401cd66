"""Arrow columns as lists of what JSON has, in the shapes that Trino's clients expect.

Work is done a column at a time. Python looks at single values only where Arrow has no function for it, or for the few
values that Arrow prints in another way.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute

from sqe.endpoints.trino_http import moments
from sqe.endpoints.trino_http.type_signatures import are_months
from sqe.query.columns import is_binary, is_list, plain

# An Arrow array of any type: the stubs' generics know few of the kernels that are used here.
Column: TypeAlias = Any
Values: TypeAlias = list[Any]
pc: Any = pyarrow.compute


def rows_of(batch: pa.RecordBatch, schema: pa.Schema | None = None) -> list[tuple[Any, ...]]:
    """The rows of a batch; a batch without columns has as many empty rows. The schema may know more of the types."""
    columns = [values_of(column) for column in batch.columns]
    for index, field in enumerate(schema or ()):
        if are_months(field):
            columns[index] = moments.months(columns[index])
    return list(zip(*columns, strict=True)) if columns else [()] * batch.num_rows


def values_of(array: Column) -> Values:
    """The values of a column as JSON will show them."""
    array = plain(array)
    kind = array.type
    for matches, convert in _CONVERTERS:
        if matches(kind):
            return convert(array)
    return array.to_pylist() if pa.types.is_primitive(kind) or pa.types.is_null(kind) else _as_text(array)


def _texts(array: Column) -> Values:
    try:
        return list(array.to_pylist())
    except UnicodeDecodeError:
        # Bytes that somebody took for text; JSON has no way to carry them.
        raw = array.cast(pa.large_binary()).to_pylist()
        return [None if value is None else value.decode("utf-8", errors="replace") for value in raw]


def _as_text(array: Column) -> Values:
    """What Trino has no type for."""
    return [None if value is None else str(value) for value in array.to_pylist()]


def _floats(array: Column) -> Values:
    values: Values = array.to_pylist()
    if array.type != pa.float64():
        # The digits of a short number, not those of the long one nearest to it: 0.1, not 0.10000000149011612.
        values = array.cast(pa.float32()).cast(pa.string()).cast(pa.float64()).to_pylist()
    if pc.all(pc.is_finite(array)).as_py() is False:
        return [_float(value) for value in values]
    return values


def _float(value: float | None) -> float | str | None:
    """JSON has no words for these."""
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _decimals(array: Column) -> Values:
    texts = array.cast(pa.string())
    values: Values = texts.to_pylist()
    if not pc.any(pc.match_substring(texts, "E")).as_py():
        return values
    return [value if value is None or "E" not in value else f"{Decimal(value):f}" for value in values]


def _unsigned(array: Column) -> Values:
    """A decimal to the client: no whole number of Trino's holds all of them."""
    return list(array.cast(pa.string()).to_pylist())


def _binaries(array: Column) -> Values:
    encode = base64.b64encode
    return [None if value is None else encode(value).decode("ascii") for value in array.to_pylist()]


def _lists(array: Column) -> Values:
    flat = values_of(array.flatten())
    return [None if span is None else flat[span[0] : span[1]] for span in _spans(array)]


def _maps(array: Column) -> Values:
    entries = array.cast(pa.list_(pa.struct([("key", array.type.key_type), ("value", array.type.item_type)])))
    keys, values = entries.flatten().flatten()
    names, items = [_key(key) for key in values_of(keys)], values_of(values)
    return [
        None if span is None else dict(zip(names[span[0] : span[1]], items[span[0] : span[1]], strict=True))
        for span in _spans(entries)
    ]


def _key(value: object) -> str:
    """A name in a JSON object is a text; clients read it by the type of the map's keys."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def _rows(array: Column) -> Values:
    fields = [values_of(field) for field in array.flatten()]
    rows: Values = list(zip(*fields, strict=True)) if fields else [()] * len(array)
    if not array.null_count:
        return rows
    return [row if valid else None for row, valid in zip(rows, array.is_valid().to_pylist(), strict=True)]


def _spans(array: Column) -> Iterator[tuple[int, int] | None]:
    """Where the elements of each list are among those of all lists; None for a list that is NULL."""
    end = 0
    for length in pc.list_value_length(array).to_pylist():
        if length is None:
            yield None
        else:
            start, end = end, end + length
            yield start, end


_CONVERTERS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[Column], Values]], ...] = (
    (lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind), _texts),
    (pa.types.is_floating, _floats),
    (pa.types.is_decimal, _decimals),
    (pa.types.is_uint64, _unsigned),
    (pa.types.is_date, moments.dates),
    (pa.types.is_timestamp, moments.timestamps),
    (pa.types.is_time, moments.times),
    (pa.types.is_duration, moments.intervals),
    (is_binary, _binaries),
    (pa.types.is_map, _maps),
    (is_list, _lists),
    (pa.types.is_struct, _rows),
)
