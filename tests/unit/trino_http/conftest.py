"""The endpoint over an engine that does as a test says."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest
from starlette.testclient import TestClient

from sqe.auth.credentials import BearerToken, Credentials, NoCredentials, Password
from sqe.auth.gate import Gate
from sqe.auth.login import Login
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.core.errors import ExternalError, SqeError
from sqe.core.identity import Identity
from sqe.endpoints.trino_http.app import TrinoEndpoint
from sqe.endpoints.trino_http.request_headers import ClientRequest
from sqe.endpoints.trino_http.settings import TrinoSettings
from sqe.query.lifecycle import Query
from sqe.query.result import ResultStream
from sqe.query.settings import HistorySettings, QuerySettings
from sqe.query.tracker import QueryTracker

#: Gets the query of a statement; answers schema and batches, or raises.
Script = Callable[[Query], tuple[pa.Schema, Iterator[pa.RecordBatch]]]


class People:
    """`alice` and `bob` have their names as passwords; the token `t-alice` is alice's."""

    name = "people"

    def authenticate(self, credentials: Credentials) -> Outcome:
        if isinstance(credentials, NoCredentials):
            return NotMine()
        if isinstance(credentials, BearerToken):
            user, good = credentials.token.removeprefix("t-"), credentials.token.startswith("t-")
        else:
            assert isinstance(credentials, Password)
            user, good = credentials.user, credentials.user == credentials.password
        if user == "away":
            raise ExternalError("the identity provider does not answer")
        if user == "number":
            return Accepted(Identity("7", display_name="Number Seven"))
        return Accepted(Identity(user, roles=frozenset({"reader"}))) if good else Rejected("wrong")

    def close(self) -> None:
        pass


@dataclass
class FakeStatement:
    rows: Iterator[pa.RecordBatch]
    canceled: threading.Event = field(default_factory=threading.Event)
    closed: bool = False

    def batches(self) -> Iterator[pa.RecordBatch]:
        return self.rows

    def cancel(self) -> None:
        self.canceled.set()

    def close(self) -> None:
        self.closed = True


@dataclass
class FakeWork:
    world: World
    login: Login
    said: ClientRequest
    sql: str
    closed: bool = False

    def run(self, query_id: str, admitted: Callable[[Query], None]) -> ResultStream:
        query = self.world.tracker.admit(self.sql, "query", self.login.identity, "s", query_id)
        admitted(query)
        query.start(0)
        try:
            query.refuse_if_stopped()
            schema, batches = self.world.script(self.sql)(query)
        except SqeError as error:
            raise query.fail(error) from error
        statement = FakeStatement(batches)
        self.world.statements.append(statement)
        query.on_stop(statement.cancel)
        return ResultStream(query, statement, schema, 0)  # type: ignore[arg-type]  # as much of one as is used

    def done(self) -> list[tuple[str, str]]:
        return self.world.headers

    def progress(self, query: Query) -> dict[str, Any]:
        return {"query_id": query.id, "tasks": 4, "tasks_done": 1, "rows": 7}

    def close(self) -> None:
        self.closed = True


@dataclass
class World:
    """An endpoint, its client, and what its engine does."""

    tracker: QueryTracker
    scripts: dict[str, Script] = field(default_factory=dict)
    headers: list[tuple[str, str]] = field(default_factory=list)
    works: list[FakeWork] = field(default_factory=list)
    statements: list[FakeStatement] = field(default_factory=list)
    client: Any = None
    endpoint: Any = None

    def script(self, sql: str) -> Script:
        return self.scripts.get(sql, one_row)

    def work_of(self, login: Login, said: ClientRequest, sql: str) -> FakeWork:
        self.works.append(FakeWork(self, login, said, sql))
        return self.works[-1]

    def rows(self, sql: str, user: str = "alice", **headers: str) -> list[Any]:
        """All rows of a statement, page by page."""
        answer = self.post(sql, user, **headers).json()
        rows = list(answer.get("data", []))
        while "nextUri" in answer:
            answer = self.get(answer["nextUri"], user).json()
            rows += answer.get("data", [])
        assert "error" not in answer, answer["error"]
        return rows

    def post(self, sql: str | bytes, user: str = "alice", **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post("/v1/statement", content=sql, headers=basic(user) | named)

    def get(self, uri: str, user: str = "alice") -> Any:
        return self.client.get(uri, headers=basic(user))

    def delete(self, uri: str, user: str = "alice") -> Any:
        return self.client.delete(uri, headers=basic(user))


def basic(user: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{user}".encode()).decode()}


def one_row(_: Query) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    batch = pa.record_batch({"_col0": pa.array([1], pa.int64())})
    return batch.schema, iter([batch])


@pytest.fixture
def settings() -> TrinoSettings:
    return TrinoSettings()


@pytest.fixture
def external() -> Any:
    """A login elsewhere; most tests have none."""
    return None


@pytest.fixture
def world(settings: TrinoSettings, external: Any) -> Iterator[World]:
    tracker = QueryTracker(QuerySettings(), HistorySettings())
    gate = Gate([People()])
    made = World(tracker)
    made.endpoint = TrinoEndpoint(gate, made.work_of, settings, max_sql_bytes=10_000, external=external)
    with TestClient(made.endpoint.app(), base_url="http://sqe.example:8080", raise_server_exceptions=False) as client:
        made.client = client
        yield made
    gate.close()
    tracker.close()
