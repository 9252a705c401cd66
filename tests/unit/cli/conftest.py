"""An engine made of canned answers."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Iterator

import pyarrow as pa
import pytest

from sqe.core.errors import CanceledError, NotFoundError, SqeError
from sqe.core.progress import Progress


class FakeResult:
    def __init__(self, schema: pa.Schema, batches: list[pa.RecordBatch], error: SqeError | None = None) -> None:
        self.query_id = "q1"
        self.schema = schema
        self.batches = batches
        self.error = error
        self.closed = False

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        yield from self.batches
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed = True


def result(data: dict[str, object]) -> FakeResult:
    table = pa.table(data)
    return FakeResult(table.schema, table.to_batches())


class FakeConnection:
    """Answers by the text of the statement; a statement that hangs ends when it is canceled."""

    def __init__(self) -> None:
        self.answers: dict[str, FakeResult | Exception] = {}
        self.hanging: set[str] = set()
        self.deaf = False
        self.statements: list[str] = []
        self.running = threading.Event()
        self.canceled = threading.Event()
        self.cancels = 0

    def answer(self, sql: str, **columns: list[object]) -> None:
        self.answers[sql] = result(dict(columns))

    def execute(self, sql: str) -> FakeResult:
        self.statements.append(sql)
        if sql in self.hanging:
            self.running.set()
            self.canceled.wait(20)
            self.canceled.clear()
            raise CanceledError("stopped")
        answer = self.answers.get(sql)
        if answer is None:
            raise NotFoundError(f"no answer for: {sql}")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def progress(self) -> Progress | None:
        return Progress("q1", "RUNNING", 1.0, stages=4, stages_done=1, tasks=200, tasks_done=31, rows=1_200_000)

    def cancel(self) -> None:
        self.cancels += 1
        if not self.deaf:
            self.canceled.set()

    def close(self) -> None:
        pass


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def engine() -> FakeConnection:
    return FakeConnection()


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Makes SIGINT a KeyboardInterrupt, whatever the test run inherited."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
