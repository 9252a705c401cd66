"""ADBC's Flight SQL driver against a server with an engine."""

from __future__ import annotations

import datetime
import decimal
import threading
import uuid
from collections.abc import Iterator
from typing import Any, Literal

import adbc_driver_manager
import pyarrow as pa
import pytest
from adbc_driver_flightsql import dbapi
from tests.spark.support import LONG_QUERY, jobs_end, wait_until

from .conftest import USERS, Server

Row = tuple[object, ...]
Mode = Literal["create", "append", "replace", "create_append"]


def connected(server: Server, user: str = "alice", **options: str) -> dbapi.Connection:
    login = {"username": user, "password": USERS[user]}
    return dbapi.connect(server.uri, db_kwargs=login | options, autocommit=True)


@pytest.fixture
def connection(server: Server) -> Iterator[dbapi.Connection]:
    with connected(server) as made:
        yield made


@pytest.fixture
def cursor(connection: dbapi.Connection) -> Iterator[dbapi.Cursor]:
    with connection.cursor() as made:
        yield made


@pytest.fixture
def schema(cursor: dbapi.Cursor) -> str:
    """A schema of this test's own."""
    name = f"s{uuid.uuid4().hex[:12]}"
    cursor.execute(f"CREATE SCHEMA lake.{name}")
    return name


def rows(cursor: dbapi.Cursor, sql: str, parameters: Row | None = None) -> list[Row]:
    cursor.execute(sql, parameters)
    found: list[Row] = cursor.fetchall()
    return found


def test_a_query(cursor: dbapi.Cursor) -> None:
    assert rows(cursor, "SELECT 1 AS a, 'x' AS b, DATE '2026-01-02' AS c") == [(1, "x", datetime.date(2026, 1, 2))]


def test_no_rows_keep_their_columns(cursor: dbapi.Cursor) -> None:
    cursor.execute("SELECT 1 AS a, 'x' AS b WHERE 1 = 0")
    table = cursor.fetch_arrow_table()
    assert (table.num_rows, table.column_names) == (0, ["a", "b"])


def test_many_rows(cursor: dbapi.Cursor) -> None:
    cursor.execute("SELECT id FROM range(300000)")
    table = cursor.fetch_arrow_table()
    assert table.num_rows == 300_000
    assert table.column("id").to_pylist() == list(range(300_000))


def test_a_wrong_password(server: Server) -> None:
    with pytest.raises(adbc_driver_manager.ProgrammingError, match=r"UNAUTHENTICATED.*invalid credentials"):
        dbapi.connect(server.uri, db_kwargs={"username": "alice", "password": "guess"})


def test_a_token_in_the_header(server: Server) -> None:
    option = {"adbc.flight.sql.authorization_header": f"Bearer {server.served.token('bob')}"}
    with dbapi.connect(server.uri, db_kwargs=option, autocommit=True) as connection, connection.cursor() as cursor:
        assert rows(cursor, "SELECT 1") == [(1,)]


def test_an_error_has_the_status_of_its_kind(cursor: dbapi.Cursor) -> None:
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="INVALID_ARGUMENT") as wrong:
        cursor.execute("SELEC 1")
    assert "Traceback" not in str(wrong.value)
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="NOT_FOUND") as missing:
        cursor.execute("SELECT * FROM lake.nowhere.nothing")
    details: list[tuple[Any, bytes]] = list(missing.value.details or [])
    assert any(b"TABLE_OR_VIEW_NOT_FOUND" in value for _, value in details)


@pytest.mark.parametrize("mode", ["create", "append", "replace", "create_append"])
def test_ingest(cursor: dbapi.Cursor, schema: str, mode: Mode) -> None:
    data = pa.table(
        {
            "id": pa.array([1, 2, 3], pa.int64()),
            "Name": pa.array(["a", None, "ü"]),
            "at": pa.array([datetime.datetime(2026, 1, 2, 3, 4, 5, 678)] * 3, pa.timestamp("us")),
            "amount": pa.array([decimal.Decimal("1.50")] * 3, pa.decimal128(10, 2)),
            "tags": pa.array([["x"], [], None], pa.list_(pa.string())),
        }
    )
    if mode in {"append", "replace"}:
        columns = "id BIGINT, name VARCHAR, at TIMESTAMP(6), amount DECIMAL(10, 2), tags ARRAY(VARCHAR)"
        cursor.execute(f"CREATE TABLE lake.{schema}.t ({columns})")
        cursor.execute(f"INSERT INTO lake.{schema}.t VALUES (9, 'old', NULL, NULL, NULL)")
    assert cursor.adbc_ingest("t", data, mode=mode, catalog_name="lake", db_schema_name=schema) == 3
    found = rows(cursor, f"SELECT id, name, amount, tags FROM lake.{schema}.t ORDER BY id")
    assert found[:3] == [
        (1, "a", decimal.Decimal("1.50"), ["x"]),
        (2, None, decimal.Decimal("1.50"), []),
        (3, "ü", decimal.Decimal("1.50"), None),
    ]
    assert len(found) == (4 if mode == "append" else 3)


