from __future__ import annotations

import time

import pytest

from sqe.core.errors import CanceledError, DeniedError, InternalError, NotFoundError, QueryTimeoutError, SqlSyntaxError
from sqe.core.identity import Identity
from sqe.query.lifecycle import Query, QueryState
from sqe.query.settings import HistorySettings, QuerySettings
from sqe.query.tracker import QueryTracker

_ANN = Identity("ann")


class Notes:
    def __init__(self) -> None:
        self.states: list[QueryState] = []

    def query_changed(self, query: Query) -> None:
        self.states.append(query.state)


def _query(notes: Notes) -> Query:
    return Query("id", "SELECT 1", "query", _ANN, "s", (notes,))


def test_a_life() -> None:
    notes = Notes()
    query = _query(notes)
    query.start(0)
    query.finish()
    assert notes.states == [QueryState.RUNNING, QueryState.FINISHED]
    assert not query.cancel()


def test_an_end_is_final() -> None:
    query = _query(Notes())
    query.start(0)
    query.finish()
    with pytest.raises(InternalError):
        query.start(0)
    query.fail(SqlSyntaxError("late"))
    assert query.state is QueryState.FINISHED


def test_who_asked_for_the_stop_decides_what_is_shown() -> None:
    query = _query(Notes())
    query.start(0)
    query.cancel(QueryTimeoutError("too long"))
    query.cancel(CanceledError("also"))
    shown = query.fail(InternalError("the job broke"))
    assert shown.message == "too long"
    assert shown.query_id == "id"
    assert query.state is QueryState.FAILED


def test_a_stop_before_the_work_begins_is_kept() -> None:
    query = _query(Notes())
    query.cancel()
    stopped: list[bool] = []
    query.on_stop(lambda: stopped.append(True))
    assert stopped == [True]


def test_an_engine_that_is_gone_needs_no_stop() -> None:
    query = _query(Notes())

    def gone() -> None:
        raise InternalError("no JVM")

    query.on_stop(gone)
    assert query.cancel()


def test_tracker_remembers_within_bounds_and_guards_cancel() -> None:
    tracker = QueryTracker(QuerySettings(), HistorySettings(max_entries=2, ttl_secs=60))
    try:
        queries = [tracker.admit(f"SELECT {n}", "query", _ANN, "s") for n in range(3)]
        with pytest.raises(DeniedError):
            tracker.cancel(queries[0].id, Identity("bob"))
        for query in queries:
            query.start(0)
            query.finish()
        assert [query.sql for query in tracker.history()] == ["SELECT 1", "SELECT 2"]
        assert tracker.running() == []
        with pytest.raises(NotFoundError):
            tracker.get(queries[0].id)
    finally:
        tracker.close()


def test_a_deadline_passes() -> None:
    tracker = QueryTracker(QuerySettings(), HistorySettings())
    try:
        query = tracker.admit("SELECT 1", "query", _ANN, "s")
        stopped: list[bool] = []
        query.on_stop(lambda: stopped.append(True))
        query.start(0.01)
        give_up = time.monotonic() + 30
        while not stopped and time.monotonic() < give_up:
            time.sleep(0.01)
        assert isinstance(query.fail(InternalError("x")), QueryTimeoutError)
    finally:
        tracker.close()
