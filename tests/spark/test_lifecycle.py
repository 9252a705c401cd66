"""The life of a query: states, ids, history, limits, and that a cancel really stops the work."""

from __future__ import annotations

import threading
import time
import uuid
from pathlib import Path

import pytest

from sqe.core.errors import (
    CanceledError,
    DeniedError,
    NotFoundError,
    QueryTimeoutError,
    ResultTooLargeError,
    StatementTooLargeError,
)
from sqe.core.identity import Identity
from sqe.query.lifecycle import Query, QueryState
from sqe.query.pipeline import Pipeline
from sqe.query.settings import HistorySettings
from sqe.query.tracker import QueryTracker
from sqe.server.local import LocalEngine

from .support import (
    LONG_QUERY,
    Client,
    client_of,
    failure,
    in_background,
    jobs_end,
    own_engine,
    own_pipeline,
    rows,
    running_query,
    table,
    value,
    wait_until,
)

STREAM = "SELECT id, rpad('x', 100, 'x') AS s FROM range(0, 2000000, 1, 8)"


class Recorder:
    """A listener that writes down what it is told."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, QueryState]] = []

    def query_changed(self, query: Query) -> None:
        self.changes.append((query.id, query.state))


def test_states_of_a_query(session: Client, engine: LocalEngine) -> None:
    result = session.run("SELECT id FROM range(0, 100, 1, 2)")
    assert result.query.state is QueryState.RUNNING
    assert result.query in engine.tracker.running()
    list(result)
    query = engine.tracker.get(result.query_id)
    assert query.state is QueryState.FINISHED
    assert query not in engine.tracker.running()
    assert (query.rows, query.kind, query.session_id, query.error) == (100, "query", session.id, None)
    assert query.created <= (query.started or 0) <= (query.ended or 0)


def test_ids_are_uuids_of_version_7_and_sort_by_time(session: Client) -> None:
    first = session.run("SELECT 1")
    list(first)
    time.sleep(0.002)
    second = session.run("SELECT 1")
    list(second)
    assert uuid.UUID(first.query_id).version == 7
    assert first.query_id < second.query_id


def test_an_error_names_its_query(session: Client, engine: LocalEngine) -> None:
    for sql in ("SELEC 1", "SELECT 1 / (id - id) FROM range(0, 10, 1, 2)"):
        error = failure(session, sql)
        assert error.query_id is not None
        query = engine.tracker.get(error.query_id)
        assert (query.sql, query.state, query.error) == (sql, QueryState.FAILED, error)


def test_listeners_hear_every_change(session: Client, engine: LocalEngine) -> None:
    recorder = Recorder()
    with own_pipeline(engine, listeners=(recorder,)) as pipeline:
        rows(session, "SELECT 1", pipeline)
        failure(session, "SELEC", pipeline)
        session.run("SELECT 1", pipeline).close()
    assert [state for _, state in recorder.changes] == [
        QueryState.RUNNING,
        QueryState.FINISHED,
        QueryState.RUNNING,
        QueryState.FAILED,
        QueryState.RUNNING,
        QueryState.CANCELED,
    ]
    assert len({query_id for query_id, _ in recorder.changes}) == 3


def test_history_is_bounded_and_in_order(session: Client, engine: LocalEngine) -> None:
    tracker = QueryTracker(engine.settings.query, HistorySettings(max_entries=3))
    pipeline = Pipeline(engine.settings.query, tracker)
    for number in range(5):
        rows(session, f"SELECT {number}", pipeline)
    first_kept = tracker.history()[0]
    assert [query.sql for query in tracker.history()] == ["SELECT 2", "SELECT 3", "SELECT 4"]
    rows(session, "SELECT 5", pipeline)
    with pytest.raises(NotFoundError):
        tracker.get(first_kept.id)
    tracker.close()


def test_history_forgets_with_time(session: Client, engine: LocalEngine) -> None:
    tracker = QueryTracker(engine.settings.query, HistorySettings(ttl_secs=1))
    rows(session, "SELECT 1", Pipeline(engine.settings.query, tracker))
    wait_until(lambda: not tracker.history(), "an empty history")
    tracker.close()


@pytest.mark.parametrize(
    "sql",
    [LONG_QUERY, f"CREATE TABLE too_long AS {LONG_QUERY}", f"SELECT * FROM ({LONG_QUERY}) LIMIT 3"],
    ids=["query", "command", "small result"],
)
def test_timeout(session: Client, engine: LocalEngine, sql: str) -> None:
    with own_pipeline(engine, timeout_secs=1) as pipeline:
        error = failure(session, sql, pipeline)
        (query,) = pipeline.tracker.history()
    assert isinstance(error, QueryTimeoutError)
    assert (query.state, query.error, query.id) == (QueryState.FAILED, error, error.query_id)
    jobs_end(engine)
    assert value(session, "SELECT 7") == 7


def test_timeout_while_the_reader_is_slow(session: Client, engine: LocalEngine) -> None:
    with own_pipeline(engine, timeout_secs=3) as pipeline:
        result = session.run(STREAM, pipeline)
        batches = iter(result)
        next(batches)
        wait_until(lambda: result.query._stop_reason, "the time-out")
        with pytest.raises(QueryTimeoutError):
            list(batches)
        assert result.query.state is QueryState.FAILED
        jobs_end(engine)


@pytest.mark.parametrize(
    "sql",
    [
        LONG_QUERY,
        f"SELECT * FROM ({LONG_QUERY}) ORDER BY 1 LIMIT 3",
        f"CREATE TABLE iceberg.default.never AS {LONG_QUERY}",
    ],
    ids=["query", "small result", "command"],
)
def test_cancel_from_another_thread(session: Client, engine: LocalEngine, sql: str) -> None:
    with in_background(lambda: failure(session, sql)) as waiting:
        query = running_query(session, sql)
        assert engine.tracker.cancel(query.id, session.identity) is True
        error = waiting.result(60)
    assert isinstance(error, CanceledError)
    assert (query.state, error.query_id) == (QueryState.CANCELED, query.id)
    jobs_end(engine)
    assert engine.tracker.cancel(query.id, session.identity) is False
    assert rows(session, "SHOW TABLES IN iceberg.default LIKE 'never'") == []


def test_cancel_of_a_huge_write_ends_its_tasks(tmp_path: Path) -> None:
    sql = "CREATE TABLE iceberg.default.never AS SELECT id, uuid() AS u FROM range(100000000000)"
    with own_engine(tmp_path) as engine:
        client = client_of(engine)
        value(client, "SELECT 1")
        for delay in (0.0, 0.1, 0.5, 2.0):
            with in_background(lambda: failure(client, sql)) as waiting:
                query = running_query(client, sql)
                time.sleep(delay)
                query.cancel()
                assert isinstance(waiting.result(60), CanceledError)
            jobs_end(engine)
            assert rows(client, "SHOW TABLES IN iceberg.default") == []


def test_a_cancel_that_comes_before_the_jobs(session: Client, engine: LocalEngine) -> None:
    target = "iceberg.default.cancel_race"
    value(session, "SELECT 1")
    rows(session, f"CREATE TABLE {target} (n BIGINT)")
    sql = f"INSERT INTO {target} {LONG_QUERY}"
    for step in range(20):
        with in_background(lambda: failure(session, sql)) as waiting:
            query = wait_until(lambda: [query for query in engine.tracker.running() if query.sql == sql], "the query")[
                0
            ]
            time.sleep(step * 0.02)
            query.cancel()
            assert isinstance(waiting.result(60), CanceledError)
        jobs_end(engine)
    assert rows(session, f"SELECT * FROM {target}") == []


def test_cancel_while_streaming(session: Client, engine: LocalEngine) -> None:
    result = session.run(STREAM)
    batches = iter(result)
    next(batches)
    result.query.cancel()
    with pytest.raises(CanceledError) as caught:
        list(batches)
    assert caught.value.query_id == result.query_id
    assert result.query.state is QueryState.CANCELED
    jobs_end(engine)
    assert value(session, "SELECT 7") == 7


@pytest.mark.parametrize("timeout_secs", [0, 3])
def test_cancel_when_only_the_reader_is_left(session: Client, engine: LocalEngine, timeout_secs: int) -> None:
    with own_pipeline(engine, timeout_secs=timeout_secs) as pipeline:
        result = session.run("SELECT id FROM range(0, 400000, 1, 4)", pipeline)
        batches = iter(result)
        next(batches)
        wait_until(lambda: pipeline.progress(session.session)["tasks_done"] == 4, "the end of all tasks")
        if timeout_secs:
            wait_until(lambda: result.query._stop_reason, "the time-out")
        else:
            result.query.cancel()
        with pytest.raises(QueryTimeoutError if timeout_secs else CanceledError):
            list(batches)
        assert result.query.state is (QueryState.FAILED if timeout_secs else QueryState.CANCELED)


def test_cancel_before_the_first_row_is_read(session: Client, engine: LocalEngine) -> None:
    result = session.run(STREAM)
    result.query.cancel()
    with pytest.raises(CanceledError):
        list(result)
    assert result.query.state is QueryState.CANCELED
    jobs_end(engine)


def test_cancel_from_many_threads_at_once(session: Client, engine: LocalEngine) -> None:
    with in_background(lambda: failure(session, LONG_QUERY)) as waiting:
        query = running_query(session, LONG_QUERY)
        threads = [threading.Thread(target=query.cancel) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert isinstance(waiting.result(60), CanceledError)
    jobs_end(engine)
    # The threads of the JVM that were interrupted serve the next statements as if nothing had been.
    for number in range(20):
        assert value(session, f"SELECT {number}") == number


def test_closing_a_session_stops_its_query(session: Client, engine: LocalEngine) -> None:
    with in_background(lambda: failure(session, LONG_QUERY)) as waiting:
        running_query(session, LONG_QUERY)
        session.close()
        assert isinstance(waiting.result(60), CanceledError)
    jobs_end(engine)


def test_only_the_owner_cancels(session: Client, engine: LocalEngine) -> None:
    result = session.run("SELECT id FROM range(0, 10, 1, 2)")
    with pytest.raises(DeniedError):
        engine.tracker.cancel(result.query_id, Identity(user="mallory"))
    assert sum(batch.num_rows for batch in result) == 10
    with pytest.raises(NotFoundError):
        engine.tracker.cancel(str(uuid.uuid4()), session.identity)


@pytest.mark.parametrize("sql", ["SELECT id FROM range(0, 100000, 1, 4)", "SELECT id FROM range(1000) LIMIT 500"])
def test_too_many_rows(session: Client, engine: LocalEngine, sql: str) -> None:
    with own_pipeline(engine, max_result_rows=100) as pipeline:
        error = failure(session, sql, pipeline)
        assert isinstance(error, ResultTooLargeError)
        assert "100" in error.message
        assert pipeline.tracker.history()[0].state is QueryState.FAILED
        assert table(session, "SELECT id FROM range(100)", pipeline).num_rows == 100
    jobs_end(engine)


def test_a_statement_that_is_too_long(session: Client) -> None:
    error = failure(session, "SELECT '" + "x" * (5 << 20) + "'")
    assert isinstance(error, StatementTooLargeError)
    assert len(error.message) < 200
    # What counts is bytes, not characters.
    assert isinstance(failure(session, "SELECT '" + "é" * 600_000 + "'"), StatementTooLargeError)


def test_the_longest_statement_that_is_allowed(session: Client, engine: LocalEngine) -> None:
    limit = engine.settings.query.max_sql_bytes
    head, tail = "SELECT length('", "') AS n"
    filling = limit - len(head) - len(tail)
    assert rows(session, head + "x" * filling + tail) == [{"n": filling}]


def test_progress_of_a_running_statement(session: Client, engine: LocalEngine) -> None:
    assert engine.pipeline.progress(session.session) == {}
    with in_background(lambda: failure(session, LONG_QUERY)) as waiting:
        query = running_query(session, LONG_QUERY)
        facts = engine.pipeline.progress(session.session)
        assert (facts["query_id"], facts["state"]) == (query.id, "RUNNING")
        assert 0 <= facts["tasks_done"] <= facts["tasks"]
        query.cancel()
        waiting.result(60)
    assert engine.pipeline.progress(session.session) == {}


def test_text_that_is_not_unicode(session: Client, caplog: pytest.LogCaptureFixture) -> None:
    error = failure(session, "SELECT '\udcff'")
    assert error.kind.value == "user"
    assert caplog.records == []
    assert value(session, "SELECT 7") == 7
