"""Trino's own clients at our door: the Python client and the SQLAlchemy dialect, over a socket, on a real engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
import trino
from tests.spark.support import LONG_QUERY, jobs_end, wait_until
from trino.auth import BasicAuthentication
from trino.dbapi import Connection
from trino.exceptions import TrinoQueryError, TrinoUserError

from sqe.endpoints.trino_http.app import TrinoEndpoint
from sqe.endpoints.trino_http.server import HttpServer
from sqe.endpoints.trino_http.work import Engine

from .conftest import USERS, Server


@pytest.fixture(scope="module")
def trino_server(server: Server) -> Iterator[HttpServer]:
    endpoint = TrinoEndpoint(server.gate, Engine(server.engine.pipeline, server.engine.sessions).work_of)
    listening = HttpServer(endpoint.app(), "127.0.0.1", 0)
    yield listening
    listening.close()


def _connect(trino_server: HttpServer, login: str = "alice", **options: Any) -> Connection:
    options = {"user": login, "catalog": "lake", "schema": "default", "timezone": "UTC"} | options
    connection: Connection = trino.dbapi.connect(host="127.0.0.1", port=trino_server.port, **options)
    # Asked for by its own settings, the client would send a password over TLS only.
    BasicAuthentication(login, USERS[login]).set_http_session(connection._http_session)
    return connection


@pytest.fixture
def connection(trino_server: HttpServer) -> Iterator[Connection]:
    connection = _connect(trino_server)
    yield connection
    connection.close()


@pytest.fixture
def place(connection: Connection, request: pytest.FixtureRequest) -> str:
    name = "w" + str(abs(hash(request.node.nodeid)))
    _rows(connection, f"CREATE SCHEMA lake.{name}")
    _rows(connection, f"USE lake.{name}")
    return name


def _rows(connection: Connection, sql: str, parameters: list[Any] | None = None) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters) if parameters is not None else cursor.execute(sql)
        return list(cursor.fetchall())


def _error(connection: Connection, sql: str) -> str:
    with pytest.raises(TrinoQueryError) as caught:
        _rows(connection, sql)
    return str(caught.value.error_name)


def test_values_of_all_types(connection: Connection) -> None:
    sql = """
        SELECT TINYINT '1', 9223372036854775807, REAL '0.1', 1e-300, nan(), -infinity(), DECIMAL '0.0000000001', true,
          'grün "✓"', X'00FF', DATE '2024-02-29', TIME '12:34:56.789', TIMESTAMP '2024-02-29 12:34:56.789012',
          TIMESTAMP '2024-02-29 12:34:56 +02:00', INTERVAL '-1' DAY, ARRAY[1, NULL], MAP(ARRAY['a'], ARRAY[1.5]),
          CAST(ROW(1, ARRAY['x']) AS row(a integer, b array(varchar))), CAST(NULL AS bigint), DATE '0001-01-01'
    """
    row = _rows(connection, sql)[0]
    assert row[:4] == [1, 9223372036854775807, 0.1, 1e-300]
    assert str(row[4]) == "nan"
    assert row[5:] == [
        float("-inf"), Decimal("0.0000000001"), True, 'grün "✓"', b"\x00\xff", date(2024, 2, 29),
        datetime(2024, 2, 29, 12, 34, 56, 789000).time(), datetime(2024, 2, 29, 12, 34, 56, 789012),
        datetime(2024, 2, 29, 10, 34, 56, tzinfo=UTC), timedelta(days=-1), [1, None], {"a": Decimal("1.5")},
        (1, ["x"]), None, date(1, 1, 1),
    ]  # fmt: skip


def test_intervals_of_months(connection: Connection) -> None:
    row = _rows(connection, "SELECT INTERVAL '1-2' YEAR TO MONTH, INTERVAL '-5' MONTH")[0]
    assert [(value.years, value.months) for value in row] == [(1, 2), (0, -5)]


def test_many_rows_in_order(connection: Connection) -> None:
    rows = _rows(connection, "SELECT id, 'text ' || CAST(id AS varchar) FROM range(0, 100000, 1, 4)")
    assert rows[0] == [0, "text 0"]
    assert [row[0] for row in rows] == list(range(100_000))


def test_parameters(connection: Connection) -> None:
    sql = "SELECT ?, ?, ?, ?"
    sent = [1, "it's ? 'odd'", Decimal("1.50"), datetime(2024, 2, 29, 1, 2, 3)]
    assert _rows(connection, sql, sent) == [sent]


def test_prepared_statements_live_at_the_client(trino_server: HttpServer) -> None:
    connection = _connect(trino_server)
    _rows(connection, "PREPARE p FROM SELECT ? + 1 AS n")
    assert _rows(connection, "EXECUTE p USING 41") == [[42]]
    assert _rows(connection, "DESCRIBE INPUT p") == [[0, "unknown"]]
    assert _rows(connection, "DESCRIBE OUTPUT p")[0][0] == "n"
    assert _error(_connect(trino_server), "EXECUTE p USING 41") == "NOT_FOUND"
    _rows(connection, "DEALLOCATE PREPARE p")
    assert connection._client_session.prepared_statements == {}


def test_tables(connection: Connection, place: str) -> None:
    assert _rows(connection, "CREATE TABLE t (a bigint, b varchar)") == [[True]]
    assert _rows(connection, "INSERT INTO t VALUES (1, 'x'), (2, 'y')") == [[2]]
    assert _rows(connection, "SELECT * FROM t ORDER BY a") == [[1, "x"], [2, "y"]]
    assert _rows(connection, f"SELECT count(*) FROM lake.{place}.t WHERE b = 'y'") == [[1]]
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM t")
        cursor.fetchall()
        assert (cursor.update_type, cursor.rowcount) == ("DELETE", 2)


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("SELEC 1", "SYNTAX_ERROR"),
        ("SELECT nope", "COLUMN_NOT_FOUND"),
        ("SELECT * FROM nope", "TABLE_NOT_FOUND"),
        ("SELECT 1 / 0", "DIVISION_BY_ZERO"),
        ("SELECT CAST('x' AS integer)", "INVALID_CAST_ARGUMENT"),
        ("SELECT no_such_function(1)", "FUNCTION_NOT_FOUND"),
        ("CREATE SCHEMA lake.default", "SCHEMA_ALREADY_EXISTS"),
        ("SET SESSION nope = 1", "INVALID_SESSION_PROPERTY"),
        ("SHOW TABLES IN nope.nope", "CATALOG_NOT_FOUND"),
        ("START TRANSACTION", "NOT_SUPPORTED"),
    ],
)
def test_errors_have_trinos_names(connection: Connection, sql: str, name: str) -> None:
    assert _error(connection, sql) == name


def test_states_of_clients_that_are_wrong(trino_server: HttpServer) -> None:
    assert _error(_connect(trino_server, catalog="nope"), "SELECT 1") == "CATALOG_NOT_FOUND"
    wrong = _connect(trino_server, session_properties={"nope": "1"})
    assert _error(wrong, "SELECT 1") == "INVALID_SESSION_PROPERTY"


def test_the_place_and_the_settings_follow_the_client(
    connection: Connection, trino_server: HttpServer, place: str
) -> None:
    assert _rows(connection, "SELECT current_schema") == [[place]]
    _rows(connection, "SET TIME ZONE 'Asia/Tokyo'")
    tokyo = _rows(connection, "SELECT TIMESTAMP '2024-01-01 00:00:00 UTC'")[0][0]
    assert tokyo == datetime(2024, 1, 1, 9, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert tokyo.tzinfo == ZoneInfo("Asia/Tokyo")
    other = _connect(trino_server)
    assert _rows(other, "SELECT current_schema") == [["default"]]
    assert _rows(other, "SELECT TIMESTAMP '2024-01-01 00:00:00 UTC'")[0][0].tzinfo == ZoneInfo("UTC")
    _rows(connection, "RESET SESSION time_zone_id")
    assert connection._client_session.properties == {}


def test_cancel_stops_the_engine(trino_server: HttpServer, server: Server) -> None:
    engine = server.engine
    connection = _connect(trino_server)
    cursor = connection.cursor()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            cursor.execute(LONG_QUERY)
            cursor.fetchall()
        except TrinoUserError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    tracker = engine.pipeline.tracker
    wait_until(lambda: any(query.sql == LONG_QUERY for query in tracker.running()), "the statement")
    wait_until(lambda: cursor._query is not None and cursor._query.query_id, "its id at the client")
    cursor.cancel()
    thread.join(60)
    jobs_end(engine)
    assert [getattr(error, "error_name", "") for error in failures] in (["USER_CANCELED"], [])
    assert not any(query.sql == LONG_QUERY for query in tracker.running())


def test_people_are_told_apart(trino_server: HttpServer) -> None:
    assert _rows(_connect(trino_server, "bob"), "SELECT 1") == [[1]]
    with pytest.raises(trino.exceptions.HttpError, match="403"):
        _rows(_connect(trino_server, "alice", user="bob"), "SELECT 1")


# The dialect takes the columns of `t$partitions` for indexes where a table has no partitions.
@pytest.mark.filterwarnings("ignore:index key:sqlalchemy.exc.SAWarning")
def test_sqlalchemy(trino_server: HttpServer, connection: Connection, place: str) -> None:
    _rows(connection, "CREATE TABLE t (a bigint, b varchar, c decimal(10, 2), d timestamp(6))")
    _rows(connection, "CREATE VIEW v AS SELECT a FROM t")
    made = sa.create_engine("trino://", creator=lambda: _connect(trino_server, schema=place))
    inspector = sa.inspect(made)
    assert place in inspector.get_schema_names()
    assert inspector.get_table_names(place) == ["t"]
    assert inspector.get_view_names(place) == ["v"]
    assert inspector.has_table("t", place)
    assert [column["name"] for column in inspector.get_columns("t", place)] == ["a", "b", "c", "d"]
    table = sa.Table("t", sa.MetaData(), autoload_with=made)
    with made.connect() as connected:
        connected.execute(table.insert().values(a=1, b="it's", c=Decimal("1.50"), d=datetime(2024, 2, 29)))
        found = connected.execute(sa.select(table).where(table.c.b == "it's")).all()
    assert found == [(1, "it's", Decimal("1.50"), datetime(2024, 2, 29))]
    made.dispose()
