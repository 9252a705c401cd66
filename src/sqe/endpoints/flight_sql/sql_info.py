"""What the server says of itself: CommandGetSqlInfo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import pyarrow as pa

import sqe

_TEXT, _FLAG, _WHOLE, _MASK, _TEXTS, _MAP = range(6)
_UNION = pa.dense_union(
    [
        pa.field("string_value", pa.utf8()),
        pa.field("bool_value", pa.bool_()),
        pa.field("bigint_value", pa.int64()),
        pa.field("int32_bitmask", pa.int32()),
        pa.field("string_list", pa.list_(pa.field("string_data", pa.utf8()))),
        pa.field("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.field("$data$", pa.int32())))),
    ]
)
SCHEMA = pa.schema([pa.field("info_name", pa.uint32(), nullable=False), pa.field("value", _UNION, nullable=False)])

_Value: TypeAlias = str | bool | int | list[str] | dict[int, list[int]]
#: Kinds of `SqlSupportsConvert`.
_BIGINT, _BIT, _CHAR, _DATE, _DECIMAL, _INTEGER = 0, 2, 3, 4, 5, 7
_REAL, _SMALLINT, _TIMESTAMP, _TINYINT, _VARBINARY, _VARCHAR, _FLOAT = 13, 14, 16, 17, 18, 19, 6
_NUMBERS = [_BIGINT, _DECIMAL, _FLOAT, _INTEGER, _REAL, _SMALLINT, _TINYINT]
_EVERYTHING = sorted([*_NUMBERS, _BIT, _CHAR, _DATE, _TIMESTAMP, _VARCHAR])
_CONVERSIONS: dict[int, list[int]] = {
    **{number: sorted([*_NUMBERS, _BIT, _CHAR, _VARCHAR]) for number in _NUMBERS},
    _BIT: sorted([*_NUMBERS, _BIT, _CHAR, _VARCHAR]),
    _CHAR: [*_EVERYTHING, _VARBINARY],
    _VARCHAR: [*_EVERYTHING, _VARBINARY],
    _DATE: [_CHAR, _DATE, _TIMESTAMP, _VARCHAR],
    _TIMESTAMP: [_CHAR, _DATE, _TIMESTAMP, _VARCHAR],
    _VARBINARY: [_VARBINARY],
}
#: Beyond those of SQL-92.
KEYWORDS = [
    "CUBE", "CURRENT_CATALOG", "CURRENT_PATH", "CURRENT_ROLE", "CURRENT_SCHEMA", "DEALLOCATE", "GROUPING", "JSON_ARRAY",
    "JSON_EXISTS", "JSON_OBJECT", "JSON_QUERY", "JSON_TABLE", "JSON_VALUE", "LISTAGG", "LOCALTIME", "LOCALTIMESTAMP",
    "MERGE", "NORMALIZE", "QUALIFY", "RECURSIVE", "ROLLUP", "SKIP", "TRIM", "UESCAPE", "UNNEST",
]  # fmt: skip
NUMERIC_FUNCTIONS = [
    "abs", "acos", "asin", "atan", "atan2", "cbrt", "ceil", "ceiling", "cos", "cosh", "degrees", "e", "exp", "floor",
    "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "rand", "random", "round", "sign", "sin",
    "sqrt", "tan", "tanh", "truncate",
]  # fmt: skip
STRING_FUNCTIONS = [
    "chr", "codepoint", "concat", "concat_ws", "length", "levenshtein_distance", "lower", "lpad", "ltrim",
    "normalize", "regexp_extract", "regexp_like", "regexp_replace", "replace", "reverse", "rpad", "rtrim", "soundex",
    "split", "split_part", "starts_with", "strpos", "substr", "substring", "translate", "trim", "upper",
]  # fmt: skip
SYSTEM_FUNCTIONS = ["coalesce", "nullif", "typeof", "version"]
DATETIME_FUNCTIONS = [
    "current_date", "current_timestamp", "date", "date_add", "date_diff", "date_format", "date_parse", "date_trunc",
    "day", "day_of_month", "day_of_week", "day_of_year", "from_unixtime", "hour", "last_day_of_month", "minute",
    "month", "now", "quarter", "second", "to_unixtime", "week", "year",
]  # fmt: skip


class _Mask(int):
    """A number of 32 bits: a mask, or one of an enum's values."""


