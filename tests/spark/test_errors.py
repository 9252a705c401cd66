"""Errors: the right class, one line for a person, and the place in the statement."""

from __future__ import annotations

import pytest

from sqe.core.errors import Position, SqeError

from .support import Client, failure, rows

#: Statement, class code, kind, and where: a text that stands at the position, or None when no position is known.
CASES = [
    ("SELEC 1", "SYNTAX_ERROR", "user", "SELEC"),
    ("SELECT 1,\n  (2 + ", "SYNTAX_ERROR", "user", ""),
    ("SELECT 1\nFROM range(1)\nWHERE id = = 2", "SYNTAX_ERROR", "user", "= 2"),
    ("SELECT 1; SELECT 2", "SYNTAX_ERROR", "user", "SELECT 2"),
    ("SELECT 1\nFROM  no_such_table", "NOT_FOUND", "not_found", "no_such_table"),
    ("SELECT * FROM iceberg.no_such_schema.t", "NOT_FOUND", "not_found", "iceberg.no_such_schema.t"),
    ("SELECT * FROM no_such_catalog.a.b", "NOT_FOUND", "not_found", "no_such_catalog.a.b"),
    ("INSERT INTO no_such_table VALUES (1)", "NOT_FOUND", "not_found", "no_such_table"),
    ("DROP TABLE iceberg.default.no_such_table", "NOT_FOUND", "not_found", "iceberg.default.no_such_table"),
    ("USE no_such_schema", "NOT_FOUND", "not_found", "no_such_schema"),
    ("SELECT id,\n       nope\nFROM range(1)", "SEMANTIC_ERROR", "user", "nope"),
    ("SELECT no_such_function(1)", "SEMANTIC_ERROR", "user", "no_such_function(1)"),
    ("SELECT count(*) FROM range(3) WHERE sum(id) > 1", "SEMANTIC_ERROR", "user", "count"),
    ("SELECT 2 + 1 / 0", "DATA_ERROR", "user", "1 / 0"),
    ("SELECT id,\n 10 / (id - id)\nFROM range(0, 10, 1, 2)", "DATA_ERROR", "user", "10 / (id - id)"),
    ("SELECT CAST('abc' AS INT)", "DATA_ERROR", "user", "'abc'"),
    ("SELECT CAST('x' || CAST(id AS VARCHAR) AS INT) FROM range(0, 10, 1, 2)", "DATA_ERROR", "user", "'x'"),
    ("SELECT 2147483647 + 1", "DATA_ERROR", "user", "2147483647 + 1"),
    ("SELECT (SELECT id FROM range(2))", "DATA_ERROR", "user", "id FROM"),
    ("CREATE SCHEMA iceberg.default", "ALREADY_EXISTS", "user", "default"),
    ("CREATE FUNCTION iceberg.default.f AS 'x'", "NOT_SUPPORTED", "user", None),
    ("SELECT * FROM parquet.`/nonexistent/file`", "NOT_FOUND", "not_found", "parquet.`"),
    ("SELECT * FROM '/nonexistent/file.parquet'", "NOT_FOUND", "not_found", "'/nonexistent"),
]


@pytest.mark.parametrize(("sql", "code", "kind", "where"), CASES, ids=[case[0] for case in CASES])
def test_error(session: Client, sql: str, code: str, kind: str, where: str | None) -> None:
    error = failure(session, sql)
    assert (error.code, error.kind.value) == (code, kind)
    readable(error)
    if where is None:
        assert error.position is None
    else:
        assert error.position is not None
        assert text_at(sql, error.position).startswith(where)


def readable(error: SqeError) -> None:
    """What every message of every error has to be."""
    for text in (error.message, error.hint or ""):
        assert "\n" not in text
        assert "SQLSTATE" not in text
        assert "== SQL" not in text
        assert "org.apache" not in text
        assert "+- " not in text
        assert "\tat " not in text
    assert error.message
    assert not error.message.startswith("[")