def test_ingest_fails_where_it_should(cursor: dbapi.Cursor, schema: str, server: Server) -> None:
    data = pa.table({"id": [1]})
    where: dict[str, Any] = {"catalog_name": "lake", "db_schema_name": schema}
    with pytest.raises(adbc_driver_manager.Error, match="NOT_FOUND"):
        cursor.adbc_ingest("t", data, mode="append", **where)
    cursor.adbc_ingest("t", data, mode="create", **where)
    with pytest.raises(adbc_driver_manager.Error, match=r"INVALID_ARGUMENT.*exists"):
        cursor.adbc_ingest("t", data, mode="create", **where)
    with pytest.raises(adbc_driver_manager.NotSupportedError, match="temporary"):
        cursor.adbc_ingest("t", data, mode="append", temporary=True)
    with pytest.raises(adbc_driver_manager.Error, match="INVALID_ARGUMENT"):
        cursor.adbc_ingest("t", pa.table({"at": pa.array([1], pa.timestamp("ns"))}), mode="append", **where)
    assert rows(cursor, f"SELECT * FROM lake.{schema}.t") == [(1,)]
    assert list((server.engine.spark.scratch / "uploads").iterdir()) == []


def test_ingest_of_many_batches(cursor: dbapi.Cursor, schema: str) -> None:
    batches = [pa.record_batch({"n": list(range(start, start + 1000))}) for start in range(0, 200_000, 1000)]
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    assert cursor.adbc_ingest("t", reader, mode="create", catalog_name="lake", db_schema_name=schema) == 200_000
    assert rows(cursor, f"SELECT count(*), sum(n) FROM lake.{schema}.t") == [(200_000, sum(range(200_000)))]


def test_objects(connection: dbapi.Connection, cursor: dbapi.Cursor, schema: str) -> None:
    cursor.execute(f"CREATE TABLE lake.{schema}.t (id BIGINT NOT NULL, d DECIMAL(12, 3), r ROW(a INTEGER, b VARCHAR))")
    cursor.execute(f"CREATE VIEW lake.{schema}.v AS SELECT id FROM lake.{schema}.t")
    found = connection.adbc_get_objects(depth="all", catalog_filter="lake", db_schema_filter=schema).read_all()
    (catalog,) = found.to_pylist()
    (in_schema,) = catalog["catalog_db_schemas"]
    tables = {table["table_name"]: table for table in in_schema["db_schema_tables"]}
    assert {name: table["table_type"] for name, table in tables.items()} == {"t": "TABLE", "v": "VIEW"}
    columns = [(column["column_name"], column["xdbc_type_name"]) for column in tables["t"]["table_columns"]]
    assert columns == [("id", "bigint"), ("d", "decimal(12, 3)"), ("r", "row(a integer, b varchar)")]
    only = connection.adbc_get_objects(depth="tables", db_schema_filter=schema, table_types_filter=["VIEW"]).read_all()
    names = [
        table["table_name"]
        for row in only.to_pylist()
        for s in row["catalog_db_schemas"]
        for table in s["db_schema_tables"]
    ]
    assert names == ["v"]


def test_the_schema_of_a_table_is_that_of_its_rows(
    connection: dbapi.Connection, cursor: dbapi.Cursor, schema: str
) -> None:
    kinds = {
        "b": "BOOLEAN", "i": "INTEGER", "l": "BIGINT", "r": "REAL", "d": "DOUBLE", "c": "DECIMAL(12, 3)",
        "v": "VARCHAR", "x": "VARBINARY", "t": "DATE", "ts": "TIMESTAMP(6)", "tz": "TIMESTAMP(6) WITH TIME ZONE",
        "a": "ARRAY(INTEGER)", "m": "MAP(VARCHAR, BIGINT)", "s": "ROW(a INTEGER, b ARRAY(VARCHAR))",
    }  # fmt: skip
    listed = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    cursor.execute(f"CREATE TABLE lake.{schema}.t ({listed})")
    told = connection.adbc_get_table_schema("t", catalog_filter="lake", db_schema_filter=schema)
    cursor.execute(f"SELECT * FROM lake.{schema}.t")
    came = cursor.fetch_arrow_table().schema
    assert [(field.name, str(field.type)) for field in told] == [(field.name, str(field.type)) for field in came]


