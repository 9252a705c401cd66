"""Many clients at once, some of which cancel, hang up or never come back: everything that began ends."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator

import httpx2
import pyarrow as pa

from sqe.core.errors import SqlDataError
from sqe.endpoints.trino_http.app import TrinoEndpoint
from sqe.endpoints.trino_http.server import HttpServer
from sqe.endpoints.trino_http.settings import TrinoSettings
from sqe.query.lifecycle import Query

from .conftest import World, basic

_BATCH = pa.record_batch({"n": pa.array(range(3000), pa.int64()), "t": pa.array(["some text"] * 3000)})


def _rows(query: Query) -> Iterator[pa.RecordBatch]:
    for index in range(6):
        query.refuse_if_stopped()
        if "fail" in query.sql and index == 3:
            raise SqlDataError("a value is bad")
        yield _BATCH


class _Client:
    """Does one thing after the other, each as chance has it."""

    def __init__(self, url: str, number: int) -> None:
        self._url = url
        self._chance = random.Random(number)  # noqa: S311 - no secret
        self._login = basic(f"user{number % 4}")
        self.seen: Counter[str] = Counter()

    def run(self) -> None:
        with httpx2.Client(timeout=60) as http:
            for _ in range(12):
                what = self._chance.choice(["read", "read", "fail", "cancel", "leave", "repeat"])
                self.seen[f"{what} {self._one(http, what)}"] += 1

    def _one(self, http: httpx2.Client, what: str) -> str:
        wait = self._chance.choice(["1ms", "20ms", "1s"])
        sql = "fail" if what == "fail" else "rows"
        answer = http.post(f"{self._url}?maxWait={wait}", content=sql, headers=self._login).json()
        rows = len(answer.get("data", []))
        while "nextUri" in answer:
            uri = answer["nextUri"]
            if what == "leave":
                return "left"
            if what == "cancel" and self._chance.random() < 0.5:
                assert http.delete(uri, headers=self._login).status_code == 204
                return "canceled"
            found = http.get(uri, headers=self._login)
            if what == "repeat":
                assert http.get(uri, headers=self._login).content == found.content
            answer = found.json()
            rows += len(answer.get("data", []))
        if "error" in answer:
            return str(answer["error"]["errorName"])
        assert rows == 18_000
        return "all rows"


def test_everything_that_began_ends(world: World) -> None:
    for sql in ("rows", "fail"):
        world.scripts[sql] = lambda query: (_BATCH.schema, _rows(query))
    settings = TrinoSettings(page_bytes=64 << 10, max_threads=8)
    server = HttpServer(TrinoEndpoint(world.endpoint.gate, world.work_of, settings).app(), "127.0.0.1", 0)
    clients = [_Client(f"http://127.0.0.1:{server.port}/v1/statement", number) for number in range(12)]
    threads = [threading.Thread(target=client.run) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.close()
    seen: Counter[str] = sum((client.seen for client in clients), Counter())
    assert sum(seen.values()) == 12 * 12, seen
    outcomes = {"all rows", "left", "canceled", "INVALID_FUNCTION_ARGUMENT"}
    assert {name.partition(" ")[2] for name in seen} <= outcomes, seen
    assert not [name for name in seen if name.startswith("fail") and name.endswith("all rows")]
    assert world.tracker.running() == []
    assert all(statement.closed for statement in world.statements)
    assert all(work.closed for work in world.works)
