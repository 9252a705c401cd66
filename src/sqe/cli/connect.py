"""What the shell needs of an engine, wherever it runs: in this process, behind a Unix socket, behind a network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from sqe.core.progress import Progress

if TYPE_CHECKING:
    import pyarrow as pa


class Result(Protocol):
    """The rows of one statement, read once."""

    @property
    def query_id(self) -> str:
        """The id of the statement."""

    @property
    def schema(self) -> pa.Schema:
        """The columns; known before the first batch."""

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The batches in order. Raises `SqeError` when the statement fails on its way."""

    def close(self) -> None:
        """Stop reading; a statement that still runs is canceled."""


class Connection(Protocol):
    """A session with an engine. One statement at a time; `progress` and `cancel` come from other threads."""

    def execute(self, sql: str) -> Result:
        """Run a statement; blocks until its columns are known. Raises `SqeError`."""

    def progress(self) -> Progress | None:
        """How far the running statement is, or None when nothing is known."""

    def cancel(self) -> None:
        """Stop the running statement; its `execute` or iteration then raises `CanceledError`."""

    def close(self) -> None:
        """End the session."""
