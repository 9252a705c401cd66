"""Dates, times and intervals as Trino prints them, also far from today."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute

Column: TypeAlias = Any
Values: TypeAlias = list[Any]
pc: Any = pyarrow.compute

_DAY_SECS = 86_400
#: Parts of a second by Arrow's unit, and how many digits they have.
_UNITS = {"s": (1, 0), "ms": (10**3, 3), "us": (10**6, 6), "ns": (10**9, 9)}
#: What Arrow and Java call the zone that needs no computing.
_UTC = frozenset({"UTC", "ETC/UTC", "Z", "+00:00", "GMT"})
#: Arrow prints a year without a sign, and no years that its calendar does not know.
_MONTHS = re.compile(r"INTERVAL '(-?)(\d+)(?:-(\d+))?' (YEAR TO MONTH|YEAR|MONTH)\Z")
_ODD = r"^(\d{5,}-|<)"


def dates(array: Column) -> Values:
    """`2024-02-29`; `+10000-01-01` after the year 9999, `-0001-12-31` before the year 0."""
    days = array.cast(pa.date32(), safe=False)
    texts = days.cast(pa.string())
    return _mended(texts, days, civil)


def timestamps(array: Column) -> Values:
    """`2024-02-29 12:34:56.789012`, with the zone's name behind it when there is one."""
    kind = array.type
    zone = kind.tz
    naive = pa.timestamp(kind.unit)
    if zone is None:
        return _moments(array)
    if zone.upper() in _UTC:
        zone, local = "UTC", array.cast(naive)
    else:
        try:
            local = pc.local_timestamp(array)
        except pa.ArrowInvalid:
            # The machine has no such time zone: UTC is less handy but as right.
            zone, local = "UTC", array.cast(pa.timestamp(kind.unit, "UTC")).cast(naive)
    return [None if text is None else f"{text} {zone}" for text in _moments(local)]


def times(array: Column) -> Values:
    """`12:34:56.789012`."""
    if array.type.unit == "ns":
        array = array.cast(pa.time64("us"), safe=False)
    return list(array.cast(pa.string()).to_pylist())


def intervals(array: Column) -> Values:
    """`3 04:05:06.789`: days, a time of day, and three digits whatever there are."""
    per_second, _ = _UNITS[array.type.unit]
    counts = array.cast(pa.int64()).to_pylist()
    return [None if count is None else _interval(count * 1000 // per_second) for count in counts]


def months(texts: Values) -> Values:
    """`1-2`: years and months, of intervals as the engine writes them (`INTERVAL '1-2' YEAR TO MONTH`)."""
    return [None if text is None else _months(text) for text in texts]


def civil(day: int) -> str:
    """The date that is so many days after 1970-01-01, in the calendar of today carried on for ever."""
    # Years are counted from March, in eras of 400 years that all have the same days.
    era, day_of_era = divmod(day + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_index = (5 * day_of_year + 2) // 153
    month = month_index + 3 if month_index < 10 else month_index - 9
    year = year_of_era + era * 400 + (month <= 2)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04}-{month:02}-{day_of_year - (153 * month_index + 2) // 5 + 1:02}"


def _moments(array: Column) -> Values:
    per_second, digits = _UNITS[array.type.unit]

    def mended(count: int) -> str:
        seconds, fraction = divmod(count, per_second)
        day, second = divmod(seconds, _DAY_SECS)
        clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        return f"{civil(day)} {clock}" + (f".{fraction:0{digits}}" if digits else "")

    return _mended(array.cast(pa.string()), array.cast(pa.int64()), mended)


def _mended(texts: Column, counts: Column, text_of: Any) -> Values:  # noqa: ANN401 - a function of one number
    """The texts, with those that Arrow prints in another way made from the numbers."""
    values: Values = texts.to_pylist()
    odd = pc.fill_null(pc.match_substring_regex(texts, _ODD), False)
    if pc.any(odd).as_py():
        numbers = counts.cast(pa.int64() if counts.type != pa.date32() else pa.int32())
        for index in pc.indices_nonzero(odd).to_pylist():
            values[index] = text_of(numbers[index].as_py())
    return values


def _months(text: str) -> str:
    found = _MONTHS.match(text)
    if found is None:
        return text
    sign, first, rest, unit = found.groups()
    count = int(first) if unit == "MONTH" else int(first) * 12 + int(rest or 0)
    return f"{sign}{count // 12}-{count % 12}"


def _interval(milliseconds: int) -> str:
    sign, milliseconds = ("-", -milliseconds) if milliseconds < 0 else ("", milliseconds)
    seconds, fraction = divmod(milliseconds, 1000)
    days, second = divmod(seconds, _DAY_SECS)
    return f"{sign}{days} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.{fraction:03}"
