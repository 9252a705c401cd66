"""Values as JSON text, a whole column at a time.

Numbers, booleans, null and nested values stay what they are.

Decimals become strings so that no reader rounds them; so do NaN and the infinities, which JSON does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import pyarrow as pa

from sqe.cli.cell_text import Column, by_value, patch, pc, texts
from sqe.cli.column_kinds import is_number
from sqe.query.columns import is_list, plain


def json_texts(array: Column) -> Column:
    """The column as `large_string`, one JSON text per value; NULL is the text `null`."""
    array = plain(array)
    kind = array.type
    if pa.types.is_struct(kind):
        names = unique(kind.field(index).name for index in range(kind.num_fields))
        column = objects(names, array.flatten()) if names else _constant("{}", len(array))
    elif pa.types.is_map(kind):
        column = _maps(array)
    elif is_list(kind):
        column = _lists(array)
    elif pa.types.is_boolean(kind) or (is_number(kind) and not pa.types.is_decimal(kind)):
        column = patch(texts(array), "[NI]", lambda text: f'"{text}"')
    else:
        column = _strings(texts(array))
    nothing = pa.scalar("null", pa.large_string())
    return pc.if_else(array.is_valid(), column, nothing)


def objects(names: list[str], columns: list[Column]) -> Column:
    """One JSON object per row, with the columns as its members."""
    parts: list[Column | str] = []
    for index, (name, column) in enumerate(zip(names, columns, strict=True)):
        parts += [("," if index else "{") + json.dumps(name, ensure_ascii=False) + ":", json_texts(column)]
    return _concat([*parts, "}"])


def unique(names: Iterable[str]) -> list[str]:
    """The names with `_1`, `_2`… added to those that were there before."""
    taken: set[str] = set()
    result: list[str] = []
    for name in names:
        candidate, number = name, 0
        while candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate)
        result.append(candidate)
    return result


def _strings(column: Column) -> Column:
    risky = pc.any(pc.match_substring_regex(column, r'["\\\x00-\x1f\x7f]')).as_py()
    if risky:
        return by_value(column, lambda text: json.dumps(text, ensure_ascii=False))
    return _concat(['"', column, '"'])


def _lists(array: Column) -> Column:
    return _concat(["[", _joined(array, json_texts(array.flatten())), "]"])


def _maps(array: Column) -> Column:
    kind = array.type
    entries = pa.struct([pa.field("key", kind.key_type), pa.field("value", kind.item_type)])
    as_list = array.cast(pa.list_(entries))
    keys, values = as_list.flatten().flatten()
    members = _concat([_strings(texts(keys)), ":", json_texts(values)])
    return _concat(["{", _joined(as_list, members), "}"])


def _joined(lists: Column, elements: Column) -> Column:
    """The elements of each list, joined by commas."""
    lengths = pc.fill_null(pc.list_value_length(lists), 0).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])
    # `binary_join` knows neither large lists nor large strings; chunks are far smaller than its limit.
    grouped = pa.ListArray.from_arrays(offsets, elements.cast(pa.string()))
    return pc.binary_join(grouped, ",").cast(pa.large_string())


def _concat(parts: list[Column | str]) -> Column:
    kind = pa.large_string()
    columns = [pa.scalar(part, kind) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*columns, pa.scalar("", kind))


def _constant(text: str, rows: int) -> Column:
    return pa.repeat(pa.scalar(text, pa.large_string()), rows)
