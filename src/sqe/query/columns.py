"""What Arrow columns are, whatever their layout: those that write them as text or JSON need not know layouts."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute

# An Arrow array of any type: the stubs' generics know few of the kernels that are used here.
Column: TypeAlias = Any
pc: Any = pyarrow.compute


def plain(array: Column) -> Column:
    """The array without the encodings that only save space: dictionaries, runs, extensions."""
    while True:
        kind = array.type
        if isinstance(kind, pa.BaseExtensionType):
            array = array.storage
        elif pa.types.is_dictionary(kind):
            array = array.dictionary_decode()
        elif pa.types.is_run_end_encoded(kind):
            array = pc.run_end_decode(array)
        else:
            return array


def is_binary(kind: pa.DataType) -> bool:
    """Whether the values are bytes, in any layout."""
    types = pa.types
    return bool(
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_binary_view(kind)
    )


def is_list(kind: pa.DataType) -> bool:
    """Whether the values are lists, in any layout."""
    types = pa.types
    return bool(
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_fixed_size_list(kind)
        or types.is_list_view(kind)
        or types.is_large_list_view(kind)
    )
