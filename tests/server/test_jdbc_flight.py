"""Arrow's JDBC driver for Flight SQL against a server with an engine."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from tests.services.flight_jdbc import jdbc_gateway

from .conftest import Server

Row = tuple[object, ...]


@pytest.fixture(scope="module")
def drivers() -> Iterator[Any]:
    with jdbc_gateway() as jvm:
        jvm.java.lang.Class.forName("org.apache.arrow.driver.jdbc.ArrowFlightJdbcDriver")
        yield jvm.java.sql.DriverManager


def url(server: Server, **options: str) -> str:
    listed = "&".join(f"{name}={value}" for name, value in {"useEncryption": "false", **options}.items())
    return f"{server.uri.replace('grpc', 'jdbc:arrow-flight-sql')}?{listed}"


@pytest.fixture
def connection(server: Server, drivers: Any) -> Iterator[Any]:
    made = drivers.getConnection(url(server, user="alice", password="wonder"))
    yield made
    made.close()


def rows(result: Any) -> list[Row]:
    """All rows of a result set; the first line is the labels."""
    facts = result.getMetaData()
    count = range(1, facts.getColumnCount() + 1)
    found: list[Row] = [tuple(facts.getColumnLabel(number) for number in count)]
    while result.next():
        found.append(tuple(result.getObject(number) for number in count))
    result.close()
    return found


def query(connection: Any, sql: str) -> list[Row]:
    statement = connection.createStatement()
    try:
        return rows(statement.executeQuery(sql))
    finally:
        statement.close()


def update(connection: Any, sql: str) -> int:
    statement = connection.createStatement()
    try:
        return int(statement.executeUpdate(sql))
    finally:
        statement.close()


@pytest.fixture
def schema(connection: Any) -> str:
    """A schema of this test's own."""
    name = f"j{uuid.uuid4().hex[:12]}"
    update(connection, f"CREATE SCHEMA lake.{name}")
    return name


def test_queries(connection: Any) -> None:
    assert query(connection, "SELECT 1 AS a, 'x' AS b") == [("a", "b"), (1, "x")]
    (labels,) = query(connection, "SELECT 1 AS a WHERE 1 = 0")
    # The driver lists the columns of a result without rows twice.
    assert set(labels) == {"a"}
    assert len(query(connection, "SELECT id FROM range(20000)")) == 20_001


def test_a_wrong_password_and_a_token(server: Server, drivers: Any) -> None:
    with pytest.raises(Py4JJavaError, match=r"UNAUTHENTICATED: invalid credentials"):
        drivers.getConnection(url(server, user="alice", password="guess"))
    with_token = drivers.getConnection(url(server, token=server.served.token("bob")))
    assert query(with_token, "SELECT 1 AS a") == [("a",), (1,)]
    with_token.close()


def test_errors_are_told(connection: Any) -> None:
    with pytest.raises(Py4JJavaError, match="nothing"):
        query(connection, "SELECT * FROM lake.nowhere.nothing")


def test_metadata(connection: Any, schema: str) -> None:
    update(connection, f"CREATE TABLE lake.{schema}.t (id BIGINT NOT NULL, d DECIMAL(12, 3), v VARCHAR)")
    facts = connection.getMetaData()
    assert facts.getDatabaseProductName() == "SQE"
    assert facts.getDefaultTransactionIsolation() == 0
    assert ("lake",) in rows(facts.getCatalogs())
    assert (schema, "lake") in rows(facts.getSchemas("lake", "j%"))
    assert [row[2:4] for row in rows(facts.getTables("lake", schema, "%", None))[1:]] == [("t", "TABLE")]
    columns = [(row[3], row[5], row[6], row[8]) for row in rows(facts.getColumns("lake", schema, "t", "%"))[1:]]
    assert [column[:2] for column in columns] == [("id", "bigint"), ("d", "decimal(12, 3)"), ("v", "varchar")]
    assert columns[1][2:] == (12, 3)


def test_every_fact_without_arguments_can_be_asked_for(connection: Any) -> None:
    facts = connection.getMetaData()
    methods = [method for method in facts.getClass().getDeclaredMethods() if method.getParameterCount() == 0]
    names = {method.getName() for method in methods if method.getReturnType().getName() != "java.sql.ResultSet"}
    assert len(names) > 60
    for name in sorted(name for name in names if name.startswith(("get", "supports", "is", "stores", "nulls"))):
        getattr(facts, name)()


def test_prepared_statements(connection: Any, schema: str) -> None:
    update(connection, f"CREATE TABLE lake.{schema}.t (id BIGINT, name VARCHAR)")
    insert = connection.prepareStatement(f"INSERT INTO lake.{schema}.t (id, name) VALUES (?, ?)")
    for number in range(100):
        insert.setLong(1, number)
        insert.setString(2, f"it's {number}")
        insert.addBatch()
    assert sum(insert.executeBatch()) == 100
    insert.close()
    select = connection.prepareStatement(f"SELECT id FROM lake.{schema}.t WHERE name = ?")
    for number in (7, 42):
        select.setString(1, f"it's {number}")
        assert rows(select.executeQuery()) == [("id",), (number,)]
    select.close()
    typed = connection.prepareStatement(f"SELECT name FROM lake.{schema}.t WHERE id > ? ORDER BY id LIMIT ?")
    typed.setLong(1, 97)
    typed.setLong(2, 1)
    assert rows(typed.executeQuery()) == [("name",), ("it's 98",)]
    typed.close()
    delete = connection.prepareStatement(f"DELETE FROM lake.{schema}.t WHERE id >= ?")
    delete.setLong(1, 90)
    assert delete.executeUpdate() == 10
    delete.close()