def test_parameters_of_a_query(cursor: dbapi.Cursor) -> None:
    values = (7, "it's", 1.5, None, True, datetime.date(2026, 1, 2), decimal.Decimal("1.50"), b"\x00x")
    assert rows(cursor, "SELECT ?, ?, ?, ?, ?, ?, ?, ?", values) == [values]
    assert rows(cursor, "SELECT id FROM range(10) WHERE id > ? ORDER BY id LIMIT ?", (3, 2)) == [(4,), (5,)]
    moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678)
    assert rows(cursor, "SELECT ?, ?", (moment, moment.replace(tzinfo=datetime.UTC)))[0][0] == moment


def test_the_wrong_number_of_parameters(cursor: dbapi.Cursor) -> None:
    with pytest.raises(adbc_driver_manager.ProgrammingError, match=r"INVALID_ARGUMENT.*parameters"):
        cursor.execute("SELECT ?, ?", (1,))


def test_parameters_of_updates(cursor: dbapi.Cursor, schema: str) -> None:
    cursor.execute(f"CREATE TABLE lake.{schema}.t (id INTEGER, name VARCHAR)")
    cursor.executemany(f"INSERT INTO lake.{schema}.t VALUES (?, ?)", [(number, f"n{number}") for number in range(500)])
    assert cursor.rowcount == 500
    cursor.executemany(f"UPDATE lake.{schema}.t SET name = ? WHERE id = ?", [("one", 1), ("two", 2)])
    cursor.executemany(f"DELETE FROM lake.{schema}.t WHERE id > ?", [(400,), (3,)])
    assert cursor.rowcount == 496
    found = rows(cursor, f"SELECT * FROM lake.{schema}.t ORDER BY id")
    assert found == [(0, "n0"), (1, "one"), (2, "two"), (3, "n3")]


def test_prepare_tells_the_columns(cursor: dbapi.Cursor, server: Server) -> None:
    parameters = cursor.adbc_prepare("SELECT id, id + ? AS more FROM range(3)")
    assert parameters is not None
    assert len(parameters) == 1
    assert not server.engine.tracker.running()


def test_table_types_and_info(connection: dbapi.Connection) -> None:
    assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]
    assert connection.adbc_get_info()["vendor_name"] == "SQE"


def test_execute_schema_runs_nothing(cursor: dbapi.Cursor, server: Server) -> None:
    assert cursor.adbc_execute_schema("SELECT 1 AS a, 'x' AS b").names == ["a", "b"]
    assert not server.engine.tracker.running()


def test_where_names_lead(connection: dbapi.Connection, cursor: dbapi.Cursor, schema: str) -> None:
    cursor.execute(f"CREATE TABLE lake.{schema}.here AS SELECT 7 AS n")
    connection.adbc_current_catalog = "lake"
    connection.adbc_current_db_schema = schema
    assert (connection.adbc_current_catalog, connection.adbc_current_db_schema) == ("lake", schema)
    assert rows(cursor, "SELECT n FROM here") == [(7,)]
    with pytest.raises(adbc_driver_manager.Error):
        connection.adbc_current_db_schema = "nowhere"


def test_sessions_of_two_connections_are_apart(server: Server, connection: dbapi.Connection, schema: str) -> None:
    connection.adbc_current_db_schema = schema
    with connected(server) as other:
        assert other.adbc_current_db_schema == "default"


def test_transactions_are_refused(server: Server) -> None:
    with pytest.warns(Warning, match="autocommit"):
        connection = dbapi.connect(server.uri, db_kwargs={"username": "alice", "password": "wonder"})
    connection.close()


def test_cancel(server: Server) -> None:
    with connected(server, "bob") as connection, connection.cursor() as cursor:
        failures: list[BaseException] = []

        def run() -> None:
            try:
                cursor.execute(LONG_QUERY)
                cursor.fetchall()
            except adbc_driver_manager.Error as error:
                failures.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        mine = wait_until(lambda: [q for q in server.engine.tracker.running() if q.sql == LONG_QUERY], "the query")
        cursor.adbc_cancel()
        thread.join(60)
        assert not thread.is_alive()
        assert failures
        wait_until(lambda: mine[0].state.ended, "the end of the query")
    jobs_end(server.engine)
