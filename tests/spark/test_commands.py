"""Statements that the engine carries out itself: files out, plans, attached catalogs, views for other engines."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyiceberg.table import StaticTable

from sqe.core.errors import ErrorKind, kind_of
from sqe.server.local import LocalEngine

from .support import Client, client_of, failure, open_client, rows, table

_ROWS = "(VALUES (1, 'a'), (2, 'b,\"x\"'), (3, NULL)) AS t (id, k)"


@pytest.mark.parametrize("format_", ["csv", "json", "parquet", "orc"])
def test_copy_of_odd_partitions(session: Client, tmp_path: Path, format_: str) -> None:
    """What a folder's name cannot say is refused, all else comes back."""
    options = f"(FORMAT {format_}, PARTITION_BY 'p', OVERWRITE true)"
    values = "('a/b=c%', 1), (NULL, 2), (' x', 4)"
    rows(session, f"COPY (SELECT * FROM (VALUES {values}) AS v (p, x)) TO '{tmp_path}/parts' {options}")
    found = rows(session, f"SELECT p FROM read_{format_}('{tmp_path}/parts/**/*.{format_}') ORDER BY x")
    assert [row["p"] for row in found] == ["a/b=c%", None, " x"]
    for text in ("", "__HIVE_DEFAULT_PARTITION__"):
        copy = f"COPY (SELECT * FROM (VALUES {values}, ('{text}', 5)) AS v (p, x)) TO '{tmp_path}/parts' {options}"
        error = failure(session, copy)
        assert "a partition's value cannot be an empty text" in error.message
        assert kind_of(error) is ErrorKind.USER
    assert rows(session, f"SELECT count(*) AS n FROM read_{format_}('{tmp_path}/parts/**/*.{format_}')") == [{"n": 3}]


def test_copy_of_old_days_to_orc(session: Client, tmp_path: Path) -> None:
    """ORC's calendar has no days from 1582-10-05 to 1582-10-14; all others come back."""
    days = ["0001-01-01", "1500-02-28", "1500-03-01", "1582-10-04", "1582-10-15", "2024-02-29"]
    values = ", ".join(f"(DATE '{day}')" for day in days)
    rows(session, f"COPY (SELECT * FROM (VALUES {values}) AS v (d)) TO '{tmp_path}/x.orc'")
    found = rows(session, f"SELECT CAST(d AS VARCHAR) AS d FROM read_orc('{tmp_path}/x.orc') ORDER BY d")
    assert [row["d"] for row in found] == days
    missing = ("DATE '{}'", "TIMESTAMP '{} 12:00:00 UTC'", "ARRAY[NULL, DATE '{}']", "ROW(1, ROW(DATE '{}'))",
               "MAP(ARRAY[1], ARRAY[DATE '{}'])")  # fmt: skip
    for value in missing:
        for day in ("1582-10-05", "1582-10-14"):
            error = failure(session, f"COPY (SELECT {value.format(day)} AS d) TO '{tmp_path}/y.orc'")
            assert "ORC has no days" in error.message, value
    assert not (tmp_path / "y.orc").exists()


def test_copy_to_csv(session: Client, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    assert rows(session, f"COPY (SELECT * FROM {_ROWS} ORDER BY id DESC) TO '{target}'") == [{"rows": 3}]
    assert target.read_text(encoding="utf-8") == 'id,k\n3,\n2,"b,""x"""\n1,a\n'
    # Nothing is left beside it, and what was there is replaced.
    rows(session, f"COPY (SELECT ARRAY[1, 2] AS a, ROW(1) AS r) TO '{target}' (HEADER false, SEP '|')")
    assert target.read_text(encoding="utf-8").startswith("[1,2]|")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize("options", ["", "HEADER false", "QUOTE ''''", "NULLSTR 'none'", "PARTITION_BY 'k'"])
def test_nulls_of_one_column_survive(session: Client, tmp_path: Path, options: str) -> None:
    target = f"{tmp_path}/{'parts' if 'PARTITION' in options else 'x.csv'}"
    more = ", 'x' AS k" if "PARTITION" in options else ""
    values = "(VALUES NULL, 'b''c', 'd\"e', NULL) AS t(a)"
    written = f"FORMAT csv, {options}" if options else "FORMAT csv"
    assert rows(session, f"COPY (SELECT a{more} FROM {values}) TO '{target}' ({written})") == [{"rows": 4}]
    read = "header => " + ("false" if "HEADER" in options else "true")
    read += ", quote => ''''" if "QUOTE" in options else ""
    read += ", nullstr => 'none'" if "NULLSTR" in options else ""
    found = rows(session, f"SELECT * FROM read_csv('{target}', {read})")
    assert sorted(str(next(iter(row.values()))) for row in found) == ["None", "None", "b'c", 'd"e']


def test_nulls_of_one_column_need_quotes_or_a_word(session: Client, tmp_path: Path) -> None:
    error = failure(session, f"COPY (SELECT NULL AS a) TO '{tmp_path}/x.csv' (QUOTE '')")
    assert "NULL" in error.message
    assert not list(tmp_path.iterdir())
    rows(session, f"COPY (SELECT NULL AS a) TO '{tmp_path}/x.csv' (QUOTE '', NULLSTR 'NA')")
    assert (tmp_path / "x.csv").read_text() == "a\nNA\n"


def test_copy_loses_nothing(session: Client, tmp_path: Path) -> None:
    values = "' sp ' AS a, TIMESTAMP '2024-01-01 10:00:00.123456' AS t, X'00ff' AS b, NULL AS n, TIME '10:00:00' AS c"
    rows(session, f"COPY (SELECT {values}) TO '{tmp_path}/x.csv' (HEADER false)")
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == " sp ,2024-01-01 10:00:00.123456,00FF,,10:00:00\n"
    rows(session, f"COPY (SELECT TIMESTAMP '2024-01-01 10:00:00.123456' AS t, NULL AS n) TO '{tmp_path}/x.json'")
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8")) == {
        "t": "2024-01-01 10:00:00.123456",
        "n": None,
    }


