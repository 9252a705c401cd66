"""The cells of a small table, value by value in Python: the same texts as `cell_text`, without loading its kernels."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

from sqe.cli.text_width import visible

#: Above this many rows whole columns are faster.
FEW_ROWS = 300

_PLAIN: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "true" if value else "false",
    int: str,
    str: visible,
    Decimal: lambda value: f"{value:f}",
    date: date.isoformat,
    type(None): lambda _: "NULL",
}


def few_cells(column: pa.Array[Any]) -> list[str]:
    """The texts of a column; types that are not plain in Python take the way of large tables."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind) or _is_easy(kind):
        return [_PLAIN[type(value)](value) for value in column.to_pylist()]
    from sqe.cli.many_rows import cells

    return list(cells(column).to_pylist())


def _is_easy(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_decimal(kind) or types.is_date32(kind))
