"""What the tests of this tier share: clients of an engine, looks into its JVM, patient waiting."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from sqe.catalogs.embedded import Warehouses
from sqe.core.errors import SqeError
from sqe.core.folders import Folders
from sqe.core.identity import Identity
from sqe.core.ids import new_query_id
from sqe.query.lifecycle import Query, QueryListener
from sqe.query.pipeline import Pipeline
from sqe.query.result import ResultStream
from sqe.query.sessions import Session
from sqe.query.tracker import QueryTracker
from sqe.server.local import Engine, LocalEngine
from sqe.settings import Settings, load

#: Never ends in the time of a test run, and has tasks that notice a cancel.
LONG_QUERY = "SELECT count(*) FROM range(0, 10000000, 1, 4) a JOIN range(100000) b ON (a.id + b.id) % 7 = 13"

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Client:
    """One session of an engine; opened on first use, as every way in does it."""

    engine: LocalEngine
    identity: Identity
    id: str = field(default_factory=new_query_id)

    @property
    def session(self) -> Session:
        return self.engine.sessions.open(self.id, self.identity)

    def run(self, sql: str, pipeline: Pipeline | None = None) -> ResultStream:
        return (pipeline or self.engine.pipeline).run(self.session, sql)

    def close(self) -> None:
        self.engine.sessions.close_session(self.id)


def client_of(engine: LocalEngine, user: str | None = None) -> Client:
    return Client(engine, engine.identity if user is None else Identity(user=user))


@contextmanager
def open_client(engine: LocalEngine) -> Iterator[Client]:
    client = client_of(engine)
    yield client
    client.close()


def table(session: Client, sql: str, pipeline: Pipeline | None = None) -> pa.Table:
    """The whole result of a statement."""
    result = session.run(sql, pipeline)
    return pa.Table.from_batches(list(result), result.schema)


def rows(session: Client, sql: str, pipeline: Pipeline | None = None) -> list[dict[str, Any]]:
    """The rows of a statement; what has columns of one name twice needs `table`."""
    answer: list[dict[str, Any]] = table(session, sql, pipeline).to_pylist()
    return answer


def value(session: Client, sql: str) -> Any:
    """The only value of the only row."""
    found = table(session, sql)
    assert (found.num_rows, found.num_columns) == (1, 1)
    return found.column(0)[0].as_py()


def failure(session: Client, sql: str, pipeline: Pipeline | None = None) -> SqeError:
    """The error that a statement ends with, at its start or while it is read."""
    try:
        found = table(session, sql, pipeline)
    except SqeError as error:
        return error
    raise AssertionError(f"no error but {found.num_rows} rows")


def settings_of(folder: Path, **overrides: object) -> Settings:
    """Embedded settings; `engine__memory_limit="64MB"` sets `engine.memory_limit`."""
    chosen = {"engine.memory_limit": "512MB"} | {key.replace("__", "."): item for key, item in overrides.items()}
    return load(config_path=None, environ={}, overrides=chosen, embedded=True, cwd=folder).settings


def make_engine(folder: Path, catalogs: dict[str, Path] | None = None, **overrides: object) -> LocalEngine:
    """An engine with its warehouse and its logs in `folder`."""
    return LocalEngine(
        settings_of(folder, **overrides),
        Folders.of_user(os.environ),
        Warehouses.of(catalogs or {}, memory=False, default=folder / "warehouse"),
        environ=os.environ,
        log_folder=folder / "log",
    )


@contextmanager
def own_engine(folder: Path, catalogs: dict[str, Path] | None = None, **overrides: object) -> Iterator[LocalEngine]:
    engine = make_engine(folder, catalogs, **overrides)
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def own_pipeline(
    engine: LocalEngine, *, listeners: tuple[QueryListener, ...] = (), **query_settings: object
) -> Iterator[Pipeline]:
    """A pipeline with limits of its own into the same engine."""
    limits = engine.settings.query.model_copy(update=query_settings)
    tracker = QueryTracker(limits, engine.settings.query_history, listeners)
    yield Pipeline(limits, tracker)
    tracker.close()


def wait_until(condition: Callable[[], _Answer | None], what: str, secs: float = 60) -> _Answer:
    """The first answer that counts as true; fails when none comes."""
    deadline = time.monotonic() + secs
    while time.monotonic() < deadline:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"not within {secs} s: {what}")


@contextmanager
def in_background(function: Callable[[], _Answer]) -> Iterator[Future[_Answer]]:
    """A test that fails does not wait for it: it may be what hangs, and ends with its engine."""
    pool = ThreadPoolExecutor(1)
    waiting = pool.submit(function)
    try:
        yield waiting
    except BaseException:
        pool.shutdown(wait=False)
        raise
    pool.shutdown()


def active_jobs(engine: Engine) -> int:
    """How many Spark jobs run in the engine at this moment."""
    return len(context_of(engine).statusTracker().getActiveJobIds())


def context_of(engine: Engine) -> Any:
    """The Spark context of the engine; while it starts, `getOrCreate` alone would make another one."""
    jvm = engine.spark.jvm()
    jvm.entry_point.awaitReady()
    return jvm.gateway.jvm.org.apache.spark.SparkContext.getOrCreate()


def running_query(session: Client, sql: str, pipeline: Pipeline | None = None) -> Query:
    """The query of this text once Spark works on it."""
    tracker = (pipeline or session.engine.pipeline).tracker

    def found() -> Query | None:
        mine = [query for query in tracker.running() if query.sql == sql and query.session_id == session.id]
        return mine[0] if mine and active_jobs(session.engine) else None

    return wait_until(found, "a Spark job of the statement")


def running_tasks(engine: Engine) -> int:
    """How many tasks, of whatever job, are at work; those of a canceled job may go on for a while."""
    return sum(executor.numRunningTasks() for executor in context_of(engine).statusTracker().getExecutorInfos())


def jobs_end(engine: Engine) -> None:
    """Waits for the end of all Spark jobs and of their tasks."""
    wait_until(lambda: active_jobs(engine) == running_tasks(engine) == 0, "the end of all Spark jobs")


#: What tells of the engine underneath; a user has no use for it.
_INTERNAL = re.compile(
    r"sqe_|sqe\.jvm|org\.apache|\bspark\.|\b(?:java|scala|software\.amazon)\.\w|#\d|SQLSTATE|== SQL|\+- |\tat |\n|"
    "[\ue000-\uf8ff]"
)


def public(error: SqeError, sql: str = "") -> None:
    """What every error has to be: of our words, in one line. What the user wrote may stand in it."""
    for text in (error.message, error.hint or ""):
        found = [part for part in _INTERNAL.findall(text) if part not in sql]
        assert not found, f"{found} in {text!r}"
    assert error.message
    assert not error.message.startswith("[")
    assert error.code != "INTERNAL"