def test_copy_to_json_and_parquet(session: Client, tmp_path: Path) -> None:
    rows(session, f"COPY (SELECT * FROM {_ROWS}) TO '{tmp_path}/x.json.gz'")
    lines = gzip.decompress((tmp_path / "x.json.gz").read_bytes()).decode().splitlines()
    assert sorted(json.loads(line)["id"] for line in lines) == [1, 2, 3]
    rows(session, f"COPY (SELECT TIMESTAMP '2024-01-01 10:00:00.5' AS at) TO '{tmp_path}/x.parquet' (COMPRESSION zstd)")
    read = pq.ParquetFile(tmp_path / "x.parquet")
    assert read.metadata.row_group(0).column(0).compression == "ZSTD"
    assert str(read.schema_arrow.field("at").type) == "timestamp[us]"


def test_copy_in_partitions(session: Client, tmp_path: Path) -> None:
    copy = f"COPY (SELECT * FROM {_ROWS}) TO '{tmp_path}/parts' (FORMAT parquet, PARTITION_BY 'k'"
    assert rows(session, f"{copy})") == [{"rows": 3}]
    assert "k=a" in {path.name for path in (tmp_path / "parts").iterdir()}
    assert "is not empty" in failure(session, f"{copy})").message
    assert rows(session, f"{copy}, OVERWRITE true)") == [{"rows": 3}]


