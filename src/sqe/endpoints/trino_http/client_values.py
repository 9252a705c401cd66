"""Rows of Trino's JSON as Arrow columns: the way back of `row_values`.

A page is turned into columns first, and a column is cast as a whole; Python looks at single values only where Arrow has
no function for it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute

from sqe.endpoints.trino_http.client_types import not_understood

# The stubs' generics know few of the kernels that are used here.
Column: TypeAlias = Any
Values: TypeAlias = Sequence[Any]
pc: Any = pyarrow.compute

_INTERVAL = re.compile(r"(-?)(\d+) (\d\d):(\d\d):(\d\d)\.(\d{3})\Z")
#: Years that Arrow does not read: with a sign, or of more than four digits.
_FAR = re.compile(r"([+-]?)(\d+)-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?\Z")
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def zones_of(schema: pa.Schema, rows: Values) -> pa.Schema:
    """The schema with the time zones that the first rows have; the signature of a type does not tell them."""
    fields = []
    for index, field in enumerate(schema):
        zone = None
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            found = next((row[index] for row in rows if isinstance(row[index], str)), "")
            zone = found.rpartition(" ")[2] if _knows(found.rpartition(" ")[2]) else None
        fields.append(field if zone is None else pa.field(field.name, pa.timestamp(field.type.unit, zone)))
    return pa.schema(fields)


def checked_rows(rows: object, schema: pa.Schema | None) -> list[list[Any]]:
    """The rows of a page. Raises `ExternalError` when they are no rows of so many columns."""
    if schema is None or not isinstance(rows, list):
        raise not_understood("its rows")
    if not all(isinstance(row, list) and len(row) == len(schema) for row in rows):
        raise not_understood("its rows")
    return rows


def batch_of(schema: pa.Schema, rows: Sequence[Values]) -> pa.RecordBatch:
    """The rows as columns. Raises `ExternalError` when their values are not of these types."""
    try:
        columns = [array_of(values, field.type) for values, field in zip(zip(*rows, strict=True), schema, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=schema)
    except (pa.ArrowException, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise not_understood("a value does not have its column's type") from error


def array_of(values: Values, kind: pa.DataType) -> Column:
    """A column of the type."""
    for matches, convert in _CONVERTERS:
        if matches(kind):
            return convert(values, kind)
    return pa.array(values, kind)


def _texts(values: Values, kind: pa.DataType) -> Column:
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError):
        # A type that Arrow does not have may come as anything.
        return pa.array([v if v is None or isinstance(v, str) else json.dumps(v) for v in values], kind)


def _numbers(values: Values, kind: pa.DataType) -> Column:
    """Numbers; what JSON has no number for comes as text, and so do the keys of maps."""
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError):
        return pa.array([None if v is None else str(v) for v in values], pa.string()).cast(kind)


def _cast(values: Values, kind: pa.DataType) -> Column:
    return pa.array(values, pa.string()).cast(kind)


def _binaries(values: Values, kind: pa.DataType) -> Column:
    return pa.array([None if value is None else base64.b64decode(value, validate=True) for value in values], kind)


def _dates(values: Values, kind: pa.DataType) -> Column:
    texts = pa.array(values, pa.string())
    try:
        return texts.cast(kind)
    except pa.ArrowInvalid:
        days = [None if text is None else _far(text)[0] for text in values]
        return pa.array(days, pa.int32()).cast(kind)


def _times(values: Values, kind: Column) -> Column:
    # Arrow reads no times of day, but points in time.
    moments = pc.binary_join_element_wise("1970-01-01", pa.array(values, pa.string()), " ")
    return moments.cast(pa.timestamp(kind.unit)).cast(kind)


def _moments(values: Column, kind: Column) -> Column:
    """Points in time without a zone."""
    try:
        return values.cast(pa.timestamp(kind.unit))
    except pa.ArrowInvalid:
        per_second = _PER_SECOND[kind.unit]
        counts = [None if text is None else _count(text, per_second) for text in values.to_pylist()]
        return pa.array(counts, pa.int64()).cast(pa.timestamp(kind.unit))


def _timestamps(values: Values, kind: Column) -> Column:
    texts: Column = pa.array(values, pa.string())
    if kind.tz is None:
        return _moments(texts, kind)
    parts = pc.extract_regex(texts, r"^(?P<moment>\S+ \S+) (?P<zone>\S+)$")
    if parts.null_count != texts.null_count:
        raise ValueError("a point in time without a zone")
    moments, zones = _moments(pc.struct_field(parts, "moment"), kind), pc.struct_field(parts, "zone")
    found: Column = pa.nulls(len(texts), pa.timestamp(kind.unit, kind.tz))
    # Few zones in many rows: a column at a time for each of them.
    for zone in pc.unique(pc.drop_null(zones)).to_pylist():
        here = pc.assume_timezone(moments, _arrow_zone(zone), ambiguous="earliest", nonexistent="latest")
        found = pc.if_else(pc.equal(zones, zone), here.cast(found.type), found)
    return found


def _intervals(values: Values, kind: pa.DataType) -> Column:
    return pa.array([None if value is None else _millis(value) for value in values], pa.int64()).cast(kind)


def _lists(values: Values, kind: Column) -> Column:
    flat = array_of([item for value in values if value is not None for item in _list(value)], kind.value_type)
    return pa.ListArray.from_arrays(_offsets(values), flat, type=kind)


def _maps(values: Values, kind: Column) -> Column:
    maps = [_map(value) for value in values if value is not None]
    keys = array_of(list(chain.from_iterable(maps)), kind.key_type)
    items = array_of([item for value in maps for item in value.values()], kind.item_type)
    return pa.MapArray.from_arrays(_offsets(values), keys, items, type=kind)


def _rows(values: Values, kind: Column) -> Column:
    count = kind.num_fields
    empty = [None] * count
    rows = [empty if value is None else _list(value) for value in values]
    if any(len(row) != count for row in rows):
        raise ValueError("a row of another length")
    fields = [kind.field(index) for index in range(count)]
    columns = [array_of([row[index] for row in rows], field.type) for index, field in enumerate(fields)]
    return pa.StructArray.from_arrays(columns, fields=fields, mask=pa.array([value is None for value in values]))


def _offsets(values: Values) -> Column:
    """Where each list begins among the elements of all; a list that is NULL has none."""
    ends = list(accumulate((0 if value is None else len(value) for value in values), initial=0))
    starts = [None if value is None else end for value, end in zip(values, ends, strict=False)]
    return pa.array([*starts, ends[-1]], pa.int32())


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _map(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no map")
    return value


def _millis(text: str) -> int:
    found = _INTERVAL.match(text)
    if found is None:
        raise ValueError("no interval")
    sign, days, hours, minutes, seconds, millis = found.groups()
    total = ((int(days) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    return (-1 if sign else 1) * (total * 1000 + int(millis))


def _far(text: str) -> tuple[int, int, str]:
    """Days since 1970, seconds of the day, digits of the second; for years far from today."""
    found = _FAR.match(text)
    if found is None:
        raise ValueError("no date")
    sign, year, month, day, hour, minute, second, fraction = found.groups()
    days = _day_number(-int(year) if sign == "-" else int(year), int(month), int(day))
    return days, int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0), fraction or ""


def _count(text: str, per_second: int) -> int:
    days, seconds, fraction = _far(text)
    digits = len(str(per_second)) - 1
    return (days * 86_400 + seconds) * per_second + int((fraction + "0" * digits)[:digits] or 0)


def _day_number(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to this date, in the calendar of today carried on for ever."""
    # Years are counted from March, in eras of 400 years that all have the same days.
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


def _arrow_zone(zone: str) -> str:
    return "UTC" if zone.upper() in {"Z", "UTC"} else zone


def _knows(zone: str) -> bool:
    try:
        pc.assume_timezone(pa.scalar(0, pa.timestamp("s")), zone)
    except (pa.ArrowException, ValueError):
        return False
    return True


_CONVERTERS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[Values, Any], Column]], ...] = (
    (pa.types.is_string, _texts),
    (pa.types.is_floating, _numbers),
    (pa.types.is_integer, _numbers),
    (pa.types.is_boolean, _numbers),
    (pa.types.is_decimal, _cast),
    (pa.types.is_date, _dates),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_time, _times),
    (pa.types.is_duration, _intervals),
    (pa.types.is_binary, _binaries),
    (pa.types.is_list, _lists),
    (pa.types.is_map, _maps),
    (pa.types.is_struct, _rows),
)
