"""A result that the shell makes itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


class RowsResult:
    """Rows of strings as a `Result`."""

    query_id = ""

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        import pyarrow as pa

        columns = [pa.array([row[index] for row in rows], pa.string()) for index in range(len(names))]
        self._batch = pa.RecordBatch.from_arrays(columns, names=list(names))

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        return self._batch.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """All rows at once."""
        yield self._batch

    def close(self) -> None:
        """Nothing to let go."""
