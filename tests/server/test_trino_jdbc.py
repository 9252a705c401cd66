"""Trino's JDBC driver at our door; without TLS it sends no password, so everybody is a guest here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from tests.services.jdbc import TRINO, connect, jdbc_jvm, rows

from sqe.auth.credentials import Credentials
from sqe.auth.gate import Gate
from sqe.auth.provider import Accepted, Outcome
from sqe.core.identity import Identity
from sqe.endpoints.trino_http.app import TrinoEndpoint
from sqe.endpoints.trino_http.server import HttpServer
from sqe.endpoints.trino_http.work import Engine

from .conftest import Server


class Guests:
    name = "guests"

    def __init__(self, token: str) -> None:
        self._guest = Identity("guest", token=token)

    def authenticate(self, credentials: Credentials) -> Outcome:  # noqa: ARG002 - nobody is asked who they are
        return Accepted(self._guest)

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def connection(server: Server) -> Iterator[Any]:
    gate = Gate([Guests(server.served.token("guest"))])
    endpoint = TrinoEndpoint(gate, Engine(server.engine.pipeline, server.engine.sessions).work_of)
    listening = HttpServer(endpoint.app(), "127.0.0.1", 0)
    with jdbc_jvm(TRINO) as jvm:
        url = f"jdbc:trino://127.0.0.1:{listening.port}/lake/default"
        made = connect(jvm, "io.trino.jdbc.TrinoDriver", url, {"user": "guest"})
        made.setTimeZoneId("UTC")
        statement = made.createStatement()
        statement.execute("CREATE SCHEMA IF NOT EXISTS lake.jdbc")
        statement.execute("USE lake.jdbc")
        yield made
        made.close()
    listening.close()
    gate.close()


def _query(connection: Any, sql: str) -> list[list[Any]]:
    statement = connection.createStatement()
    try:
        return rows(statement.executeQuery(sql))
    finally:
        statement.close()


def test_values(connection: Any) -> None:
    sql = """
        SELECT 1, 9223372036854775807, DECIMAL '0.0000000001', 'grün', DATE '2024-02-29', TIME '12:34:56.789',
          TIMESTAMP '2024-02-29 12:34:56.789', TIMESTAMP '2024-02-29 12:34:56 +02:00', X'00FF', true, NULL,
          ARRAY[1, NULL], MAP(ARRAY['a'], ARRAY[1]), CAST(ROW(1, 'x') AS row(a integer, b varchar)), nan(), REAL '0.1',
          INTERVAL '-1' DAY
    """
    assert _query(connection, sql) == [[
        "1", "9223372036854775807", "0.0000000001", "grün", "2024-02-29", "12:34:56.789000",
        "2024-02-29 12:34:56.789000", "2024-02-29 10:34:56.000000 UTC", "0x00FF", "true", None,
        "[1, null]", "{a=1}", "{a=1, b=x}", "NaN", "0.1", "-1 00:00:00.000",
    ]]  # fmt: skip


def test_types_of_columns(connection: Any) -> None:
    statement = connection.createStatement()
    facts = statement.executeQuery("SELECT 1.50, TIMESTAMP '2024-02-29 12:34:56', ARRAY['x'], CAST(NULL AS bigint)")
    found = [facts.getMetaData().getColumnTypeName(index) for index in range(1, 5)]
    assert found == ["decimal(3,2)", "timestamp(6)", "array(varchar)", "bigint"]
    statement.close()


def test_many_rows(connection: Any) -> None:
    found = _query(connection, "SELECT id FROM range(0, 5000, 1, 3)")
    assert [row[0] for row in found] == [str(number) for number in range(5000)]


def test_changes(connection: Any) -> None:
    statement = connection.createStatement()
    assert statement.execute("CREATE OR REPLACE TABLE t (a bigint, b varchar)") is False
    assert statement.executeUpdate("INSERT INTO t VALUES (1, 'x')") == 1
    assert _query(connection, "SELECT * FROM t") == [["1", "x"]]
    meta = connection.getMetaData()
    assert [row[:4] for row in rows(meta.getTables("lake", "jdbc", "t", None))] == [["lake", "jdbc", "t", "TABLE"]]
    assert [row[3] for row in rows(meta.getColumns("lake", "jdbc", "t", "%"))] == ["a", "b"]
    assert "lake" in [row[0] for row in rows(meta.getCatalogs())]
    assert ["jdbc", "lake"] in rows(meta.getSchemas("lake", "%"))


def test_parameters(connection: Any) -> None:
    prepared = connection.prepareStatement("SELECT ?, ?")
    assert prepared.getMetaData().getColumnCount() == 2
    prepared.setInt(1, 5)
    prepared.setString(2, "it's")
    assert rows(prepared.executeQuery()) == [["5", "it's"]]
    prepared.close()


def test_the_session_follows(connection: Any) -> None:
    statement = connection.createStatement()
    statement.execute("SET SESSION task_concurrency = 3")
    assert _query(connection, "SHOW SESSION LIKE 'task_concurrency'")[0][1] == "3"
    statement.execute("RESET SESSION task_concurrency")
    assert connection.getSchema() == "jdbc"


def test_errors(connection: Any) -> None:
    with pytest.raises(Py4JJavaError) as caught:
        _query(connection, "SELECT nope")
    failure = caught.value.java_exception
    assert failure.getErrorCode() == 47
    assert "line 1:8" in failure.getMessage()
