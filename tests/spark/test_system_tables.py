"""information_schema and the system catalog, as drivers and tools read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sqe.query.virtual import catalogs, information_schema, jdbc

from .support import Client, rows, table, value

_DRIVER_COLUMNS = """
    SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, DATA_TYPE, TYPE_NAME, COLUMN_SIZE, BUFFER_LENGTH,
      DECIMAL_DIGITS, NUM_PREC_RADIX, NULLABLE, REMARKS, COLUMN_DEF, SQL_DATA_TYPE, SQL_DATETIME_SUB,
      CHAR_OCTET_LENGTH, ORDINAL_POSITION, IS_NULLABLE, SCOPE_CATALOG, SCOPE_SCHEMA, SCOPE_TABLE, SOURCE_DATA_TYPE,
      IS_AUTOINCREMENT, IS_GENERATEDCOLUMN
    FROM system.jdbc.columns
    WHERE TABLE_CAT = 'iceberg' AND TABLE_SCHEM LIKE '{schema}' ESCAPE '\\' AND TABLE_NAME LIKE 'a\\_%' ESCAPE '\\'
    ORDER BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION
"""


@pytest.mark.parametrize("name", [*jdbc.TABLES, *catalogs.TABLES])
def test_every_system_table_can_be_read(session: Client, name: str) -> None:
    found = table(session, f"SELECT * FROM {name} LIMIT 3")
    assert found.num_columns


@pytest.mark.parametrize("name", information_schema.TABLES)
def test_every_table_of_information_schema_can_be_read(session: Client, name: str) -> None:
    assert table(session, f"SELECT * FROM iceberg.{name} LIMIT 3").num_columns


def test_columns_as_a_driver_asks(session: Client, schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows(session, f"CREATE TABLE {schema}.a_b (i INTEGER, d DECIMAL(10, 2) COMMENT 'money', t TIMESTAMP(6), s VARCHAR)")
    rows(session, f"CREATE TABLE {schema}.axb (i INTEGER)")
    looked_at: list[str] = []
    spark = session.session.spark
    describe = spark.describe

    def watched(catalog: str, of: str, relations: Mapping[str, str], *, properties: bool = True) -> Any:
        looked_at.extend(relations)
        return describe(catalog, of, relations, properties=properties)

    monkeypatch.setattr(spark, "describe", watched)
    name = schema.removeprefix("iceberg.")
    found = rows(session, _DRIVER_COLUMNS.format(schema=name))
    assert looked_at == ["a_b"]
    facts = ["column_name", "data_type", "type_name", "column_size", "decimal_digits", "num_prec_radix", "remarks"]
    shown = [[row[key] for key in row if key.lower() in facts] for row in found]
    assert shown == [
        ["i", 4, "integer", 10, None, 10, None],
        ["d", 3, "decimal(10, 2)", 10, 2, 10, "money"],
        ["t", 93, "timestamp(6)", 28, 6, None, None],
        ["s", 12, "varchar", 2147483647, None, None, None],
    ]


def test_tables_as_a_driver_asks(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t (i INTEGER)")
    rows(session, f"CREATE VIEW {schema}.v AS SELECT i FROM {schema}.t")
    name = schema.removeprefix("iceberg.")
    asked = (
        "SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, TABLE_TYPE, REMARKS, TYPE_CAT, TYPE_SCHEM, TYPE_NAME,"
        " SELF_REFERENCING_COL_NAME, REF_GENERATION FROM system.jdbc.tables"
        f" WHERE TABLE_CAT = 'iceberg' AND TABLE_SCHEM LIKE '{name}' ESCAPE '\\' AND TABLE_TYPE IN ('TABLE', 'VIEW')"
        " ORDER BY TABLE_TYPE, TABLE_CAT, TABLE_SCHEM, TABLE_NAME"
    )
    assert [list(row.values())[:4] for row in rows(session, asked)] == [
        ["iceberg", name, "t", "TABLE"],
        ["iceberg", name, "v", "VIEW"],
    ]
    schemas = f"SELECT table_schem FROM system.jdbc.schemas WHERE table_catalog = 'iceberg' AND table_schem = '{name}'"
    assert value(session, schemas) == name


def test_a_filter_that_is_not_for_all_rows_narrows_nothing(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t (i INTEGER)")
    rows(session, f"CREATE TABLE {schema}.u (i INTEGER)")
    name = schema.removeprefix("iceberg.")
    asked = f"SELECT table_name FROM iceberg.information_schema.tables WHERE table_schema = '{name}' AND "
    for condition, names in {
        "(table_name = 't' OR table_name LIKE 'u')": ["t", "u"],
        "NOT table_name LIKE 't%'": ["u"],
        "table_name LIKE '_' AND table_name <> 'u'": ["t"],
        "table_name LIKE 't!%' ESCAPE '!'": [],
        "table_name = 'T'": [],
    }.items():
        assert [row["table_name"] for row in rows(session, f"{asked}{condition} ORDER BY 1")] == names


def test_properties_that_are_listed_can_be_given(session: Client, schema: str) -> None:
    listed = rows(session, "SELECT * FROM system.metadata.table_properties WHERE catalog_name = 'iceberg'")
    assert list(listed[0]) == ["catalog_name", "property_name", "default_value", "type", "description"]
    names = {row["property_name"] for row in listed}
    assert {"format", "partitioning", "sorted_by", "location"} <= names
    rows(session, f"CREATE TABLE {schema}.t (i INTEGER) WITH (format = 'ORC', sorted_by = ARRAY['i'])")
    shown = value(session, f"SHOW CREATE TABLE {schema}.t")
    assert "format = 'ORC'" in shown
    written = {line.strip().partition(" = ")[0] for line in shown.partition("WITH (")[2].splitlines()}
    assert {"format", "format_version", "location", "sorted_by", "max_commit_retry"} <= written & names


def test_settings_as_datafusion_lists_them(session: Client) -> None:
    rows(session, "SET SESSION task_concurrency = 5")
    asked = "SELECT value FROM iceberg.information_schema.df_settings WHERE name = 'spark.sql.shuffle.partitions'"
    assert value(session, asked) == "5"


def test_a_listing_of_many_tables_is_never_old(session: Client, schema: str) -> None:
    name = schema.removeprefix("iceberg.")
    asked = (
        "SELECT table_name, column_name FROM iceberg.information_schema.columns"
        f" WHERE table_schema = '{name}' AND table_name LIKE 't%' ORDER BY 1, ordinal_position"
    )

    def listed() -> list[tuple[str, str]]:
        return [(row["table_name"], row["column_name"]) for row in rows(session, asked)]

    for number in range(10):
        rows(session, f"CREATE TABLE {schema}.t{number} (a INTEGER)")
    rows(session, f"CREATE VIEW {schema}.tv AS SELECT a AS b FROM {schema}.t0")
    before = [*((f"t{number}", "a") for number in range(10)), ("tv", "b")]
    assert listed() == before
    assert listed() == before
    rows(session, f"ALTER TABLE {schema}.t3 ADD COLUMN x VARCHAR")
    rows(session, f"DROP TABLE {schema}.t4")
    rows(session, f"CREATE TABLE {schema}.t4 (z DOUBLE)")
    rows(session, f"ALTER TABLE {schema}.t5 RENAME TO {schema}.t9x")
    after = [pair for pair in before if pair[0] not in {"t4", "t5"}]
    assert listed() == sorted([*after, ("t3", "x"), ("t4", "z"), ("t9x", "a")])
