"""Statements over HTTP: pages, repeats, ends, owners."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pyarrow as pa
import pytest

from sqe.core.errors import InternalError, SqlSemanticError, TooManyRequestsError
from sqe.endpoints.trino_http.settings import TrinoSettings
from sqe.query.lifecycle import Query

from .conftest import World, basic

_FIELDS: list[tuple[str, pa.DataType]] = [("n", pa.int64()), ("t", pa.string())]
_SCHEMA = pa.schema(_FIELDS)


def _batch(start: int, rows: int) -> pa.RecordBatch:
    numbers = range(start, start + rows)
    return pa.record_batch([pa.array(numbers), pa.array([f"text {n}" for n in numbers])], schema=_SCHEMA)


class Gated:
    """A result whose batches come when the test lets them."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked = 0

    def __call__(self, query: Query) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        return _SCHEMA, self._batches(query)

    def _batches(self, query: Query) -> Iterator[pa.RecordBatch]:
        for index in range(3):
            self.asked += 1
            while not self.go.wait(0.01):
                query.refuse_if_stopped()
            yield _batch(index * 10, 10)


def test_a_small_result_comes_with_the_first_answer(world: World) -> None:
    answer = world.post("SELECT 1").json()
    assert answer["data"] == [[1]]
    assert answer["columns"][0]["type"] == "bigint"
    assert answer["stats"]["state"] == "FINISHED"
    assert answer["infoUri"] == f"http://sqe.example:8080/v1/query/{answer['id']}"
    assert "nextUri" not in answer
    assert world.works[0].closed


def test_what_came_with_the_first_answer_is_not_kept(world: World) -> None:
    answer = world.post("SELECT 1").json()
    kept = world.endpoint._statements._open[answer["id"]]
    assert kept.last is None
    assert world.get(f"/v1/statement/{answer['id']}/0").status_code == 410


def test_last_answers_are_kept_within_bounds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqe.endpoints.trino_http.statements._KEEP_STATEMENTS", 3)
    ids = [world.post("SELECT 1").json()["id"] for _ in range(5)]
    assert [world.get(f"/v1/query/{query_id}").status_code for query_id in ids] == [404, 404, 200, 200, 200]


def test_large_results_come_in_pages_in_order(world: World) -> None:
    world.scripts["big"] = lambda _: (_SCHEMA, (_batch(start, 70_000) for start in range(0, 210_000, 70_000)))
    first = world.post("big").json()
    assert 1000 <= len(first["data"]) < 210_000
    rows = world.rows("big")
    assert [row[0] for row in rows] == list(range(210_000))


def test_a_client_that_does_not_fetch_stops_the_work(world: World) -> None:
    taken = []

    def endless() -> Iterator[pa.RecordBatch]:
        for start in range(1_000_000):
            taken.append(start)
            yield _batch(start, 10_000)

    world.scripts["endless"] = lambda _: (_SCHEMA, endless())
    answer = world.post("endless").json()
    # A page is being taken, and one is ready; nobody makes a third.
    world.get(f"/v1/query/{answer['id']}")
    assert len(taken) < 20
    world.delete(answer["nextUri"])


def test_a_page_can_be_fetched_again_but_not_an_older_one(world: World) -> None:
    world.scripts["big"] = lambda _: (_SCHEMA, (_batch(start, 50_000) for start in range(0, 1_000_000, 50_000)))
    first = world.post("big").json()
    second = world.get(first["nextUri"])
    assert world.get(first["nextUri"]).content == second.content
    third = world.get(second.json()["nextUri"])
    assert third.status_code == 200
    assert world.get(first["nextUri"]).status_code == 410
    ahead = third.json()["nextUri"].rsplit("/", 1)[0] + "/99"
    assert world.get(ahead).status_code == 410


def test_the_last_page_can_be_fetched_again(world: World) -> None:
    gated = Gated()
    world.scripts["slow"] = gated
    answer = world.client.post("/v1/statement?maxWait=1ms", content="slow", headers=_alice()).json()
    gated.go.set()
    while "nextUri" in answer:
        uri = answer["nextUri"]
        answer = world.get(uri).json()
    assert world.get(uri).json() == answer