def test_a_copy_that_fails_leaves_what_was_there(session: Client, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("before", encoding="utf-8")
    bad = f"COPY (SELECT 1 / (id - 3) AS x FROM {_ROWS}) TO '{target}'"
    assert "ivision by zero" in failure(session, bad).message
    assert target.read_text(encoding="utf-8") == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert "there is no folder" in failure(session, f"COPY (SELECT 1) TO '{tmp_path}/no/x.csv'").message
    assert "is a folder" in failure(session, f"COPY (SELECT 1) TO '{tmp_path}' (FORMAT csv)").message


def test_explain_shows_two_plans(session: Client) -> None:
    plans = rows(session, "EXPLAIN SELECT id % 3 AS k, count(*) FROM range(10) GROUP BY 1")
    assert [row["plan_type"] for row in plans] == ["logical_plan", "physical_plan"]
    assert "Aggregate" in plans[0]["plan"]
    assert "HashAggregate" in plans[1]["plan"]


def test_explain_analyze_counts_rows(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT id, id % 3 AS k FROM range(100)")
    steps = rows(session, f"EXPLAIN ANALYZE SELECT k, count(*) FROM {schema}.t WHERE id >= 40 GROUP BY k ORDER BY k")
    assert [step["step"] for step in steps] == list(range(1, len(steps) + 1))
    counted = [(step["operation"].split()[0], step["output_rows"]) for step in steps]
    assert ("Filter", 60) in counted
    # The sort makes Spark run the aggregate twice; each group is counted once all the same.
    assert counted[-1] == ("Sort", 3)
    assert [count for operation, count in counted if operation == "HashAggregate"][-1] == 3
    assert any(step["elapsed_ms"] is not None for step in steps)


def test_explain_full_tells_what_would_be_read(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t (id BIGINT, k VARCHAR) WITH (partitioning = ARRAY['k'])")
    rows(session, f"INSERT INTO {schema}.t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    scan = rows(session, f"EXPLAIN FULL SELECT id FROM {schema}.t WHERE k = 'b'")[0]
    assert (scan["files_scanned"], scan["files_total"]) == (1, 3)
    assert 0 < scan["estimated_bytes"] < 10_000


def test_a_view_keeps_what_was_written(session: Client, schema: str, warehouse: Path) -> None:
    rows(session, f"CREATE VIEW {schema}.v SECURITY DEFINER AS SELECT if(true, 1, 2) AS x")
    rows(session, f"CREATE OR REPLACE VIEW {schema}.v AS SELECT if(true, 3, 2) AS x")
    assert rows(session, f"SELECT * FROM {schema}.v") == [{"x": 3}]
    view = _metadata(warehouse, schema, "v")
    current = next(version for version in view["versions"] if version["version-id"] == view["current-version-id"])
    texts = {part["dialect"]: part["sql"] for part in current["representations"]}
    assert texts["trino"] == "SELECT if(true, 3, 2) AS x"
    assert set(texts) == {"spark", "trino"}
    assert view["properties"]["sqe.view-definer"] == session.identity.user


def test_pyiceberg_sees_defaults(session: Client, schema: str, warehouse: Path) -> None:
    rows(session, f"CREATE TABLE {schema}.t (a INTEGER DEFAULT 5, b INTEGER)")
    read = StaticTable.from_metadata(_location(warehouse, schema, "t"))
    assert read.schema().find_field("a").write_default == 5
    assert read.metadata.format_version == 3


def test_attached_catalogs_are_everywhere_until_detached(engine: LocalEngine, session: Client, tmp_path: Path) -> None:
    rows(session, f"ATTACH '{tmp_path}/w' AS extra (TYPE sqlite)")
    rows(session, "CREATE TABLE extra.default.t AS SELECT 7 AS x")
    with open_client(engine) as other:
        assert rows(other, "SELECT x FROM extra.default.t JOIN (VALUES 7) AS v (y) ON x = y") == [{"x": 7}]
        assert "already attached" in failure(other, f"ATTACH '{tmp_path}/w' AS extra (TYPE sqlite)").message
        stranger = client_of(engine, "somebody")
        assert "there is no table" in failure(stranger, "SELECT * FROM extra.default.t").message
        stranger.close()
        rows(session, "DETACH extra")
        assert "there is no table" in failure(other, "SELECT * FROM extra.default.t").message
    rows(session, f"ATTACH '{tmp_path}/w' AS back (TYPE sqlite)")
    assert rows(session, "SELECT * FROM back.default.t") == [{"x": 7}]
    rows(session, "DETACH back")


@pytest.mark.parametrize("kind", ["hadoop", "jdbc"])
def test_other_kinds_of_catalogs(session: Client, tmp_path: Path, kind: str) -> None:
    (tmp_path / "db").mkdir()
    location = f"{tmp_path}/w" if kind == "hadoop" else f"jdbc:sqlite:file:{tmp_path}/db/x.db"
    options = "" if kind == "hadoop" else f", WAREHOUSE '{tmp_path}/w'"
    rows(session, f"ATTACH '{location}' AS other_{kind} (TYPE {kind}{options})")
    try:
        rows(session, f"CREATE SCHEMA other_{kind}.s")
        rows(session, f"CREATE TABLE other_{kind}.s.t AS SELECT 1 AS x")
        assert rows(session, f"SELECT * FROM other_{kind}.s.t") == [{"x": 1}]
    finally:
        rows(session, f"DETACH other_{kind}")


def test_a_catalog_that_does_not_answer_is_not_attached(session: Client, tmp_path: Path) -> None:
    rows(session, "CREATE SECRET pg (TYPE basic, USERNAME 'u', PASSWORD 'hunter2')")
    said = f"ATTACH 'jdbc:postgresql://127.0.0.1:1/x' AS pg (TYPE jdbc, WAREHOUSE '{tmp_path}', SECRET pg)"
    assert failure(session, said).message.startswith("Failed to list namespaces:")
    assert "pg" not in table(session, "SHOW CATALOGS").column(0).to_pylist()
    assert {"name": "pg", "type": "basic"} in rows(session, "SHOW SECRETS")
    told = rows(session, "SELECT query FROM system.runtime.queries")
    assert not any("hunter2" in row["query"] for row in told)
    rows(session, "DROP SECRET pg")


def test_a_secret_in_use_stays(session: Client, tmp_path: Path) -> None:
    rows(session, "CREATE SECRET used (TYPE basic, USERNAME 'u', PASSWORD 'p')")
    location = f"jdbc:sqlite:file:{tmp_path}/x.db"
    rows(session, f"ATTACH '{location}' AS holder (TYPE jdbc, WAREHOUSE '{tmp_path}/w', SECRET used)")
    assert "is referenced by attached catalogs: holder" in failure(session, "DROP SECRET used").message
    rows(session, "DETACH holder")
    rows(session, "DROP SECRET used")


def _location(warehouse: Path, schema: str, name: str) -> str:
    """Where the metadata of a table or view lies."""
    with closing(sqlite3.connect(warehouse / "sqe.db")) as catalog:
        found = catalog.execute(
            "SELECT metadata_location FROM iceberg_tables WHERE table_namespace = ? AND table_name = ?",
            (schema.partition(".")[2], name),
        ).fetchone()
    return str(found[0])


def _metadata(warehouse: Path, schema: str, name: str) -> dict[str, Any]:
    path = Path(_location(warehouse, schema, name).removeprefix("file:"))
    content = path.read_bytes()
    read: dict[str, Any] = json.loads(gzip.decompress(content) if ".gz." in path.name else content)
    return read
