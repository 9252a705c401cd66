"""All questions of TPC-H and TPC-DS, as Trino's and as Spark's people write them, with DuckDB's answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.server.local import LocalEngine

from .support import Client, open_client, table
from .tpc import Suite, same_rows, spelled


def _loaded(name: str, engine: LocalEngine, folder: Path) -> Iterator[tuple[Suite, Client]]:
    suite = Suite.make(name)
    with open_client(engine) as client:
        table(client, f"CREATE SCHEMA iceberg.{name}")
        for relation, file in suite.tables(folder):
            table(client, f"CREATE TABLE iceberg.{name}.{relation} AS SELECT * FROM '{file}'")
        table(client, f"USE iceberg.{name}")
        yield suite, client


@pytest.fixture(scope="module")
def tpch(engine: LocalEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Suite, Client]]:
    yield from _loaded("tpch", engine, tmp_path_factory.mktemp("tpch"))


@pytest.fixture(scope="module")
def tpcds(engine: LocalEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Suite, Client]]:
    yield from _loaded("tpcds", engine, tmp_path_factory.mktemp("tpcds"))


def check(suite: Suite, client: Client, number: int, dialect: str) -> None:
    found = table(client, spelled(suite.question(number), dialect))
    ours = [tuple(row.values()) for row in found.rename_columns([str(i) for i in range(found.num_columns)]).to_pylist()]
    expected = suite.answer(number)
    assert same_rows(expected, ours), (expected[:5], ours[:5])


@pytest.mark.parametrize("dialect", ["trino", "spark"])
@pytest.mark.parametrize("number", range(1, 23))
def test_tpch(tpch: tuple[Suite, Client], number: int, dialect: str) -> None:
    check(*tpch, number, dialect)


@pytest.mark.parametrize("dialect", ["trino", "spark"])
@pytest.mark.parametrize("number", range(1, 100))
def test_tpcds(tpcds: tuple[Suite, Client], number: int, dialect: str) -> None:
    check(*tpcds, number, dialect)
