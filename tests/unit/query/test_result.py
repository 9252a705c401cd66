"""A result and its reader, without an engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pyarrow as pa
import pytest

from sqe.core.errors import CanceledError, EngineDiedError, InternalError, QueryTimeoutError, ResultTooLargeError
from sqe.core.identity import Identity
from sqe.query.admission import Admission
from sqe.query.lifecycle import Query, QueryState
from sqe.query.result import ResultStream
from sqe.query.settings import QuerySettings
from sqe.spark.session import SparkStatement

_SCHEMA = pa.schema([("x", pa.int64())])
_BATCH = pa.record_batch([pa.array([1, 2])], schema=_SCHEMA)


class Work:
    """Stands for a statement of the engine's: three batches, unless it was canceled."""

    def __init__(self, *, dead: bool = False) -> None:
        self.dead = dead
        self.canceled = self.closed = 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        for _ in range(3):
            if self.canceled:
                raise CanceledError("the job was canceled")
            yield _BATCH

    def cancel(self) -> None:
        self.canceled += 1
        if self.dead:
            raise EngineDiedError("gone")

    def close(self) -> None:
        self.closed += 1


class Running:
    """A query that has its only place and whose columns are known."""

    def __init__(self, max_rows: int = 0, *, dead: bool = False) -> None:
        self.admission = Admission(QuerySettings(max_concurrent_queries=1))
        self.work = Work(dead=dead)
        self.query = Query("id", "SELECT 1", "query", Identity("ann"), "s")
        self.admission.admit(self.query)
        self.query.start(0)
        self.result = ResultStream(self.query, cast("SparkStatement", self.work), _SCHEMA, max_rows)

    def facts(self) -> tuple[Any, ...]:
        """The state, whether the place is taken, how often the work was closed."""
        return self.query.state, self.admission.running, self.work.closed


def test_a_reader_to_the_end() -> None:
    running = Running()
    assert sum(batch.num_rows for batch in running.result) == running.query.rows == 6
    assert running.facts() == (QueryState.FINISHED, 0, 1)
    with pytest.raises(InternalError):
        list(running.result)


@pytest.mark.parametrize("dead", [False, True])
def test_a_stop_ends_what_nobody_reads(dead: bool) -> None:
    running = Running(dead=dead)
    assert running.query.cancel(QueryTimeoutError("too long"))
    assert running.facts() == (QueryState.FAILED, 0, 1)
    with pytest.raises(QueryTimeoutError):
        list(running.result)
    running.result.close()
    running.result.leave()
    assert running.facts() == (QueryState.FAILED, 0, 1)


def test_a_stop_ends_what_is_read_no_further() -> None:
    running = Running()
    batches = iter(running.result)
    next(batches)
    running.query.cancel()
    assert running.facts() == (QueryState.CANCELED, 0, 0)
    with pytest.raises(CanceledError):
        next(batches)
    assert running.facts() == (QueryState.CANCELED, 0, 1)


def test_a_stop_that_came_before_the_columns() -> None:
    query = Query("id", "SELECT 1", "query", Identity("ann"), "s")
    query.start(0)
    query.cancel()
    work = Work()
    result = ResultStream(query, cast("SparkStatement", work), _SCHEMA, 0)
    assert (query.state, work.canceled, work.closed) == (QueryState.CANCELED, 1, 1)
    with pytest.raises(CanceledError):
        list(result)


def test_a_reader_that_goes_away() -> None:
    running = Running()
    batches = iter(running.result)
    next(batches)
    cast("Any", batches).close()
    assert running.facts() == (QueryState.CANCELED, 0, 1)
    assert running.work.canceled == 1


def test_columns_alone() -> None:
    running = Running()
    running.result.leave()
    running.result.close()
    assert running.facts() == (QueryState.FINISHED, 0, 1)


def test_too_many_rows() -> None:
    running = Running(max_rows=3)
    with pytest.raises(ResultTooLargeError):
        list(running.result)
    assert running.facts() == (QueryState.FAILED, 0, 1)
