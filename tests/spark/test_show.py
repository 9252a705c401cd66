"""SHOW and DESCRIBE: what they tell can be run again."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from .support import Client, failure, rows, table, value

_TABLE = """
CREATE TABLE {name} (
   id bigint NOT NULL COMMENT 'it''s',
   "Odd Name" varchar,
   at timestamp(6) with time zone,
   d date,
   parts row(x integer, y array(decimal(10, 2)), "Z z" map(varchar, real)),
   raw varbinary,
   t6 timestamp(6),
   flag boolean,
   score double
)
COMMENT 'all ''sorts'''
WITH (
   format = 'PARQUET',
   format_version = 2,
   location = '{location}',
   partitioning = ARRAY['bucket(id, 4)', '"Odd Name"', 'month(at)', 'truncate(d, 1)'],
   sorted_by = ARRAY['id DESC NULLS LAST', 'truncate("Odd Name", 3) ASC NULLS FIRST'],
   identifier_field_ids = 'id',
   parquet_bloom_filter_columns = ARRAY['id'],
   "read.split.target-size" = '1234'
)
"""


def test_a_table_can_be_made_again(session: Client, schema: str, tmp_path: Path) -> None:
    name = f"{schema}.t"
    text = _TABLE.format(name=name, location=f"file:{tmp_path}/t").replace(", 'truncate(d, 1)'", ", 'year(d)'")
    rows(session, text)
    shown = value(session, f"SHOW CREATE TABLE {name}")
    assert shown.startswith(text.strip().partition("WITH (")[0])
    for line in text.strip().partition("WITH (")[2].splitlines()[1:-1]:
        assert line.rstrip(",") in shown
    rows(session, f"DROP TABLE {name}")
    rows(session, shown)
    assert value(session, f"SHOW CREATE TABLE {name}") == shown
    fields = rows(
        session, "SELECT column_name, data_type FROM iceberg.information_schema.columns WHERE table_name = 't'"
    )
    assert {"column_name": "t6", "data_type": "timestamp(6)"} in fields


def test_a_view_can_be_made_again(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 7 AS a")
    rows(session, f"CREATE VIEW {schema}.v (b COMMENT 'twice') COMMENT 'a view' AS SELECT a FROM {schema}.t")
    shown = value(session, f"SHOW CREATE VIEW {schema}.v")
    assert shown.startswith(f"CREATE VIEW {schema} (".replace(schema, f"{schema}.v"))
    rows(session, f"DROP VIEW {schema}.v")
    rows(session, shown)
    assert rows(session, f"SELECT * FROM {schema}.v") == [{"b": 7}]
    assert value(session, f"SHOW CREATE VIEW {schema}.v") == shown
    assert "sqe_" not in shown


def test_a_schema_can_be_made_again(session: Client, schema: str) -> None:
    name = f"{schema}_more"
    rows(session, f"CREATE SCHEMA {name} COMMENT 'mine' WITH (size = 'small')")
    shown = value(session, f"SHOW CREATE SCHEMA {name}")
    rows(session, f"DROP SCHEMA {name}")
    rows(session, shown)
    assert value(session, f"SHOW CREATE SCHEMA {name}") == shown
    assert shown.startswith(f"CREATE SCHEMA {name}\nCOMMENT 'mine'\nWITH (\n   location = 'file:/")
    assert shown.endswith("',\n   size = 'small'\n)")


def test_each_kind_has_its_own_statement(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS a")
    rows(session, f"CREATE VIEW {schema}.v AS SELECT a FROM {schema}.t")
    assert failure(session, f"SHOW CREATE VIEW {schema}.t").hint == "SHOW CREATE TABLE t"
    assert failure(session, f"SHOW CREATE TABLE {schema}.v").hint == "SHOW CREATE VIEW v"
    assert failure(session, f"SHOW CREATE TABLE {schema}.nothing").code == "NOT_FOUND"


def test_functions_are_those_of_the_dialect(session: Client) -> None:
    found = rows(session, "SHOW FUNCTIONS")
    assert list(found[0]) == [
        "Function", "Return Type", "Argument Types", "Function Type", "Deterministic", "Description",
    ]  # fmt: skip
    names = {row["Function"] for row in found}
    assert {"abs", "array_agg", "date_trunc", "row_number", "regexp_like"} <= names
    assert not [name for name in names if name.startswith(("sqe", "_"))]
    kinds = {row["Function Type"] for row in rows(session, "SHOW FUNCTIONS LIKE 'array\\_agg' ESCAPE '\\'")}
    assert kinds == {"aggregate"}
    assert rows(session, "SHOW FUNCTIONS LIKE 'array\\_agg'") == []


def test_settings_of_a_session(session: Client) -> None:
    rows(session, "SET SESSION task_concurrency = 3")
    rows(session, "SET SESSION iceberg.compression_codec = 'gzip'")
    shown = {row["Name"]: row for row in rows(session, "SHOW SESSION")}
    assert shown["task_concurrency"]["Value"] == "3"
    assert shown["iceberg.compression_codec"]["Value"] == "gzip"
    assert rows(session, "SET spark.sql.shuffle.partitions") == [{"key": "spark.sql.shuffle.partitions", "value": "3"}]
    rows(session, "RESET SESSION task_concurrency")
    rows(session, "RESET")
    shown = {row["Name"]: row for row in rows(session, "SHOW SESSION")}
    assert shown["task_concurrency"]["Value"] == shown["task_concurrency"]["Default"] != "3"
    assert shown["iceberg.compression_codec"]["Value"] == ""
    assert value(session, "SELECT 1") == 1


def test_the_codec_of_the_session_is_that_of_its_files(session: Client, schema: str) -> None:
    rows(session, "SET SESSION iceberg.compression_codec = 'gzip'")
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS a")
    path = value(session, f'SELECT "$path" FROM {schema}.t')
    column = pq.ParquetFile(path.removeprefix("file:")).metadata.row_group(0).column(0)
    assert column.compression == "GZIP"


@pytest.mark.parametrize("sql", ["SHOW ROLES", "SHOW CURRENT ROLES", "SHOW ROLE GRANTS"])
def test_there_are_no_roles(session: Client, sql: str) -> None:
    result = session.run(sql)
    assert result.schema.names == ["Role"]
    assert list(result) == [] or sum(batch.num_rows for batch in result) == 0


def test_statistics(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t (a INTEGER, s VARCHAR, d DATE, r ROW(x INTEGER))")
    assert rows(session, f"SHOW STATS FOR {schema}.t")[-1]["row_count"] == 0.0
    rows(session, f"INSERT INTO {schema}.t VALUES (1, 'x', DATE '2024-02-29', ROW(1)), (NULL, 'y', NULL, NULL)")
    rows(session, f"INSERT INTO {schema}.t VALUES (-5, 'x', DATE '1969-01-01', ROW(1)), (7, 'x', NULL, NULL)")
    rows(session, f"CALL iceberg.system.compute_table_stats(table => '{schema}.t')")
    a, s, d, r, whole = rows(session, f"SHOW STATS FOR {schema}.t")
    assert list(a) == [
        "column_name", "data_size", "distinct_values_count", "nulls_fraction", "row_count", "low_value", "high_value",
    ]  # fmt: skip
    assert (a["distinct_values_count"], a["nulls_fraction"], a["low_value"], a["high_value"]) == (3.0, 0.25, "-5", "7")
    assert (s["distinct_values_count"], s["nulls_fraction"], s["low_value"]) == (2.0, 0.0, None)
    assert (d["nulls_fraction"], d["low_value"], d["high_value"]) == (0.5, "1969-01-01", "2024-02-29")
    assert (r["column_name"], r["nulls_fraction"]) == ("r", None)
    assert (whole["column_name"], whole["row_count"]) == (None, 4.0)


def test_a_schema_within_another_one_is_shown_with_quotes(session: Client) -> None:
    table(session, 'CREATE SCHEMA IF NOT EXISTS iceberg."shown.deep"')
    table(session, 'CREATE TABLE iceberg."shown.deep".t (x INTEGER)')
    made = value(session, 'SHOW CREATE TABLE iceberg."shown.deep".t')
    assert made.startswith('CREATE TABLE iceberg."shown.deep".t (')
    assert value(session, "SHOW CREATE SCHEMA iceberg.shown.deep").startswith('CREATE SCHEMA iceberg."shown.deep"')
    table(session, "DROP SCHEMA iceberg.shown CASCADE")
    assert rows(session, "SHOW SCHEMAS FROM iceberg LIKE 'shown%'") == []
    table(session, "CREATE SCHEMA iceberg.shown")
    table(session, 'CREATE SCHEMA iceberg."shown.deep"')
    table(session, re.sub(r"location = '[^']*',", "", made))
    table(session, "DROP SCHEMA iceberg.shown CASCADE")
