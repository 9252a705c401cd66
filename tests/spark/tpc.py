"""TPC-H and TPC-DS data and questions, made by DuckDB's generators, and its answers to compare with."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import sqlglot
from duckdb_extensions import import_extension
from sqlglot.dialects.spark import Spark

SCALE = 0.01
_GENERATORS = {"tpch": "dbgen", "tpcds": "dsdgen"}


@dataclass(frozen=True)
class Suite:
    """One benchmark's tables and queries."""

    name: str
    connection: duckdb.DuckDBPyConnection

    @classmethod
    def make(cls, name: str) -> Suite:
        import_extension(name)
        connection = duckdb.connect()
        connection.execute(f"LOAD {name}")
        connection.execute(f"CALL {_GENERATORS[name]}(sf = {SCALE})")
        return cls(name, connection)

    def tables(self, folder: Path) -> Iterator[tuple[str, Path]]:
        """Each table as a Parquet file."""
        names = self.connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
        for (name,) in names:
            file = folder / f"{name}.parquet"
            self.connection.execute(f"COPY {name} TO '{file}' (FORMAT parquet)")
            yield name, file

    def question(self, number: int) -> str:
        found = self.connection.execute(
            f"SELECT query FROM {self.name}_queries() WHERE query_nr = ?", [number]
        ).fetchone()
        assert found is not None
        return str(found[0]).strip().rstrip(";")

    def answer(self, number: int) -> list[tuple[Any, ...]]:
        return self.connection.execute(self.question(number)).fetchall()


class SparkSpelling(Spark):
    """Spark's words, but with what the dialect means by them: NULLs come last, and `/` keeps to its operands' types."""

    NULL_ORDERING = "nulls_are_last"
    TYPED_DIVISION = True


def spelled(question: str, dialect: str) -> str:
    """The question as people of another engine would write it."""
    return sqlglot.transpile(question, read="duckdb", write=SparkSpelling if dialect == "spark" else dialect)[0]


def same_rows(expected: list[tuple[Any, ...]], ours: list[tuple[Any, ...]]) -> bool:
    """Whether two answers hold the same rows; ties in ORDER BY may stand in any order."""
    if len(expected) != len(ours):
        return False
    pairs = zip(sorted(expected, key=_key), sorted(ours, key=_key), strict=True)
    return all(len(one) == len(other) and all(map(_same, one, other)) for one, other in pairs)


def _key(row: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(_rounded(value) for value in row)


def _rounded(value: Any) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return f"{float(value):+030.4f}"
    return str(value)


def _same(one: Any, other: Any) -> bool:
    if one is None and isinstance(other, float) and math.isinf(other):
        # A division by zero: NULL in DuckDB, infinity in Trino.
        return True
    if one is None or other is None:
        return one is None and other is None
    if isinstance(one, int | float | Decimal):
        return math.isclose(float(one), float(other), rel_tol=1e-6, abs_tol=5.1e-3)
    if isinstance(one, dt.datetime) and isinstance(other, dt.date):
        return str(one)[:10] == str(other)[:10]
    return str(one).rstrip() == str(other).rstrip()
