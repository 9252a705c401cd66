"""Case files recorded from Trino, and our values in the form that Trino's protocol gives them."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

_ARROW = {
    "int8": "tinyint", "int16": "smallint", "int32": "integer", "int64": "bigint", "float": "real",
    "double": "double", "bool": "boolean", "string": "varchar", "binary": "varbinary", "date32[day]": "date",
    "null": "unknown",
}  # fmt: skip
_AS_TEXT = {"varchar", "char", "json", "uuid", "ipaddress", "objectid", "jsonpath", "color"}
#: After so many days, and years, the calendar starts again.
_CYCLE_DAYS, _CYCLE_YEARS = 146_097, 400
_DAY_MICROS = 86_400_000_000


@dataclass
class Case:
    """An expression or a query, and what Trino answered: type and value per row, or the name of an error."""

    text: str
    rows: list[tuple[str, Any]] = field(default_factory=list)
    error: str | None = None

    @property
    def sql(self) -> str:
        return self.text.removeprefix("query:").strip() if self.is_query else f"SELECT {self.text}"

    @property
    def is_query(self) -> bool:
        return self.text.startswith("query:")


def read_cases(file: Path) -> tuple[str, list[Case]]:
    """The time zone and the cases of a file."""
    zone = "UTC"
    cases: list[Case] = []
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line.startswith("#"):
            zone = line.removeprefix("# zone:").strip() if line.startswith("# zone:") else zone
        elif line.startswith("    "):
            kind, _, said = line.strip(" ").partition("\t")
            if kind == "error":
                cases[-1].error = said
            else:
                cases[-1].rows.append((kind, json.loads(said)))
        elif line.strip():
            cases.append(Case(line))
    return zone, cases


def difference(case: Case, column: Any) -> str | None:
    """What is wrong with our answer, None when it is Trino's."""
    if len(column) != len(case.rows):
        return f"{len(column)} rows instead of {len(case.rows)}"
    for number, (kind, expected) in enumerate(case.rows):
        if kind != "unknown" and not _same_kind(kind, column.type):
            return f"type {column.type} instead of {kind}"
        try:
            ours = _read(column[number])
        except (ValueError, OverflowError) as error:
            return f"unreadable: {error}"
        if not _same(kind, expected, ours):
            return f"{ours!r} instead of {expected!r} ({kind})"
    return None


def _read(ours: Any) -> Any:
    """A value of ours; a date of a year that Python does not have is Trino's text of it."""
    try:
        return ours.as_py()
    except (ValueError, OverflowError):
        if pa.types.is_date32(ours.type):
            return _date_text(ours.cast(pa.int32()).as_py())
        if pa.types.is_timestamp(ours.type) and ours.type.unit == "us" and ours.type.tz in {None, "UTC"}:
            days, micros = divmod(ours.cast(pa.int64()).as_py(), _DAY_MICROS)
            clock = (dt.datetime.min + dt.timedelta(microseconds=micros)).time()
            return f"{_date_text(days)} {clock.isoformat('milliseconds')} {ours.type.tz or ''}".strip()
        raise


def _date_text(days: int) -> str:
    """`+12020-02-29`, `-0001-01-01`, `0000-12-31`."""
    cycles, rest = divmod(days, _CYCLE_DAYS)
    near = dt.date(1970, 1, 1) + dt.timedelta(days=rest)
    year = near.year + cycles * _CYCLE_YEARS
    sign = "-" if year < 0 else "+" if year > dt.MAXYEAR else ""
    return f"{sign}{abs(year):04}-{near.month:02}-{near.day:02}"


def base_of(kind: str) -> str:
    """`timestamp(3) with time zone` is a `timestamp with time zone`."""
    if kind.startswith(("array(", "map(", "row(")):
        return kind.partition("(")[0]
    return re.sub(r"\([^)]*\)", "", kind).strip().lower()


def _same_kind(kind: str, ours: Any) -> bool:  # noqa: PLR0911 - a table of kinds
    base = base_of(kind)
    if pa.types.is_list(ours) or pa.types.is_large_list(ours):
        return base == "array" and (inner(kind)[0] == "unknown" or _same_kind(inner(kind)[0], ours.value_type))
    if pa.types.is_map(ours):
        return base == "map"
    if pa.types.is_struct(ours):
        return base == "row"
    if pa.types.is_decimal(ours):
        return base == "decimal"
    if pa.types.is_timestamp(ours):
        return base == ("timestamp with time zone" if ours.tz else "timestamp")
    if pa.types.is_time(ours):
        return base == "time"
    if pa.types.is_duration(ours) or pa.types.is_interval(ours):
        return base.startswith("interval")
    found = _ARROW.get(str(ours), str(ours))
    return found == base or (found == "varchar" and base in _AS_TEXT)


