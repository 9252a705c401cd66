"""Trino's Python client over a socket, with an engine that does as the test says."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pyarrow as pa
import pytest
import trino
from trino.auth import BasicAuthentication, CompositeRedirectHandler, OAuth2Authentication, RedirectHandler
from trino.dbapi import Connection

from sqe.endpoints.trino_http.app import TrinoEndpoint
from sqe.endpoints.trino_http.server import HttpServer
from sqe.query.lifecycle import Query

from .conftest import World
from .test_requests import Elsewhere


@pytest.fixture
def server(world: World) -> Iterator[HttpServer]:
    server = HttpServer(TrinoEndpoint(world.endpoint.gate, world.work_of, external=Elsewhere()).app(), "127.0.0.1", 0)
    yield server
    server.close()


def _connect(server: HttpServer) -> Connection:
    connection: Connection = trino.dbapi.connect(host="127.0.0.1", port=server.port, user="alice")
    return connection


def test_a_login_in_the_browser(world: World, server: HttpServer) -> None:
    opened: list[str] = []

    class Browser(RedirectHandler):
        """Opens the page, and comes back from the identity provider."""

        def __call__(self, url: str) -> None:
            opened.append(url)
            page = httpx2.get(url, follow_redirects=False)
            state = page.headers["location"].partition("state=")[2]
            back = f"http://127.0.0.1:{server.port}/oauth2/callback?code=alice&state={state}"
            assert httpx2.get(back).status_code == 200

    connection = _connect(server)
    # By its own settings the client logs in over TLS only.
    OAuth2Authentication(CompositeRedirectHandler([Browser()])).set_http_session(connection._http_session)
    for _ in range(2):
        assert connection.cursor().execute("SELECT 1").fetchall() == [[1]]
    assert len(opened) == 1
    assert {work.login.identity.user for work in world.works} == {"alice"}
    connection.close()


def test_rows_counts_and_statistics(world: World, server: HttpServer) -> None:
    def insert(query: Query) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        query.changed_rows = 5
        return pa.schema([]), iter([])

    world.scripts["INSERT INTO t SELECT 1"] = insert
    batch = pa.record_batch({"n": pa.array(range(200_000), pa.int64())})
    world.scripts["many"] = lambda _: (batch.schema, iter([batch]))
    connection = _connect(server)
    BasicAuthentication("alice", "alice").set_http_session(connection._http_session)
    cursor = connection.cursor()
    assert len(cursor.execute("many").fetchall()) == 200_000
    assert [column.name for column in cursor.description or []] == ["n"]
    assert cursor.stats["state"] == "FINISHED"
    cursor.execute("INSERT INTO t SELECT 1").fetchall()
    assert (cursor.rowcount, cursor.update_type) == (5, "INSERT")
    connection.close()
