"""Catalogs: persistent warehouses on the disk, a private catalog in memory, other readers and writers of the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.catalogs.embedded import EmbeddedMounts, Warehouses
from sqe.core.errors import ConfigError
from sqe.query.sessions import SessionStore
from sqe.server.local import LocalEngine

from .support import Client, client_of, failure, make_engine, own_engine, rows, table, value, wait_until


@pytest.fixture
def peer(session: Client, warehouse: Path) -> Iterator[SqlCatalog]:
    """PyIceberg on the same files: a reader and writer that shares no code with us."""
    rows(session, "SHOW TABLES IN iceberg.default")
    catalog = SqlCatalog("iceberg", uri=f"sqlite:///{warehouse}/sqe.db", warehouse=str(warehouse / "iceberg"))
    yield catalog
    catalog.engine.dispose()


def test_tables_survive_the_engine(tmp_path: Path) -> None:
    with own_engine(tmp_path) as engine:
        first = client_of(engine)
        rows(first, "CREATE TABLE iceberg.default.kept AS SELECT id FROM range(10)")
        rows(first, "CREATE SCHEMA iceberg.other")
        rows(first, "CREATE VIEW iceberg.other.v AS SELECT max(id) AS m FROM iceberg.default.kept")
        rows(first, "CREATE TABLE not_kept AS SELECT 1 AS x")
    with own_engine(tmp_path) as engine:
        second = client_of(engine)
        assert value(second, "SELECT sum(id) FROM iceberg.default.kept") == 45
        assert rows(second, "SELECT * FROM iceberg.other.v") == [{"m": 9}]
        assert rows(second, "SHOW TABLES") == []


def test_layout_on_the_disk(session: Client, schema: str, warehouse: Path) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT id FROM range(10)")
    rows(session, f"DELETE FROM {schema}.t WHERE id = 3")
    folder = warehouse / "iceberg" / schema.removeprefix("iceberg.") / "t"
    assert (warehouse / "sqe.db").is_file()
    assert {path.name for path in folder.iterdir()} == {"metadata", "data"}
    assert list((folder / "metadata").glob("*.metadata.json"))
    assert list((folder / "data").rglob("*.parquet"))
    assert not [path for path in warehouse.rglob("*") if path.name.endswith(".crc")]


def test_unqualified_names_live_in_memory(session: Client, warehouse: Path) -> None:
    rows(session, "CREATE TABLE in_memory AS SELECT 1 AS x")
    assert rows(session, "SELECT * FROM default.default.in_memory") == [{"x": 1}]
    assert rows(session, "SELECT current_catalog() AS c, current_schema() AS s") == [{"c": "default", "s": "default"}]
    rows(session, "INSERT INTO in_memory VALUES (2)")
    rows(session, "UPDATE in_memory SET x = 3 WHERE x = 1")
    assert rows(session, "SELECT x FROM in_memory ORDER BY x") == [{"x": 2}, {"x": 3}]
    assert not [path for path in warehouse.rglob("*") if path.name == "in_memory"]


def test_memory_is_private_and_goes_with_the_session(engine: LocalEngine) -> None:
    first, second = client_of(engine), client_of(engine)
    rows(first, "CREATE TABLE mine AS SELECT 1 AS x")
    rows(first, "CREATE TEMPORARY VIEW my_view AS SELECT 1 AS x")
    rows(first, "SET spark.sql.shuffle.partitions = 3")
    assert failure(second, "SELECT * FROM mine").code == "NOT_FOUND"
    assert failure(second, "SELECT * FROM my_view").code == "NOT_FOUND"
    assert rows(second, "SET spark.sql.shuffle.partitions") != rows(first, "SET spark.sql.shuffle.partitions")
    rows(second, "CREATE TABLE mine AS SELECT 2 AS x")
    assert rows(first, "SELECT * FROM mine") == [{"x": 1}]
    folder = first.session.folder
    assert list(folder.rglob("*.parquet"))
    first.close()
    assert not folder.exists()
    assert rows(second, "SELECT * FROM mine") == [{"x": 2}]
    second.close()


def test_a_session_of_the_same_id_starts_anew(engine: LocalEngine) -> None:
    client = client_of(engine)
    rows(client, "CREATE TABLE mine AS SELECT 1 AS x")
    client.close()
    assert failure(client, "SELECT * FROM mine").code == "NOT_FOUND"
    client.close()


def test_idle_sessions_are_closed(engine: LocalEngine) -> None:
    store = SessionStore(engine.spark, EmbeddedMounts(Warehouses({})), idle_timeout_secs=1)
    store.open("idle", engine.identity)
    wait_until(lambda: store.count() == 0, "the end of an idle session")
    store.close()


def test_catalogs_are_listed_in_a_new_session(session: Client) -> None:
    names = [row["catalog_name"] for row in rows(session, "SHOW CATALOGS")]
    assert {"default", "iceberg", "again", "second", "odd"} <= set(names)


def test_two_warehouses_in_one_statement(session: Client, schema: str) -> None:
    name = schema.replace("iceberg.", "second.")
    rows(session, f"CREATE SCHEMA {name}")
    rows(session, f"CREATE TABLE {schema}.t AS SELECT id, 'one' AS s FROM range(5)")
    rows(session, f"CREATE TABLE {name}.t AS SELECT id, 'two' AS s FROM range(3, 9)")
    found = rows(session, f"SELECT a.id, a.s, b.s AS z FROM {schema}.t a JOIN {name}.t b ON a.id = b.id ORDER BY 1")
    assert found == [{"id": 3, "s": "one", "z": "two"}, {"id": 4, "s": "one", "z": "two"}]
    rows(session, f"INSERT INTO {schema}.t SELECT * FROM {name}.t")
    assert value(session, f"SELECT count(*) FROM {schema}.t") == 11


def test_a_folder_under_another_name_shows_the_same_tables(session: Client, schema: str) -> None:
    again = schema.replace("iceberg.", "again.")
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS x")
    assert rows(session, f"SELECT * FROM {again}.t") == [{"x": 1}]
    rows(session, f"INSERT INTO {again}.t VALUES (2)")
    assert rows(session, f"SELECT x FROM {schema}.t ORDER BY x") == [{"x": 1}, {"x": 2}]
    rows(session, f"DROP TABLE {again}.t")
    assert rows(session, f"SHOW TABLES IN {schema}") == []


@pytest.mark.parametrize("name", ["`with space`", "`100%`", "`ünï-😀`", "`a'b`", "`MixedCase`", "nested.deeper"])
def test_odd_schema_names(session: Client, schema: str, name: str) -> None:
    rows(session, f"CREATE SCHEMA {schema}.a")
    inner = f"{schema}.{name}"
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        rows(session, f"CREATE SCHEMA {schema}.{'.'.join(parts[:length])}")
    rows(session, f"CREATE TABLE {inner}.`a table` AS SELECT 1 AS x")
    rows(session, f"INSERT INTO {inner}.`a table` VALUES (2)")
    assert rows(session, f"SELECT x FROM {inner}.`a table` ORDER BY x") == [{"x": 1}, {"x": 2}]
    assert [row["table_name"] for row in rows(session, f"SHOW TABLES IN {inner}")] == ["a table"]


def test_schema_with_a_table_is_not_dropped(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS x")
    assert "not empty" in failure(session, f"DROP SCHEMA {schema}").message
    rows(session, f"DROP TABLE {schema}.t")
    rows(session, f"DROP SCHEMA {schema}")
    assert failure(session, f"SHOW TABLES IN {schema}").code == "NOT_FOUND"


def test_a_warehouse_with_a_difficult_path(session: Client, mounts: dict[str, Path]) -> None:
    folder = mounts["odd"]
    rows(session, "CREATE SCHEMA IF NOT EXISTS odd.s")
    rows(session, "CREATE OR REPLACE TABLE odd.s.t AS SELECT id FROM range(5)")
    rows(session, "INSERT INTO odd.s.t VALUES (5)")
    rows(session, "DELETE FROM odd.s.t WHERE id = 0")
    assert sorted(row["id"] for row in rows(session, "SELECT * FROM odd.s.t")) == [1, 2, 3, 4, 5]
    assert list((folder / "iceberg" / "s" / "t" / "data").rglob("*.parquet"))
    assert (folder / "sqe.db").is_file()
    assert {path.name for path in folder.parent.iterdir()} <= {"warehouse", "second", "log", folder.name}


def test_rename_with_the_full_new_name(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS x")
    rows(session, f"ALTER TABLE {schema}.t RENAME TO {schema}.renamed")
    assert rows(session, f"SELECT * FROM {schema}.renamed") == [{"x": 1}]


def test_rename_with_the_short_new_name(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS x")
    rows(session, f"ALTER TABLE {schema}.t RENAME TO {schema.removeprefix('iceberg.')}.renamed")
    assert rows(session, f"SELECT * FROM {schema}.renamed") == [{"x": 1}]


def test_pyiceberg_reads_what_we_write(session: Client, schema: str, peer: SqlCatalog) -> None:
    rows(
        session,
        f"""CREATE TABLE {schema}.t PARTITIONED BY (k) AS
            SELECT id, id % 3 AS k, CAST(id AS STRING) AS s, CAST(id / 7 AS DECIMAL(12,4)) AS d,
                   TIMESTAMP '2024-01-01 00:00:00Z' + make_dt_interval(0, CAST(id AS INT)) AS ts,
                   IF(id % 2 = 0, array(id, NULL), NULL) AS a
            FROM range(100)""",
    )
    rows(session, f"DELETE FROM {schema}.t WHERE id BETWEEN 10 AND 19")
    rows(session, f"UPDATE {schema}.t SET s = 'changed' WHERE id > 95")
    name = (schema.removeprefix("iceberg."), "t")
    theirs = peer.load_table(name).scan().to_arrow().sort_by("id").to_pylist()
    ours = table(session, f"SELECT * FROM {schema}.t").sort_by("id").to_pylist()
    assert len(ours) == 90
    assert theirs == ours


def test_what_pyiceberg_writes_is_seen_at_once(session: Client, schema: str, peer: SqlCatalog) -> None:
    rows(session, f"CREATE TABLE {schema}.t (id BIGINT, s STRING)")
    theirs = peer.load_table((schema.removeprefix("iceberg."), "t"))
    for number in range(3):
        assert value(session, f"SELECT count(*) FROM {schema}.t") == number
        theirs.append(pa.table({"id": pa.array([number]), "s": ["theirs"]}))
    rows(session, f"INSERT INTO {schema}.t VALUES (9, 'ours')")
    assert [row["id"] for row in rows(session, f"SELECT id FROM {schema}.t ORDER BY id")] == [0, 1, 2, 9]
    theirs.refresh()
    assert theirs.scan().to_arrow().num_rows == 4


def test_a_table_that_pyiceberg_made(session: Client, schema: str, peer: SqlCatalog) -> None:
    made = peer.create_table((schema.removeprefix("iceberg."), "theirs"), pa.schema([("id", pa.int64())]))
    made.append(pa.table({"id": pa.array([1, 2])}))
    rows(session, f"INSERT INTO {schema}.theirs VALUES (3)")
    assert value(session, f"SELECT sum(id) FROM {schema}.theirs") == 6


def test_other_sessions_see_a_commit_at_once(session: Client, engine: LocalEngine, schema: str) -> None:
    other = client_of(engine)
    rows(session, f"CREATE TABLE {schema}.t (id BIGINT)")
    for number in range(5):
        assert value(other, f"SELECT count(*) FROM {schema}.t") == number
        rows(session, f"INSERT INTO {schema}.t VALUES ({number})")
    rows(other, f"ALTER TABLE {schema}.t ADD COLUMN more STRING")
    assert table(session, f"SELECT * FROM {schema}.t").schema.names == ["id", "more"]
    other.close()


@pytest.mark.parametrize("below", ["", "/deeper"])
def test_a_folder_that_cannot_be_used(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError, match="cannot be used") as caught:
        make_engine(tmp_path, {"sales": Path(f"{tmp_path}/file{below}")})
    assert "sales" in caught.value.message
    assert "\n" not in caught.value.message
