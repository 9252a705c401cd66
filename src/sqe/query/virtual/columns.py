"""Columns for virtual tables: rows come as tuples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

TEXT, WHOLE, NUMBER, FLAG, MOMENT = "string", "int64", "double", "bool_", "moment"


def table_of(columns: Mapping[str, str], rows: Iterable[tuple[Any, ...]]) -> pa.Table:
    """An Arrow table with these columns: name and kind."""
    import pyarrow as pa

    types = {
        TEXT: pa.string(),
        WHOLE: pa.int64(),
        NUMBER: pa.float64(),
        FLAG: pa.bool_(),
        MOMENT: pa.timestamp("us", "UTC"),
    }
    gathered = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [pa.array(list(values), types[kind]) for values, kind in zip(gathered, columns.values(), strict=True)]
    return pa.Table.from_arrays(arrays, names=list(columns))