def _bits(*positions: int) -> _Mask:
    return _Mask(sum(1 << position for position in positions))


_UNLIMITED = 0
_VALUES: dict[int, _Value] = {
    # The server.
    0: "SQE", 1: sqe.__version__, 2: pa.__version__, 3: False, 4: True, 5: False, 6: "", 7: "", 8: _Mask(0), 9: True,
    10: True, 11: False, 100: _Mask(0), 101: _Mask(0),
    # Statements: catalogs by ATTACH only; names are lower case unless quoted, and found in any case.
    500: False, 501: True, 502: True, 503: _Mask(3), 504: '"', 505: _Mask(1), 506: True, 507: _Mask(3),
    508: KEYWORDS, 509: NUMERIC_FUNCTIONS, 510: STRING_FUNCTIONS, 511: SYSTEM_FUNCTIONS, 512: DATETIME_FUNCTIONS,
    513: "\\", 514: "", 515: True, 516: True, 517: _CONVERSIONS, 518: True, 519: False, 520: True, 521: True,
    522: _bits(0, 1), 523: True, 524: True, 525: _bits(0, 1, 2), 526: _bits(0, 1), 527: False, 528: _Mask(2),
    529: "schema", 530: "procedure", 531: "catalog", 532: True, 533: _bits(0), 534: _bits(0), 535: _bits(),
    536: False, 537: False, 538: _bits(0, 1, 2, 3), 539: True, 540: _bits(0, 1),
    # Limits: none that one could name.
    **dict.fromkeys(range(541, 556), _UNLIMITED), 556: True, **dict.fromkeys(range(557, 562), _UNLIMITED),
    # Transactions: each statement is one of its own.
    # The level is a long number to Java's driver.
    562: 0, 563: False, 564: _bits(0), 565: False, 566: True,
    # Results are read once, from the beginning.
    567: _bits(1), 568: _bits(), 569: _bits(1), 570: _bits(), 571: _bits(),
    572: True, 573: False, 574: False, 575: False, 576: False,
}  # fmt: skip

_KINDS: dict[type, int] = {str: _TEXT, bool: _FLAG, int: _WHOLE, _Mask: _MASK, list: _TEXTS, dict: _MAP}


def sql_info(wanted: Iterable[int], max_sql_bytes: int) -> pa.Table:
    """A row for each fact that is asked for, all of them when none is; nothing for what is not known."""
    facts = _VALUES | {557: max_sql_bytes}
    names = [name for name in (sorted(set(wanted)) or facts) if name in facts]
    children: list[list[_Value]] = [[] for _ in range(_UNION.num_fields)]
    kinds, offsets = [], []
    for name in names:
        kind = _kind(facts[name])
        kinds.append(kind)
        offsets.append(len(children[kind]))
        children[kind].append(facts[name])
    arrays = [_array(number, values) for number, values in enumerate(children)]
    union = pa.UnionArray.from_buffers(
        _UNION,
        len(names),
        [None, pa.array(kinds, pa.int8()).buffers()[1], pa.array(offsets, pa.int32()).buffers()[1]],
        children=arrays,
    )
    return pa.Table.from_arrays([pa.array(names, pa.uint32()), union], schema=SCHEMA)


def _array(number: int, values: list[_Value]) -> pa.Array[Any]:
    plain = [list(value.items()) if isinstance(value, dict) else value for value in values]
    made: pa.Array[Any] = pa.array(plain, _UNION.field(number).type)
    return made


def _kind(value: _Value) -> int:
    return _KINDS[type(value)]