def test_a_slow_statement_is_answered_before_it_is_done(world: World) -> None:
    gated = Gated()
    world.scripts["slow"] = gated
    answer = world.client.post("/v1/statement?maxWait=10ms", content="slow", headers=_alice()).json()
    assert "data" not in answer
    assert answer["stats"]["state"] in {"QUEUED", "RUNNING"}
    later = world.client.get(answer["nextUri"] + "?maxWait=700ms", headers=_alice()).json()
    assert later["columns"][0]["name"] == "n"
    assert later["stats"]["totalSplits"] == 4
    assert later["stats"]["completedSplits"] == 1
    assert later["stats"]["rootStage"]["subStages"] == []
    gated.go.set()
    rows = []
    while "nextUri" in later:
        later = world.get(later["nextUri"]).json()
        rows += later.get("data", [])
    assert len(rows) == 30
    assert later["stats"]["progressPercentage"] == 100.0


def test_empty_results_keep_their_columns(world: World) -> None:
    world.scripts["none"] = lambda _: (_SCHEMA, iter([]))
    answer = world.post("none").json()
    assert [column["name"] for column in answer["columns"]] == ["n", "t"]
    assert "data" not in answer


def test_a_statement_without_columns_tells_what_it_did(world: World) -> None:
    nothing = pa.schema([])
    for sql, word in {
        "CREATE OR REPLACE TABLE t (a int)": "CREATE TABLE",
        "-- x\nINSERT INTO t VALUES (1)": "INSERT",
        "/* c */ drop schema s": "DROP SCHEMA",
        "SET SESSION a = 1": "SET SESSION",
        "USE a.b": "USE",
        "CREATE TABLE t AS SELECT 1": "CREATE TABLE",
    }.items():
        world.scripts[sql] = lambda _: (nothing, iter([]))
        answer = world.post(sql).json()
        assert answer["updateType"] == word
        assert answer["data"] == [[True]]
        assert answer["columns"][0]["name"] == "result"


def test_changed_rows_are_counted(world: World) -> None:
    def insert(query: Query) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        query.changed_rows = 3
        return pa.schema([]), iter([])

    world.scripts["INSERT INTO t SELECT 1"] = insert
    answer = world.post("INSERT INTO t SELECT 1").json()
    assert (answer["updateType"], answer["updateCount"], answer["data"]) == ("INSERT", 3, [[3]])


def test_errors_end_a_statement(world: World) -> None:
    def broken(_: Query) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        raise SqlSemanticError("no such column", condition="UNRESOLVED_COLUMN.WITHOUT_SUGGESTION")

    world.scripts["bad"] = broken
    answer = world.post("bad")
    assert answer.status_code == 200
    assert answer.json()["error"]["errorName"] == "COLUMN_NOT_FOUND"
    assert answer.json()["stats"]["state"] == "FAILED"
    assert "nextUri" not in answer.json()
    assert "columns" not in answer.json()


def test_an_error_in_the_middle_takes_the_rows_back(world: World) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield _batch(0, 10)
        raise InternalError("secret text of the engine")

    world.scripts["half"] = lambda _: (_SCHEMA, batches())
    answer = world.post("half").json()
    while "nextUri" in answer:
        answer = world.get(answer["nextUri"]).json()
    assert answer["error"]["errorName"] == "GENERIC_INTERNAL_ERROR"
    assert answer["id"] in answer["error"]["message"]
    assert "secret" not in str(answer)


def test_faults_of_ours_are_errors_too(world: World) -> None:
    def broken(_: Query) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        raise ZeroDivisionError("oh")

    world.scripts["fault"] = broken
    assert world.post("fault").json()["error"]["errorCode"] == 65536


def test_too_many_statements_are_refused_so_that_clients_try_again(world: World) -> None:
    def full(_: Query) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        raise TooManyRequestsError("100 statements run already")

    world.scripts["full"] = full
    answer = world.post("full")
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "1"


