"""The tables of docs/types.md, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.core.errors import NotSupportedError

from .support import Client, failure, rows, table, value

_PAGE = Path(__file__).parents[2] / "docs" / "types.md"


def _rows_of(title: str) -> list[list[str]]:
    """The cells in backticks of the table below a title."""
    part = _PAGE.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [re.findall(r"`([^`]*)`", line) for line in part.splitlines() if line.startswith("| `")]


@pytest.fixture
def peer(session: Client, warehouse: Path) -> Iterator[SqlCatalog]:
    rows(session, "SHOW TABLES IN iceberg.default")
    catalog = SqlCatalog("iceberg", uri=f"sqlite:///{warehouse}/sqe.db", warehouse=str(warehouse / "iceberg"))
    yield catalog
    catalog.engine.dispose()


@pytest.mark.parametrize("case", _rows_of("Kept"), ids=lambda case: case[0])
def test_a_type_is_kept(session: Client, schema: str, peer: SqlCatalog, case: list[str]) -> None:
    written, shown, spark, iceberg, arrow, literal = case
    rows(session, "SET TIME ZONE 'UTC'")
    rows(session, f"CREATE TABLE {schema}.t (c {written})")
    rows(session, f"INSERT INTO {schema}.t SELECT {literal}")
    assert rows(session, f"DESCRIBE {schema}.t")[0]["data_type"] == shown
    assert rows(session, f"DESCRIBE EXTENDED {schema}.t")[0]["data_type"] == spark
    stored = peer.load_table(f"{schema.removeprefix('iceberg.')}.t")
    assert str(stored.schema().fields[0].field_type) == iceberg
    found = table(session, f"SELECT c FROM {schema}.t")
    assert str(found.schema.field("c").type) == arrow
    meant = table(session, f"SELECT {literal} AS c").column("c").to_pylist()
    assert found.column("c").to_pylist() == meant
    assert stored.scan().to_arrow().column("c").to_pylist() == meant


@pytest.mark.parametrize("case", _rows_of("Refused"), ids=lambda case: case[0])
def test_a_type_is_refused(session: Client, schema: str, case: list[str]) -> None:
    error = failure(session, f"CREATE TABLE {schema}.t (a INTEGER, c {case[0]})")
    assert isinstance(error, NotSupportedError)
    rows(session, f"CREATE TABLE {schema}.t (a INTEGER)")
    assert isinstance(failure(session, f"ALTER TABLE {schema}.t ADD COLUMN c {case[0]}"), NotSupportedError)
    assert len(rows(session, f"DESCRIBE {schema}.t")) == 1


def test_a_variant_needs_the_third_format(session: Client, schema: str) -> None:
    assert isinstance(failure(session, f"CREATE TABLE {schema}.t (c variant)"), NotSupportedError)
    rows(session, f"CREATE TABLE {schema}.t (c variant) WITH (format_version = 3)")
    rows(session, f"INSERT INTO {schema}.t SELECT parse_json('[1, 2]')")
    assert value(session, f"SELECT c FROM {schema}.t") == "[1,2]"
