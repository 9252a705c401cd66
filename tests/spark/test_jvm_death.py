"""A JVM that dies: a clear error, and the next statement works on a new one."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.core.errors import EngineDiedError, ExhaustedError, SqeError
from sqe.query.lifecycle import QueryState
from sqe.server.local import LocalEngine

from .support import (
    LONG_QUERY,
    Client,
    client_of,
    failure,
    in_background,
    own_engine,
    rows,
    running_query,
    value,
    wait_until,
)

STREAM = "SELECT id, rpad('x', 100, 'x') AS s FROM range(0, 2000000, 1, 8)"


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """An engine whose JVM may be killed, with one persistent table of ten rows."""
    with own_engine(tmp_path_factory.mktemp("mortal"), engine__bytes_in_flight="4MB") as engine:
        client = client_of(engine)
        rows(client, "CREATE TABLE iceberg.default.kept AS SELECT id FROM range(10)")
        client.close()
        yield engine


@pytest.fixture
def client(mortal: LocalEngine) -> Iterator[Client]:
    client = client_of(mortal)
    yield client
    client.close()


def kill(engine: LocalEngine) -> int:
    pid = engine.spark.running_pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


def dead(engine: LocalEngine) -> None:
    wait_until(lambda: engine.spark.running_pid() is None, "the end of the JVM")


def test_killed_in_the_middle_of_a_statement(client: Client, mortal: LocalEngine) -> None:
    rows(client, "CREATE TABLE in_memory AS SELECT 1 AS x")
    with in_background(lambda: failure(client, LONG_QUERY)) as waiting:
        query = running_query(client, LONG_QUERY)
        killed = kill(mortal)
        error = waiting.result(60)
    assert isinstance(error, EngineDiedError)
    assert (error.query_id, query.state, query.error) == (query.id, QueryState.FAILED, error)
    assert "\n" not in error.message
    assert str(mortal.spark.log_folder) in (error.hint or "")
    assert value(client, "SELECT sum(id) FROM iceberg.default.kept") == 45
    assert mortal.spark.running_pid() not in (None, killed)
    assert failure(client, "SELECT * FROM in_memory").code == "NOT_FOUND"


def test_death_leaves_no_stack_trace_on_the_screen(
    client: Client, mortal: LocalEngine, caplog: pytest.LogCaptureFixture
) -> None:
    value(client, "SELECT 1")
    with in_background(lambda: failure(client, LONG_QUERY)) as waiting:
        running_query(client, LONG_QUERY)
        kill(mortal)
        waiting.result(60)
    assert [record for record in caplog.records if not record.name.startswith("sqe")] == []


def test_killed_between_statements(client: Client, mortal: LocalEngine) -> None:
    value(client, "SELECT 1")
    kill(mortal)
    dead(mortal)
    assert value(client, "SELECT count(*) FROM iceberg.default.kept") == 10


def test_killed_while_streaming(client: Client, mortal: LocalEngine) -> None:
    result = client.run(STREAM)
    batches = iter(result)
    next(batches)
    kill(mortal)
    with pytest.raises(EngineDiedError):
        list(batches)
    assert result.query.state is QueryState.FAILED
    assert value(client, "SELECT 7") == 7


def test_killed_in_an_insert(client: Client, mortal: LocalEngine) -> None:
    rows(client, "CREATE OR REPLACE TABLE iceberg.default.growing AS SELECT id, 'x' AS s FROM range(5)")
    insert = "INSERT INTO iceberg.default.growing SELECT id, uuid() FROM range(100000000000)"
    data = Path(mortal.spark.log_folder).parent / "warehouse" / "iceberg" / "default" / "growing" / "data"
    before = len(list(data.iterdir()))
    with in_background(lambda: failure(client, insert)) as waiting:
        running_query(client, insert)
        wait_until(lambda: len(list(data.iterdir())) > before, "a file of the insert")
        kill(mortal)
        assert isinstance(waiting.result(60), EngineDiedError)
    assert value(client, "SELECT count(*) FROM iceberg.default.growing") == 5
    rows(client, "INSERT INTO iceberg.default.growing VALUES (5, 'y')")
    assert value(client, "SELECT sum(id) FROM iceberg.default.growing") == 15


def test_cancel_and_close_after_death(client: Client, mortal: LocalEngine) -> None:
    result = client.run(STREAM)
    batches = iter(result)
    next(batches)
    kill(mortal)
    dead(mortal)
    assert result.query.cancel() is True
    client.close()
    with pytest.raises(SqeError):
        list(batches)
    assert result.query.state.ended


def test_many_sessions_after_death(mortal: LocalEngine) -> None:
    clients = [client_of(mortal) for _ in range(4)]
    for client in clients:
        value(client, "SELECT 1")
    kill(mortal)
    dead(mortal)
    with in_background(lambda: [value(client, "SELECT 1") for client in clients[:2]]) as waiting:
        assert [value(client, "SELECT 1") for client in clients[2:]] == [1, 1]
        assert waiting.result(120) == [1, 1]
    for client in clients:
        client.close()


def test_out_of_memory(tmp_path: Path) -> None:
    with own_engine(tmp_path, engine__memory_limit="64MB") as engine:
        client = client_of(engine)
        rows(client, "CREATE TABLE iceberg.default.kept AS SELECT id FROM range(10)")
        error = failure(client, "SELECT max(length(rpad(CAST(id AS VARCHAR), 1400000000, 'x'))) FROM range(0, 4, 1, 2)")
        assert isinstance(error, ExhaustedError)
        assert error.code == "OUT_OF_MEMORY"
        assert "engine.memory_limit" in (error.hint or "")
        assert value(client, "SELECT sum(id) FROM iceberg.default.kept") == 45
        # What does not fit in memory but can be spilled works.
        sql = "SELECT count(*) FROM (SELECT id, rpad('x', 200, 'x') AS s FROM range(1000000) ORDER BY hash(id), s)"
        assert value(client, sql) == 1_000_000
