"""The server under many clients, and large results, beside Trino where one runs."""

from __future__ import annotations

import itertools
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqe.bench.measure import Comparison, Times, interleave, timed
from sqe.bench.server_process import ServerProcess, server_process
from sqe.bench.trino_client import TrinoClient
from sqe.core.errors import ExternalError, SqeError
from sqe.endpoints.flight_sql.client import FlightConnection

_WARM_UP = 200
_ROWS = 5_000_000
_WIDE = """CREATE TABLE lake.bench.wide AS
SELECT id AS a, id % 1000 AS b, CAST(id AS DOUBLE) / 3 AS c, CAST(id AS DECIMAL(15, 2)) AS d,
  'name ' || (id % 5000) AS e, DATE '2020-01-01' + CAST(id % 1000 AS INTEGER) AS f, id * 7 AS g,
  CAST(id % 97 AS VARCHAR) AS h
FROM range(5000000)"""
_WIDE_IN_TRINO = """SELECT orderkey, partkey, extendedprice, discount, comment, shipdate, suppkey, shipmode
FROM tpch.sf1.lineitem LIMIT 5000000"""
#: Small statements as dashboards send them.
_MIX = (
    "SELECT 1",
    "SELECT count(*) FROM lake.bench.small",
    "SELECT k, sum(v) FROM lake.bench.small GROUP BY k",
    "SELECT * FROM lake.bench.small WHERE v = 77",
    "SHOW TABLES IN lake.bench",
    "SELECT s.k, count(*) FROM lake.bench.small AS s JOIN (VALUES 1, 2, 3) AS x (k) ON s.k = x.k GROUP BY s.k",
)


@dataclass(frozen=True)
class Load:
    """What many clients at once saw."""

    clients: int
    statements: int
    errors: int
    seconds: float
    p50: float
    p99: float

    def report(self) -> str:
        """Two lines for a person."""
        ratio = self.p99 / self.p50 if self.p50 else float("inf")
        verdict = "within" if ratio < 10 and not self.errors else "OVER"
        return (
            f"{self.clients} clients, small statements for {self.seconds:.0f} s: p99 {ratio:.1f} times p50 "
            f"({verdict} the target of 10), {self.errors} errors\n"
            f"    {self.statements / self.seconds:.1f} statements a second, p50 {self.p50:.3f} s, p99 {self.p99:.3f} s"
        )


class ServeBench:
    """The measurements over one server."""

    def __init__(self, server: ServerProcess, trino_url: str | None, rounds: int) -> None:
        self._server = server
        self._trino_url = trino_url
        self._rounds = rounds
        self._client = self.client()

    def client(self) -> TrinoClient:
        """A client of ours."""
        return TrinoClient(self._server.trino, "bench", self._server.key)

    def prepare(self) -> None:
        """The tables."""
        self._client.run("CREATE SCHEMA lake.bench")
        self._client.run("CREATE TABLE lake.bench.small AS SELECT id % 10 AS k, id AS v FROM range(10000)")
        self._client.run(_WIDE)

    def select_one(self) -> Comparison | Times:
        """`SELECT 1` over Trino's protocol with one client."""

        def ours() -> float:
            return timed(lambda: self._client.run("SELECT 1"))

        for _ in range(_WARM_UP):
            ours()
        if self._trino_url is None:
            return interleave({"sqe": ours}, self._rounds * 20)["sqe"]
        peer = TrinoClient(self._trino_url, "bench")

        def theirs() -> float:
            return timed(lambda: peer.run("SELECT 1"))

        for _ in range(_WARM_UP):
            theirs()
        times = interleave({"sqe": ours, "trino": theirs}, self._rounds * 20)
        return Comparison("SELECT 1 over Trino's protocol", times["sqe"], times["trino"], "trino", 1.5)

    def load(self, clients: int, seconds: float) -> Load:
        """Many clients at once."""
        waits: list[float] = []
        errors: list[str] = []
        end = time.monotonic() + seconds

        def work(start: int) -> None:
            client = self.client()
            for statement in itertools.islice(itertools.cycle(_MIX), start % len(_MIX), None):
                if time.monotonic() > end:
                    break
                try:
                    waits.append(timed(partial(client.run, statement)))
                except ExternalError as error:
                    errors.append(error.message)
            client.close()

        spent = timed(lambda: _at_once(work, clients))
        for text in sorted(set(errors))[:5]:
            print(f"    error: {text}")
        ranked = sorted(waits) or [0.0]
        return Load(clients, len(waits), len(errors), spent, statistics.median(ranked), ranked[int(len(ranked) * 0.99)])

    def large(self) -> tuple[Comparison | Times, float]:
        """All rows of the wide table over Flight SQL, and the share of the time that the first batch took."""
        shares: list[float] = []

        def ours() -> float:
            return self._fetch(shares)

        ours()
        if self._trino_url is None:
            return interleave({"sqe": ours}, self._rounds)["sqe"], statistics.median(shares)
        times = interleave({"sqe": ours, "trino": lambda: timed(self._trino_rows)}, self._rounds)
        title = f"{_ROWS:,} rows of 8 columns: Flight SQL beside Trino's Python client"
        return Comparison(title, times["sqe"], times["trino"], "trino", 0.2), statistics.median(shares)

    def _fetch(self, shares: list[float]) -> float:
        connection = FlightConnection(self._server.flight, token=lambda: self._server.key)
        begin = time.perf_counter()
        rows, first = 0, 0.0
        for batch in connection.execute("SELECT * FROM lake.bench.wide"):
            first = first or time.perf_counter() - begin
            rows += batch.num_rows
        spent = time.perf_counter() - begin
        connection.close()
        if rows != _ROWS:
            raise ExternalError(f"{rows} rows instead of {_ROWS}")
        shares.append(first / spent)
        return spent

    def _trino_rows(self) -> None:
        from trino.dbapi import connect

        host, _, port = (self._trino_url or "").removeprefix("http://").partition(":")
        cursor = connect(host=host, port=int(port), user="bench").cursor()
        cursor.execute(_WIDE_IN_TRINO)
        rows = sum(1 for _ in cursor.fetchall())
        if rows != _ROWS:
            raise ExternalError(f"{rows} rows instead of {_ROWS}")


def run_serve(rounds: int, target: Path | None, trino_url: str | None, clients: int, seconds: float) -> int:
    """Measure, print, and write all figures to a file."""
    with tempfile.TemporaryDirectory(prefix="sqe-bench-") as folder, server_process(Path(folder)) as server:
        bench = ServeBench(server, trino_url, rounds)
        bench.prepare()
        figures: dict[str, Any] = {}
        small = bench.select_one()
        print(_shown("SELECT 1 over Trino's protocol", small), flush=True)
        figures["select_one"] = asdict(small)
        load = bench.load(clients, seconds)
        print(load.report(), flush=True)
        figures["load"] = asdict(load)
        large, first = bench.large()
        print(_shown(f"{_ROWS:,} rows of 8 columns over Flight SQL", large))
        print(f"    the first batch came after {first:.0%} of the time")
        figures |= {"large": asdict(large), "first_batch": first}
    if target is not None:
        target.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


def _shown(title: str, found: Comparison | Times) -> str:
    return found.report() if isinstance(found, Comparison) else f"{title}: {found} (no peer: give --trino URL)"


def _at_once(work: Callable[[int], None], count: int) -> None:
    threads = [threading.Thread(target=_quietly, args=(work, number), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _quietly(work: Callable[[int], None], number: int) -> None:
    try:
        work(number)
    except SqeError as error:
        print(f"    a client ended: {error.message}")
