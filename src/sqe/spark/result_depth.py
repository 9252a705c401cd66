"""How deep the types of a result may be nested: readers of Arrow stop at 64 levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.core.errors import StatementTooComplexError

if TYPE_CHECKING:
    import pyarrow as pa

_DEEPEST = 60


def read_schema(message: bytes) -> pa.Schema:
    """The schema that the JVM sent. Raises for one that no client could read."""
    import pyarrow as pa

    try:
        schema = pa.ipc.read_schema(pa.py_buffer(message))
    except OSError as error:
        # The reader refuses a message that is nested too deeply before it looks into it.
        raise _too_deep("a column") from error
    for field in schema:
        if field.type.num_fields and _depth(field.type) > _DEEPEST:
            raise _too_deep(f"the column {field.name[:40]}")
    return schema


def _too_deep(what: str) -> StatementTooComplexError:
    return StatementTooComplexError(f"{what} of the result is nested more than {_DEEPEST} levels deep")


def _depth(kind: pa.DataType) -> int:
    """Levels of a type, counted without recursion: it is as deep as somebody wanted it to be."""
    deepest, waiting = 0, [(kind, 1)]
    while waiting:
        current, level = waiting.pop()
        deepest = max(deepest, level)
        waiting += [(current.field(number).type, level + 1) for number in range(current.num_fields)]
    return deepest