def text_at(sql: str, position: Position) -> str:
    """The text from the position to the end of its line."""
    return sql.split("\n")[position.line - 1][position.column - 1 :]


@pytest.mark.parametrize(
    ("sql", "where"),
    [
        ("SELECT '😀é', 1/0", "1/0"),
        ("SELECT '😀é',\n '😀' || nope", "nope"),
        ("SELECT '😀😀😀', CAST('a' AS INT)", "'a'"),
        ("SELECT '😀😀' FROM no_such_table", "no_such_table"),
    ],
)
def test_position_behind_characters_outside_the_basic_plane(session: Client, sql: str, where: str) -> None:
    error = failure(session, sql)
    assert error.position is not None
    assert text_at(sql, error.position)[: error.position.length] == where


def test_syntax_error_behind_an_emoji(session: Client) -> None:
    error = failure(session, "SELECT '😀é' FROM (SELECT 1 ) ) x")
    assert error.code == "SYNTAX_ERROR"
    assert error.position is not None
    assert text_at("SELECT '😀é' FROM (SELECT 1 ) ) x", error.position) == ") x"


def test_length_of_a_position(session: Client) -> None:
    assert failure(session, "SELECT\n  nope").position == Position(2, 3, 4)


def test_no_position_for_what_stands_in_a_view(session: Client) -> None:
    rows(session, "CREATE TEMPORARY VIEW v AS SELECT              1 / 0 AS x")
    error = failure(session, "SELECT x FROM v")
    assert (error.code, error.position) == ("DATA_ERROR", None)


def test_a_table_that_exists_already(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t (i INT)")
    for sql in (f"CREATE TABLE {schema}.t (i INT)", f"CREATE TABLE {schema}.t AS SELECT 1 AS i"):
        error = failure(session, sql)
        assert error.code == "ALREADY_EXISTS"
        readable(error)
    rows(session, f"CREATE TABLE IF NOT EXISTS {schema}.t (i INT)")


def test_errors_on_a_table(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t (i INT)")
    expected = {
        f"DROP SCHEMA {schema}": "INVALID_REQUEST",
        f"INSERT INTO {schema}.t VALUES ('x')": "SEMANTIC_ERROR",
        f"ALTER TABLE {schema}.t ADD COLUMN i INT": "SEMANTIC_ERROR",
        f"SELECT * FROM {schema}.t VERSION AS OF 7": "NOT_FOUND",
        f"CALL iceberg.system.rollback_to_snapshot('{schema.removeprefix('iceberg.')}.t', 1)": "NOT_FOUND",
    }
    errors = {sql: failure(session, sql) for sql in expected}
    assert {sql: error.code for sql, error in errors.items()} == expected
    for error in errors.values():
        readable(error)


@pytest.mark.parametrize("sql", ["SELECT raise_error('no stock')", "SELECT assert_true(1 > 2, 'no stock')"])
def test_an_error_that_the_statement_raises(session: Client, sql: str) -> None:
    error = failure(session, sql)
    assert "no stock" in error.message
    assert error.kind.value == "user"


def test_too_many_values(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t (i INT)")
    assert failure(session, f"INSERT INTO {schema}.t VALUES (1, 2)").code == "SEMANTIC_ERROR"


@pytest.mark.parametrize("sql", ["", "  \n", ";", "-- nothing"])
def test_an_empty_statement(session: Client, sql: str) -> None:
    error = failure(session, sql)
    assert error.code == "SYNTAX_ERROR"
    readable(error)


def test_a_session_goes_on_after_errors(session: Client) -> None:
    rows(session, "CREATE TABLE kept AS SELECT 1 AS x")
    for sql in ("SELEC", "SELECT 1 / 0", "SELECT * FROM nope", "SELECT 1 / (id - id) FROM range(9)"):
        failure(session, sql)
    assert rows(session, "SELECT * FROM kept") == [{"x": 1}]
