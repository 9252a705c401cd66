"""How long a statement takes in our own front: the questions of TPC-DS, and a plain query."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

from sqe.bench.measure import timed
from sqe.core.errors import ExternalError
from sqe.sql.context import Context
from sqe.sql.translate import translate

_PLAIN = "SELECT id, name, amount FROM iceberg.shop.orders WHERE amount > 10 ORDER BY id LIMIT 10"
_TPCDS_TARGET_MS = 10.0
_PLAIN_TARGET_MS = 5.0


def run_translate(rounds: int, target: Path | None) -> int:
    """Measure and print; 0 when all is within the targets."""
    questions = _questions()
    for question in questions:
        translate(Context(question))
    tpcds = [_millis(question) for _ in range(rounds) for question in questions]
    plain = [_millis(_PLAIN) for _ in range(rounds * 20)]
    within = _told("a question of TPC-DS", tpcds, _TPCDS_TARGET_MS)
    within = _told("a plain SELECT … LIMIT 10", plain, _PLAIN_TARGET_MS) and within
    if target is not None:
        target.write_text(json.dumps({"tpcds_ms": tpcds, "plain_ms": plain}), encoding="utf-8")
    return 0 if within else 1


def _millis(sql: str) -> float:
    return timed(lambda: translate(Context(sql))) * 1000


def _told(name: str, millis: list[float], target: float) -> bool:
    median = statistics.median(millis)
    high = sorted(millis)[int(len(millis) * 0.9)]
    verdict = "within" if median < target else "OVER"
    print(f"{name}: median {median:.2f} ms ({verdict} the target of {target:.0f} ms)")
    print(f"    p90 {high:.2f} ms, max {max(millis):.2f} ms")
    return median < target


def _questions() -> list[str]:
    try:
        import duckdb
        from duckdb_extensions import import_extension
    except ImportError as error:
        raise ExternalError("the questions come with DuckDB", hint="pip install 'sqe[bench]'") from error
    import_extension("tpcds")
    connection: Any = duckdb.connect()
    connection.execute("LOAD tpcds")
    return [
        str(row[0]).strip().rstrip(";") for row in connection.execute("SELECT query FROM tpcds_queries()").fetchall()
    ]
