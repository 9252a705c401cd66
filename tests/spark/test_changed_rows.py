"""How many rows a statement has changed: the right number, or none."""

from __future__ import annotations

import pytest

from .support import Client, rows

COPY = "format_version = 2"
MERGE = ", ".join(f"\"write.{verb}.mode\" = 'merge-on-read'" for verb in ("delete", "update", "merge"))
MODES = {
    "copy-on-write": COPY,
    "merge-on-read": f"{COPY}, {MERGE}",
    "merge-on-read by file": f"{COPY}, {MERGE}, \"write.delete.granularity\" = 'file'",
    "deletion vectors": f"format_version = 3, {MERGE}",
}


def changed(session: Client, sql: str) -> int | None:
    result = session.run(sql)
    list(result)
    return result.query.changed_rows


@pytest.fixture(params=MODES, ids=str)
def numbers(request: pytest.FixtureRequest, session: Client, schema: str) -> str:
    """A table with the numbers from 0 to 99 in several files."""
    made = (
        f"CREATE TABLE {schema}.t WITH ({MODES[request.param]}) AS SELECT id AS n, 'old' AS s FROM range(0, 100, 1, 4)"
    )
    assert changed(session, made) == 100
    return f"{schema}.t"


def test_deletes(session: Client, numbers: str) -> None:
    assert changed(session, f"DELETE FROM {numbers} WHERE n % 10 = 3") == 10
    assert changed(session, f"DELETE FROM {numbers} WHERE n % 10 = 3") == 0
    assert changed(session, f"DELETE FROM {numbers} WHERE n % 10 = 4") == 10
    assert changed(session, f"DELETE FROM {numbers} WHERE n IN (SELECT id FROM range(50, 53))") == 3
    assert changed(session, f"DELETE FROM {numbers} WHERE false") in {0, None}
    assert rows(session, f"SELECT count(*) AS c FROM {numbers}") == [{"c": 77}]


def test_a_delete_of_everything(session: Client, numbers: str) -> None:
    assert changed(session, f"DELETE FROM {numbers}") == 100


def test_a_delete_of_whole_files_that_had_deletes(session: Client, numbers: str) -> None:
    """Files know how many rows they hold, not how many of them are still there: better no number than a wrong one."""
    changed(session, f"DELETE FROM {numbers} WHERE n % 10 = 3")
    assert changed(session, f"DELETE FROM {numbers}") in {90, None}


def test_updates(session: Client, numbers: str) -> None:
    assert changed(session, f"UPDATE {numbers} SET s = 'new' WHERE n < 7") == 7
    assert changed(session, f"UPDATE {numbers} SET s = 'newer', n = n WHERE s = 'new' AND n > 2") == 4
    assert changed(session, f"UPDATE {numbers} SET s = 'x' WHERE n > 1000") == 0
    assert changed(session, f"UPDATE {numbers} SET s = 'all'") == 100
    known = changed(session, f"UPDATE {numbers} SET s = 'sub' WHERE n IN (SELECT id FROM range(3))")
    assert known in {3, None}
    assert rows(session, f"SELECT s, count(*) AS c FROM {numbers} GROUP BY s ORDER BY s") == [
        {"s": "all", "c": 97},
        {"s": "sub", "c": 3},
    ]


def test_merges(session: Client, numbers: str) -> None:
    source = "(SELECT id AS n FROM range(90, 110)) AS s"
    merge = (
        f"MERGE INTO {numbers} AS t USING {source} ON t.n = s.n WHEN MATCHED AND t.n < 95 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET s = 'new' WHEN NOT MATCHED THEN INSERT (n, s) VALUES (s.n, 'in')"
    )
    assert changed(session, merge) == 20
    insert = (
        f"MERGE INTO {numbers} AS t USING {source} ON t.n = s.n WHEN NOT MATCHED THEN INSERT (n, s) VALUES (s.n, 'x')"
    )
    assert changed(session, insert) == 5
    assert changed(session, insert) == 0


def test_inserts(session: Client, schema: str) -> None:
    assert changed(session, f"CREATE TABLE {schema}.t (n BIGINT)") is None
    assert changed(session, f"INSERT INTO {schema}.t VALUES 1, 2, 3") == 3
    assert changed(session, f"INSERT INTO {schema}.t SELECT id FROM range(0, 5000, 1, 3)") == 5000
    assert changed(session, f"INSERT INTO {schema}.t SELECT 1 WHERE false") == 0
    assert changed(session, f"INSERT OVERWRITE {schema}.t SELECT id FROM range(7)") == 7
    assert changed(session, f"CREATE OR REPLACE TABLE {schema}.t AS SELECT 1 AS x WHERE false") == 0
    assert changed(session, f"CREATE TABLE IF NOT EXISTS {schema}.t AS SELECT 1 AS x") in {0, None}


def test_queries_change_nothing(session: Client, schema: str) -> None:
    assert changed(session, "SELECT 1") is None
    assert changed(session, f"CREATE VIEW {schema}.v AS SELECT 1 AS x") is None
    assert changed(session, f"DROP VIEW {schema}.v") is None
