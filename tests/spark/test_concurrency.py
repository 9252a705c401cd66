"""Many writers at once: nothing is lost, and who loses a race is told so."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sqe.core.errors import CommitConflictError, SqeError
from sqe.server.local import LocalEngine

from .support import Client, client_of, rows, value


def together(engine: LocalEngine, count: int, work: Callable[[Client, int], object]) -> None:
    """Runs `work` in as many sessions, all starting at the same moment."""
    barrier = threading.Barrier(count)

    def one(number: int) -> None:
        client = client_of(engine)
        barrier.wait(60)
        work(client, number)
        client.close()

    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(one, number) for number in range(count)]:
            done.result(240)


def test_concurrent_inserts_all_arrive(session: Client, engine: LocalEngine, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t (writer INT, n INT)")

    def insert(client: Client, writer: int) -> None:
        for n in range(10):
            rows(client, f"INSERT INTO {schema}.t VALUES ({writer}, {n})")

    together(engine, 2, insert)
    found = [(row["writer"], row["n"]) for row in rows(session, f"SELECT * FROM {schema}.t")]
    assert sorted(found) == [(writer, n) for writer in range(2) for n in range(10)]


def test_concurrent_updates_of_one_row(session: Client, engine: LocalEngine, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS id, 0 AS n")
    outcomes: Counter[str] = Counter()
    lock = threading.Lock()

    def update(client: Client, _: int) -> None:
        for _ in range(4):
            try:
                rows(client, f"UPDATE {schema}.t SET n = n + 1 WHERE id = 1")
                outcome = "done"
            except CommitConflictError:
                outcome = "lost"
            with lock:
                outcomes[outcome] += 1

    together(engine, 4, update)
    assert outcomes.total() == 16
    assert outcomes["done"] >= 1
    assert rows(session, f"SELECT * FROM {schema}.t") == [{"id": 1, "n": outcomes["done"]}]
    rows(session, f"UPDATE {schema}.t SET n = -1")
    assert value(session, f"SELECT n FROM {schema}.t") == -1


def test_one_of_many_creates_wins(session: Client, engine: LocalEngine, schema: str) -> None:
    winners: list[int] = []
    losers: list[str] = []

    def create(client: Client, number: int) -> None:
        try:
            rows(client, f"CREATE TABLE {schema}.t AS SELECT {number} AS x")
            winners.append(number)
        except SqeError as error:
            losers.append(error.code)

    together(engine, 4, create)
    assert len(winners) == 1
    assert set(losers) <= {"ALREADY_EXISTS", "COMMIT_CONFLICT"}
    assert rows(session, f"SELECT * FROM {schema}.t") == [{"x": winners[0]}]


def test_readers_are_not_disturbed_by_a_writer(session: Client, engine: LocalEngine, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT id, 0 AS version FROM range(1000)")

    def work(client: Client, number: int) -> None:
        for version in range(1, 6):
            if number == 0:
                rows(client, f"INSERT OVERWRITE {schema}.t SELECT id, {version} FROM range(1000)")
            else:
                found = rows(client, f"SELECT version, count(*) AS c FROM {schema}.t GROUP BY version")
                assert [row["c"] for row in found] == [1000]

    together(engine, 3, work)


def test_statements_of_one_session_from_many_threads(session: Client) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: value(session, f"SELECT sum(id) + {n} FROM range(100)"), range(20)))
    assert found == [4950 + n for n in range(20)]
