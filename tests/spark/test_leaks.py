"""Sessions leave nothing behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from sqe.server.local import LocalEngine

from .support import Client, client_of, own_engine, rows, value, wait_until

SESSIONS = 200
#: Pools in the JVM breathe a little.
TOLERANCE = 8


def counts(pid: int) -> tuple[int, int]:
    """Threads and open files of a process."""
    return len(list(Path(f"/proc/{pid}/task").iterdir())), len(list(Path(f"/proc/{pid}/fd").iterdir()))


def use_and_close(engine: LocalEngine, schema: str) -> None:
    client = client_of(engine)
    rows(client, f"CREATE TABLE mine AS SELECT * FROM {schema}.leak")
    client.close()


def test_many_sessions_leave_nothing_behind(session: Client, engine: LocalEngine, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.leak AS SELECT 1 AS x")
    for _ in range(20):
        use_and_close(engine, schema)
    pid = engine.spark.running_pid()
    assert pid is not None
    threads, files = counts(pid)
    for _ in range(SESSIONS):
        use_and_close(engine, schema)
    assert engine.spark.running_pid() == pid

    def flat() -> bool:
        now = counts(pid)
        return now[0] <= threads + TOLERANCE and now[1] <= files + TOLERANCE

    wait_until(flat, f"as few threads and files as before: {threads, files}, now {counts(pid)}")
    # This session's folder and that of the session in reserve may be there.
    assert len(list(engine.spark.scratch.glob("memory/*"))) <= 2
    assert value(session, f"SELECT x FROM {schema}.leak") == 1


def test_what_the_jvm_leaves_when_killed_lies_in_its_own_folder(tmp_path: Path) -> None:
    before = set(Path("/tmp").iterdir())
    with own_engine(tmp_path) as engine:
        rows(client_of(engine), "CREATE TABLE iceberg.default.made AS SELECT 1 AS x")
        jvm = engine.spark.running_pid()
        assert jvm is not None
        os.kill(jvm, signal.SIGKILL)
        own = engine.spark.scratch
    left = [path.name for path in set(Path("/tmp").iterdir()) - before if path != own]
    assert [name for name in left if name.startswith(("artifacts-", "sqlite-", "liblz4-", "snappy-"))] == []
    assert not own.exists()