@pytest.mark.parametrize("path", ["{next}", "/v1/statement/{id}", "/v1/query/{id}", "/v1/statement/{id}/1"])
def test_cancel(world: World, path: str) -> None:
    gated = Gated()
    world.scripts["slow"] = gated
    answer = world.client.post("/v1/statement?maxWait=20ms", content="slow", headers=_alice()).json()
    uri = path.format(next=answer["nextUri"], id=answer["id"])
    assert world.delete(uri, "bob").status_code == 403
    assert world.delete(uri).status_code == 204
    assert world.statements[0].canceled.is_set()
    answer = world.get(answer["nextUri"]).json()
    assert answer["error"]["errorName"] == "USER_CANCELED"
    assert world.tracker.running() == []
    assert world.statements[0].closed
    assert world.delete(uri).status_code == 204


def test_a_result_that_waits_for_its_client_can_be_canceled(world: World) -> None:
    world.scripts["endless"] = lambda _: (_SCHEMA, (_batch(start, 50_000) for start in range(10_000)))
    answer = world.post("endless").json()
    assert world.delete(answer["nextUri"]).status_code == 204
    assert world.get(answer["nextUri"]).json()["error"]["errorName"] == "USER_CANCELED"
    assert world.statements[0].closed


def test_only_the_owner_sees_a_statement(world: World) -> None:
    gated = Gated()
    world.scripts["slow"] = gated
    answer = world.client.post("/v1/statement?maxWait=1ms", content="slow", headers=_alice()).json()
    uri, query_id = answer["nextUri"], answer["id"]
    for path in (uri, f"/v1/query/{query_id}", f"/v1/statement/queued/{query_id}/1", f"/v1/statement/{query_id}/1"):
        assert world.get(path, "bob").status_code == 403
        assert world.client.get(path).status_code == 401
    slug = uri.split("/")[-2]
    assert world.get(uri.replace(slug, "x" * len(slug))).status_code == 404
    assert world.get(uri.replace(slug, "ü")).status_code == 404
    assert world.get(uri.replace(query_id, "nobody")).status_code == 404
    assert world.get(f"/v1/query/{query_id}").json()["query"] == "slow"
    gated.go.set()
    assert world.get(f"/v1/statement/queued/{query_id}/1?maxWait=10s").status_code == 200


class TestAbandoned:
    @pytest.fixture
    def settings(self) -> TrinoSettings:
        return TrinoSettings(client_timeout_secs=1)

    def test_a_client_that_stays_away_loses_its_statement(self, world: World) -> None:
        gated = Gated()
        world.scripts["slow"] = gated
        answer = world.client.post("/v1/statement?maxWait=1ms", content="slow", headers=_alice()).json()
        assert world.statements[0].canceled.wait(30)
        assert world.get(answer["nextUri"]).status_code == 404
        query = world.tracker.get(answer["id"])
        while not query.state.ended:
            world.get("/v1/info")
        assert "did not come back" in str(query.error)


class TestFewThreads:
    @pytest.fixture
    def settings(self) -> TrinoSettings:
        return TrinoSettings(max_threads=2)

    def test_waiting_statements_are_queued_and_can_be_canceled(self, world: World) -> None:
        gated = Gated()
        world.scripts["slow"] = gated
        uris = []
        for _ in range(4):
            answer = world.client.post("/v1/statement?maxWait=20ms", content="slow", headers=_alice()).json()
            uris.append(answer["nextUri"])
        assert answer["stats"]["state"] == "QUEUED"
        assert "/queued/" in uris[-1]
        assert world.delete(uris[-1]).status_code == 204
        gated.go.set()
        for uri in uris[:-1]:
            found = world.get(uri).json()
            while "nextUri" in found:
                found = world.get(found["nextUri"]).json()
            assert found["stats"]["state"] == "FINISHED"
        assert world.get(uris[-1]).json()["error"]["errorName"] == "USER_CANCELED"


def _alice() -> dict[str, str]:
    return basic("alice")
