"""Listing a catalog of many tables, beside loading its tables one by one."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path

from sqe.bench.measure import Comparison, interleave, timed
from sqe.catalogs.embedded import WAREHOUSE_CATALOG, Warehouses
from sqe.core.errors import ExternalError
from sqe.core.folders import Folders
from sqe.query.sessions import Session
from sqe.server.local import LocalEngine
from sqe.settings import load

_TABLES = 1000
_TARGET = 0.2
_SCHEMA = "many"
_COLUMNS = "id BIGINT, name VARCHAR, at TIMESTAMP(6), amount DECIMAL(10, 2), tags ARRAY(VARCHAR), flag BOOLEAN"
_PER_TABLE = 6
_PEER = "one by one"
#: Listings before the timed ones, and a tenth of that for the peer, which does a thousand loads each time: what is
#: measured is the warm state.
_WARM_UP = 30
_STATEMENTS = {
    "SHOW TABLES": f"SHOW TABLES IN {WAREHOUSE_CATALOG}.{_SCHEMA}",
    "information_schema.columns": (
        f"SELECT * FROM {WAREHOUSE_CATALOG}.information_schema.columns WHERE table_schema = '{_SCHEMA}'"  # noqa: S608
    ),
}


def run_listing(rounds: int, target: Path | None) -> int:
    """Measure and print; 0 when all is within the targets."""
    with tempfile.TemporaryDirectory(prefix="sqe-bench-") as scratch, _engine(Path(scratch)) as engine:
        session = engine.sessions.open("bench", engine.identity)
        _make_tables(engine, session, Path(scratch))
        comparisons = _compared(engine, session, rounds)
    for comparison in comparisons:
        print(comparison.report(), flush=True)
    if target is not None:
        figures = {item.name: asdict(item) | {"ratio": item.ratio} for item in comparisons}
        target.write_text(json.dumps(figures, indent=2), encoding="utf-8")
    return 0 if all(item.ratio <= item.target for item in comparisons) else 1


@contextmanager
def _engine(folder: Path) -> Iterator[LocalEngine]:
    settings = load(config_path=None, environ={}, overrides={}, embedded=True, cwd=folder).settings
    warehouses = Warehouses.of({}, memory=False, default=folder / "warehouse")
    engine = LocalEngine(
        settings, Folders.of_user(os.environ), warehouses, environ=os.environ, log_folder=folder / "log"
    )
    try:
        yield engine
    finally:
        engine.close()


def _rows(engine: LocalEngine, session: Session, sql: str) -> int:
    return sum(batch.num_rows for batch in engine.pipeline.run(session, sql))


def _make_tables(engine: LocalEngine, session: Session, folder: Path) -> None:
    """One table is made; the others are copies of its metadata, each a file of its own."""
    name = f"{WAREHOUSE_CATALOG}.{_SCHEMA}"
    _rows(engine, session, f"CREATE SCHEMA {name}")
    _rows(engine, session, f"CREATE TABLE {name}.t0 ({_COLUMNS})")
    with closing(sqlite3.connect(folder / "warehouse" / "sqe.db")) as database, database:
        *start, location, previous, kind = database.execute(
            "SELECT catalog_name, table_namespace, metadata_location, previous_metadata_location, iceberg_type"
            " FROM iceberg_tables WHERE table_name = 't0'"
        ).fetchone()
        source = Path(str(location).removeprefix("file:"))
        copies = []
        for number in range(1, _TABLES):
            copy = source.with_name(f"{number:05}-{source.name}")
            shutil.copyfile(source, copy)
            copies.append((*start, f"t{number}", str(copy), previous, kind))
        database.executemany(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location,"
            " previous_metadata_location, iceberg_type) VALUES (?, ?, ?, ?, ?, ?)",
            copies,
        )


def _compared(engine: LocalEngine, session: Session, rounds: int) -> list[Comparison]:
    names = [f"t{number}" for number in range(_TABLES)]

    def one_by_one() -> None:
        for name in names:
            if session.spark.describe(WAREHOUSE_CATALOG, _SCHEMA, {name: "TABLE"}) == [None]:
                raise ExternalError(f"the table {name} cannot be loaded")

    def listed(sql: str) -> Callable[[], float]:
        return lambda: timed(lambda: _rows(engine, session, sql))

    contenders = {statement: listed(sql) for statement, sql in _STATEMENTS.items()}
    contenders[_PEER] = lambda: timed(one_by_one)
    for sql, each in zip(_STATEMENTS.values(), (1, _PER_TABLE), strict=True):
        if _rows(engine, session, sql) != _TABLES * each:
            raise ExternalError(f"the listing is not complete: {sql}")
    interleave({name: run for name, run in contenders.items() if name != _PEER}, _WARM_UP)
    interleave({_PEER: contenders[_PEER]}, _WARM_UP // 10)
    times = interleave(contenders, rounds)
    return [
        Comparison(f"{statement} of {_TABLES} tables", times[statement], times[_PEER], _PEER, _TARGET)
        for statement in _STATEMENTS
    ]
