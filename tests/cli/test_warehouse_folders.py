"""What stays on the disk, what does not, and where."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Home

pytestmark = pytest.mark.cli


def test_tables_outlive_engines_and_catalogs_meet_in_one_statement(fresh: Home, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "zwei-é"
    fresh.sql("CREATE TABLE iceberg.default.t AS SELECT 1 AS id, 'left' AS l", "--warehouse", one).ok()
    assert fresh.run("engine", "stop").ok().out.endswith("stopped\n")
    both = ("--catalog", f"a={one}", "--catalog", f"b={two}")
    script = (
        "CREATE SCHEMA b.sales; CREATE TABLE b.sales.t AS SELECT 1 AS id, 'right' AS r;"
        "SELECT l, r FROM a.default.t JOIN b.sales.t USING (id)"
    )
    assert fresh.sql(script, *both).ok().out == "l,r\nleft,right\n"
    fresh.sql("SELECT 1 FROM iceberg.default.t", *both).fails(1, "iceberg")
    assert (two / "sqe.db").is_file()
    assert (two / "iceberg/sales/t/metadata").is_dir()
    assert fresh.run("engine", "stop").ok().out.endswith("stopped\n")
    # The default warehouse was never asked for.
    assert not (fresh.sqe / "warehouse").exists()


def test_layout(home: Home) -> None:
    name = home.table()
    home.sql(f"CREATE TABLE {name} AS SELECT 1 AS a").ok()
    warehouse = home.sqe / "warehouse"
    table = warehouse / "iceberg/default" / name.rpartition(".")[2]
    assert len(list((table / "data").glob("*.parquet"))) == 1
    assert len(list((table / "metadata").glob("*.metadata.json"))) == 1
    with sqlite3.connect(f"file:{warehouse}/sqe.db?mode=ro", uri=True) as database:
        found = database.execute(
            "SELECT metadata_location FROM iceberg_tables WHERE table_name = ?", [table.name]
        ).fetchall()
    database.close()
    assert len(found) == 1
    assert {path.name.partition("-")[0] for path in warehouse.iterdir()} == {"sqe.db", "iceberg"}


def test_the_same_folder_by_another_way_is_the_same_engine(home: Home, tmp_path: Path) -> None:
    name = home.table()
    home.sql(f"CREATE TABLE {name} AS SELECT 5 AS a").ok()
    engine = home.engine()
    link = tmp_path / "link"
    link.symlink_to(home.sqe)
    assert home.sql(f"SELECT a FROM {name}", "--warehouse", link / "warehouse").rows() == [["5"]]
    assert home.engine() == engine


def test_unqualified_tables_are_private_and_gone_afterwards(home: Home) -> None:
    first, second = home.shell(), home.shell()
    first.enter("CREATE TABLE mine AS SELECT 40 + 2 AS a;")
    first.sees("OK")
    first.enter("SELECT a AS from_mine FROM default.default.mine;")
    first.sees(r"│\s+42 │")
    second.enter("SELECT a FROM mine;")
    second.sees("error: [^\n]*mine")
    second.enter("CREATE TABLE mine AS SELECT 50 + 1 AS a;")
    second.sees("OK")
    second.enter("SELECT a FROM mine;")
    second.sees(r"│ 51 │")
    assert first.leave() == 0
    assert second.leave() == 0
    home.sql("SELECT a FROM mine").fails(1, "mine")


def test_memory_leaves_nothing_behind(fresh: Home) -> None:
    done = fresh.sql("CREATE TABLE t AS SELECT 6 AS a; SELECT a FROM t; SHOW CATALOGS", "--memory").ok()
    assert done.out.startswith("a\n6\n")
    assert "iceberg" not in done.out
    assert "memory only" in fresh.status()
    assert fresh.run("engine", "stop").ok().out.endswith("stopped\n")
    left = {str(path.relative_to(fresh.path)) for path in fresh.path.rglob("*") if path.is_file()}
    assert {path for path in left if not re.match(r"\.sqe/(logs|run)/", path)} == set()
    assert list(fresh.tmp.iterdir()) == []


def test_a_folder_with_an_odd_name(home: Home, tmp_path: Path) -> None:
    odd = tmp_path / "two words % é"
    script = "CREATE TABLE iceberg.default.t AS SELECT 7 AS a; SELECT a FROM iceberg.default.t"
    assert home.sql(script, "--warehouse", odd, "--no-daemon").rows() == [["7"]]
    assert [path.name for path in tmp_path.iterdir()] == [odd.name]
    assert (odd / "iceberg/default/t/metadata").is_dir()


def test_a_catalog_that_is_misspelt_is_no_schema_in_memory(home: Home) -> None:
    home.sql("CREATE TABLE icberg.default.t AS SELECT 1 AS a").fails(1, "icberg")
    home.sql("CREATE TABLE no_such_schema.t AS SELECT 1 AS a").fails(1, "no_such_schema")
    home.sql("CREATE TABLE iceberg.no_such_schema.t AS SELECT 1 AS a").fails(1, "no_such_schema")