def inner(kind: str) -> list[str]:
    """The types between the brackets; names of fields are left out."""
    text = kind[kind.index("(") + 1 : -1]
    parts, depth, start = [], 0, 0
    for number, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append(text[start:number].strip())
            start = number + 1
    parts.append(text[start:].strip())
    return [_without_name(part) if kind.startswith("row(") else part for part in parts]


def _without_name(part: str) -> str:
    found = re.match(r'("(?:[^"]|"")*"|[a-z_]\w*) (?!with time zone|precision|day to second|year to month)(.+)', part)
    return found.group(2) if found else part


def _same(kind: str, expected: Any, ours: Any) -> bool:  # noqa: PLR0911 - a table of kinds
    if expected is None or ours is None:
        return expected is None and ours is None
    base = base_of(kind)
    if base in {"array", "map", "row"}:
        return _same_nested(base, inner(kind), expected, ours)
    if base in {"double", "real"}:
        return _same_float(float(expected), float(ours), 1e-6 if base == "real" else 1e-11)
    if base == "decimal":
        return bool(Decimal(expected) == ours)
    if base == "varbinary":
        return bool(base64.b64decode(expected) == ours)
    if isinstance(ours, str) and base in {"date", "timestamp", "timestamp with time zone"}:
        return bool(expected == ours)
    if base == "timestamp with time zone":
        # A clock shows some times twice: the text of one may mean either.
        meant = {_instant(expected).replace(fold=fold).astimezone(dt.UTC) for fold in (0, 1)}
        return ours.astimezone(dt.UTC) in meant
    if base in {"date", "timestamp", "time"}:
        return _trimmed(expected) == _trimmed(str(ours))
    if base.startswith("interval"):
        return str(expected) == _interval(base, ours)
    return bool(expected == ours)


def _same_nested(base: str, kinds: list[str], expected: Any, ours: Any) -> bool:
    if base == "array":
        return len(expected) == len(ours) and all(
            _same(kinds[0], one, other) for one, other in zip(expected, ours, strict=True)
        )
    if base == "row":
        values = list(ours.values()) if isinstance(ours, dict) else list(ours)
        return len(expected) == len(values) and all(
            _same(kind, one, other) for kind, one, other in zip(kinds, expected, values, strict=True)
        )
    pairs = list(ours)
    return len(pairs) == len(expected) and all(
        any(_same_key(kinds[0], key, own) and _same(kinds[1], value, mine) for own, mine in pairs)
        for key, value in expected.items()
    )


def _same_key(kind: str, key: str, ours: Any) -> bool:
    """Keys are texts in JSON."""
    if base_of(kind) in {"integer", "bigint", "smallint", "tinyint"}:
        return bool(int(key) == ours)
    if base_of(kind) == "boolean":
        return bool((key == "true") == ours)
    if base_of(kind) == "array":
        return _same(kind, json.loads(key), ours)
    return _same(kind, key, ours)


def _same_float(expected: float, ours: float, tolerance: float) -> bool:
    if math.isnan(expected) or math.isnan(ours):
        return math.isnan(expected) and math.isnan(ours)
    return math.isclose(expected, ours, rel_tol=tolerance, abs_tol=1e-300)


def _trimmed(moment: str) -> str:
    """Without zeros at the end of the fraction: our types all have six digits."""
    return re.sub(r"\.?0*$", "", moment) if "." in moment else moment


def _instant(text: str) -> dt.datetime:
    moment, _, zone = text.rpartition(" ")
    date, _, rest = moment.partition(" ")
    whole, _, fraction = rest.partition(".")
    stamp = dt.datetime.fromisoformat(f"{date} {whole}").replace(microsecond=int((fraction + "000000")[:6] or 0))
    offset = re.fullmatch(r"([+-])(\d\d):(\d\d)", zone)
    if offset:
        minutes = (int(offset.group(2)) * 60 + int(offset.group(3))) * (-1 if offset.group(1) == "-" else 1)
        return stamp.replace(tzinfo=dt.timezone(dt.timedelta(minutes=minutes)))
    return stamp.replace(tzinfo=ZoneInfo(zone))


def _interval(base: str, ours: Any) -> str:
    """`1 02:03:04.000` or `1-2`."""
    if "year" in base:
        months = int(ours) if isinstance(ours, int) else int(ours.months)
        return f"{'-' if months < 0 else ''}{abs(months) // 12}-{abs(months) % 12}"
    micros = round(ours / dt.timedelta(microseconds=1))
    sign, micros = ("-" if micros < 0 else ""), abs(micros)
    seconds, rest = divmod(micros, 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    return f"{sign}{days} {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest // 1000:03}"


def in_chunks(cases: list[Case], size: int) -> Iterator[list[Case]]:
    for start in range(0, len(cases), size):
        yield cases[start : start + size]
