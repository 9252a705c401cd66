"""Kinds of columns, for those who write them."""

from __future__ import annotations

import pyarrow as pa


def is_number(kind: pa.DataType) -> bool:
    """Whether values of the type are numbers: shown right-aligned, written to JSON without quotes."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
