"""Which statements get a session of their own, and what their clients are told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sqe.auth.login import Login
from sqe.auth.provider import Accepted
from sqe.core.errors import NotSupportedError
from sqe.core.identity import Identity
from sqe.core.session_settings import ENGINE_SETTINGS
from sqe.endpoints.trino_http.request_headers import ClientRequest
from sqe.endpoints.trino_http.work import Engine, SessionWork, changes, header_text
from sqe.query.lifecycle import Query
from sqe.query.sessions import ClientState

_BROADCAST = "spark.sql.autoBroadcastJoinThreshold"


@dataclass
class FakeSpark:
    values: dict[str, str] = field(default_factory=lambda: dict.fromkeys(ENGINE_SETTINGS, "usual"))

    def settings(self, keys: Any) -> dict[str, tuple[str, str]]:
        return {key: (self.values[key], "usual") for key in keys}


@dataclass
class FakeSession:
    id: str
    spark: FakeSpark = field(default_factory=FakeSpark)
    catalog: str = "lake"
    schema: str = "default"
    write_branch: str | None = None
    prepared: dict[str, str] = field(default_factory=dict)


class FakeSessions:
    def __init__(self) -> None:
        self.opened: list[FakeSession] = []
        self.closed: list[str] = []

    def session_for(self, login: Login, state: ClientState, name: str = "") -> FakeSession:
        self.opened.append(FakeSession(f"{login.id}/{name}/{state.digest}"))
        return self.opened[-1]

    def close_session(self, session_id: str, *, for_good: bool) -> None:
        assert for_good
        self.closed.append(session_id)


@dataclass
class FakePipeline:
    effect: Callable[[FakeSession], None] = lambda _: None
    queries: list[Query] = field(default_factory=list)

    def run(self, session: FakeSession, sql: str, *, query_id: str, admitted: Callable[[Query], None]) -> None:
        query = Query(query_id, sql, "query", Identity("alice"), session.id)
        admitted(query)
        self.queries.append(query)
        self.effect(session)


def _work(sql: str, effect: Callable[[FakeSession], None] = lambda _: None, **said: Any) -> tuple[SessionWork, Any]:
    engine: Any = Engine(FakePipeline(effect), FakeSessions())  # type: ignore[arg-type]  # as much as is used
    login = Login(Accepted(Identity("alice")))
    work = engine.work_of(login, ClientRequest(**said), sql)
    work.run("q1", lambda _: None)
    return work, engine


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT 1", None),
        ("INSERT INTO t VALUES (1)", None),
        ("use a.b", "place"),
        ("/* /* */ */ USE a.b", "place"),
        ("-- x\nSET SESSION a = 1", "settings"),
        ("RESET SESSION a", "settings"),
        ("SET TIME ZONE 'UTC'", "settings"),
        ("PREPARE p FROM SELECT 1", "prepared"),
        ("DEALLOCATE PREPARE p", "prepared"),
        ("EXECUTE sel USING 1", None),
        ("EXECUTE Sel", None),
        ("EXECUTE moving", "place"),
        ("EXECUTE unknown", "place"),
        ('EXECUTE "odd name"', "place"),
        ("EXECUTE IMMEDIATE 'SELECT ''a''' USING 1", None),
        ("EXECUTE IMMEDIATE 'USE a.b'", "place"),
        ("EXECUTE /* ' */ IMMEDIATE 'set session x = 1'", "place"),
        ("EXECUTE IMMEDIATE broken", "place"),
        ("", None),
    ],
)
def test_what_a_statement_changes(sql: str, what: str | None) -> None:
    assert changes(sql, {"sel": "SELECT ?", "moving": "USE a.b"}) == what


def test_queries_share_the_session_of_their_state() -> None:
    work, engine = _work("SELECT 1", catalog="lake", prepared={"p": "SELECT 1"})
    assert work.done() == []
    work.close()
    assert engine.sessions.opened[0].id.split("/")[1] == ""
    assert engine.sessions.closed == []
    assert engine.pipeline.queries[0].prepared == {"p": "SELECT 1"}


def test_use_is_told_and_its_session_closed() -> None:
    def move(session: FakeSession) -> None:
        session.schema = "grün"

    work, engine = _work("USE grün", move, catalog="lake", schema="default")
    assert work.done() == [("X-Trino-Set-Catalog", "lake"), ("X-Trino-Set-Schema", "grün".encode().decode("latin-1"))]
    work.close()
    assert engine.sessions.closed == [engine.sessions.opened[0].id]
    assert engine.sessions.opened[0].id.split("/")[1]


def test_properties_are_set_and_cleared() -> None:
    def assign(value: str) -> Callable[[FakeSession], None]:
        return lambda session: session.spark.values.update({_BROADCAST: value})

    work, _ = _work("SET SESSION join_max_broadcast_table_size = '1 MB'", assign("1 MB"))
    assert work.done() == [("X-Trino-Set-Session", "join_max_broadcast_table_size=1+MB")]

    work, _ = _work("RESET SESSION join_max_broadcast_table_size", lambda _: None)
    work._before = {key: "other" if key == _BROADCAST else "usual" for key in ENGINE_SETTINGS}
    assert work.done() == []
    work.state = ClientState(properties=(("join_max_broadcast_table_size", "other"),))
    assert work.done() == [("X-Trino-Clear-Session", "join_max_broadcast_table_size")]


def test_what_no_header_can_tell_is_refused() -> None:
    def engine_setting(session: FakeSession) -> None:
        session.spark.values["spark.sql.adaptive.enabled"] = "false"

    work, _ = _work("SET spark.sql.adaptive.enabled = false", engine_setting)
    with pytest.raises(NotSupportedError, match=r"adaptive\.enabled cannot be set"):
        work.done()

    def branch(session: FakeSession) -> None:
        session.write_branch = "b"

    work, _ = _work("SET WRITE_BRANCH = b", branch)
    with pytest.raises(NotSupportedError, match="WRITE_BRANCH"):
        work.done()
    with pytest.raises(NotSupportedError, match="control"):
        header_text("a\nb")


def test_prepared_statements_live_at_the_client() -> None:
    def prepare(session: FakeSession) -> None:
        assert session.prepared == {"old": "SELECT 1"}
        session.prepared["new"] = "SELECT ?"
        del session.prepared["old"]

    work, _ = _work("PREPARE new FROM SELECT ?", prepare, prepared={"old": "SELECT 1"})
    assert work.done() == [("X-Trino-Added-Prepare", "new=SELECT+%3F"), ("X-Trino-Deallocated-Prepare", "old")]


def test_transactions_are_refused() -> None:
    with pytest.raises(NotSupportedError, match="transactions"):
        _work("  start  TRANSACTION")
