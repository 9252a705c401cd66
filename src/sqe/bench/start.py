"""Start-up, small statements and idle memory of the embedded engine, beside DuckDB and a plain PySpark script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from sqe.bench.measure import Comparison, interleave, timed
from sqe.core.errors import ExternalError
from sqe.core.folders import Folders
from sqe.core.processes import resident_bytes
from sqe.core.sizes import format_size
from sqe.endpoints.flight_sql.client import FlightConnection
from sqe.server.place import EnginePlace
from sqe.spark.jar_lock import jars_of
from sqe.spark.toolchain import BASE_GROUPS

_AGGREGATE = "SELECT k, count(*) AS c, sum(v) AS s FROM iceberg.default.bench GROUP BY k"
_TABLE = "CREATE TABLE iceberg.default.bench AS SELECT id % 10 AS k, id AS v FROM range(10000)"
_DUCKDB = "import duckdb; duckdb.sql('select 1').show()"
#: Statements before the timed ones, for both sides: what is measured is the warm state.
_WARM_UP = 60
_IDLE_SECS = 30
_IDLE_TARGET = 900 << 20


class Bench:
    """A home folder of its own, so that nobody's engines and tables are touched."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self.rounds = rounds
        self._cli = str(Path(sys.executable).parent / "sqe-cli")
        cache = Folders.of_user(os.environ).cache
        self._environ = {name: value for name, value in os.environ.items() if not name.startswith("SQE_")}
        self._environ |= {"HOME": str(folder), "XDG_CACHE_HOME": str(cache.parent)}
        self._folders = Folders.of_user(self._environ)
        self._jars = ",".join(str(cache / "jars" / jar.file_name) for jar in jars_of(BASE_GROUPS))
        self._folder = folder

    def cli(self, *arguments: str) -> None:
        """Run `sqe-cli`."""
        _run([self._cli, *arguments], self._environ, self._folder)

    def cold(self) -> Comparison:
        """No engine runs: to the first result from an Iceberg table."""

        def ours() -> float:
            self.cli("engine", "stop")
            seconds = timed(lambda: self.cli("--embedded", "-e", _AGGREGATE))
            # A fresh engine rehearses for a while; that must not slow the peer down.
            self.cli("engine", "stop")
            return seconds

        times = interleave({"sqe": ours, "pyspark": lambda: timed(self._plain_script)}, self.rounds)
        return Comparison("cold start to the first Iceberg result", times["sqe"], times["pyspark"], "pyspark", 0.4)

    def warm(self) -> Comparison:
        """An engine runs: one small statement as a whole process."""
        for _ in range(_WARM_UP // 4):
            self.cli("--embedded", "-e", "SELECT 1")
        duckdb = [sys.executable, "-c", _DUCKDB]
        times = interleave(
            {
                "sqe": lambda: timed(lambda: self.cli("--embedded", "-e", "SELECT 1")),
                "duckdb": lambda: timed(lambda: _run(duckdb, self._environ, self._folder)),
            },
            self.rounds * 4,
        )
        return Comparison("warm SELECT 1 as a whole process", times["sqe"], times["duckdb"], "duckdb", 3.0)

    def repeated(self) -> Comparison:
        """The same small aggregate again and again: over the shell's path, and in process by PySpark."""
        connection = FlightConnection(self._place().location)
        with self._pyspark() as peer:
            contenders = {
                "sqe": lambda: timed(lambda: list(connection.execute(_AGGREGATE))),
                "pyspark": peer,
            }
            interleave(contenders, _WARM_UP)
            times = interleave(contenders, self.rounds * 10)
        connection.close()
        return Comparison("repeated small aggregate", times["sqe"], times["pyspark"], "pyspark", 1.3)

    def idle_memory(self) -> int:
        """Resident bytes of the engine's two processes after a quiet while."""
        time.sleep(_IDLE_SECS)
        place = self._place()
        facts = place.facts()
        connection = FlightConnection(place.location)
        jvm = connection.action("sqe.status")["jvm_pid"]
        connection.close()
        return sum(resident_bytes(pid) for pid in (facts.pid if facts else 0, jvm))

    def _place(self) -> EnginePlace:
        return next(place for place in EnginePlace.all_in(self._folders.run) if place.is_running())

    def _command(self) -> list[str]:
        return [sys.executable, "-m", "sqe.bench.peer_pyspark", str(self._folders.warehouse), self._jars, _AGGREGATE]

    def _plain_script(self) -> None:
        """The script up to its first result; how it ends is not part of the measurement."""
        with _process(self._command(), self._environ, self._folder) as (process, output):
            _expect(process, output)

    @contextmanager
    def _pyspark(self) -> Iterator[Any]:
        with _process(self._command(), self._environ, self._folder) as (process, output):
            _expect(process, output)
            source = process.stdin

            def once() -> float:
                if source is None:  # pragma: no cover - Popen was told to make a pipe
                    raise ExternalError("the peer has no standard input")
                source.write("again\n")
                source.flush()
                return float(output.readline())

            yield once


def run_start(rounds: int, target: Path | None) -> int:
    """Measure and print; the exit code says nothing about the targets."""
    with tempfile.TemporaryDirectory(prefix="sqe-bench-") as scratch:
        bench = Bench(Path(scratch), rounds)
        try:
            bench.cli("--embedded", "-e", _TABLE)
            comparisons = []
            for measure in (bench.cold, bench.warm, bench.repeated):
                comparisons.append(measure())
                print(comparisons[-1].report(), flush=True)
            idle = bench.idle_memory()
            verdict = "within" if idle <= _IDLE_TARGET else "OVER"
            print(f"idle engine: {format_size(idle >> 20 << 20)} resident ({verdict} the target of 900MB)")
        finally:
            bench.cli("engine", "stop")
    if target is not None:
        figures = {item.name: asdict(item) | {"ratio": item.ratio} for item in comparisons}
        target.write_text(json.dumps({**figures, "idle_bytes": idle}, indent=2), encoding="utf-8")
    return 0


def _run(command: list[str], environ: dict[str, str], folder: Path) -> None:
    answer = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise ExternalError(f"{Path(command[0]).name} failed: {answer.stderr.strip()[-300:]}")


@contextmanager
def _process(
    command: list[str], environ: dict[str, str], folder: Path
) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    process = subprocess.Popen(
        command,
        env=environ,
        cwd=folder,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        if process.stdout is None:  # pragma: no cover - Popen was told to make a pipe
            raise ExternalError("the peer has no standard output")
        yield process, process.stdout
    finally:
        _kill_group(process)


def _kill_group(process: subprocess.Popen[str]) -> None:
    """End the peer and the JVM that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _expect(process: subprocess.Popen[str], output: IO[str]) -> None:
    if output.readline().strip() != "ready":
        raise ExternalError(f"the PySpark peer failed (exit code {process.poll()})")
