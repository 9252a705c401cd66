"""`--no-daemon`: the engine lives and dies with the command."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Home

pytestmark = pytest.mark.cli


def test_nothing_stays(fresh: Home) -> None:
    script = "CREATE TABLE iceberg.default.t AS SELECT 5 AS a; SELECT a FROM iceberg.default.t; SELEC"
    done = fresh.sql(script, "--no-daemon").fails(1, "SELEC")
    assert done.out == "a\n5\n"
    assert fresh.processes() == []
    assert list(fresh.tmp.iterdir()) == []
    assert fresh.run("engine", "status").ok().out == "no engine is running\n"


def test_killed_shell(fresh: Home, endless: str) -> None:
    process = fresh.start("--embedded", "--no-daemon", "-e", endless)
    fresh.until(fresh.jvms, "the JVM")
    process.kill()
    process.wait()
    fresh.until(lambda: not fresh.processes(), "the end of the JVM")


def test_ctrl_c(fresh: Home, endless: str) -> None:
    process = fresh.start("--embedded", "--no-daemon", "-e", f"SELECT 1 AS first_result; {endless}")
    assert process.stdout is not None
    fresh.until(lambda: process.stdout is not None and "│" in process.stdout.readline(), "the first result")
    process.send_signal(signal.SIGINT)
    done = fresh.finish(process)
    assert done.code == 130, done
    assert "Traceback" not in done.err
    assert fresh.processes() == []


def test_beside_a_resident_engine(home: Home) -> None:
    name = home.table()
    home.sql(f"CREATE TABLE {name} AS SELECT 1 AS a").ok()
    home.sql(f"INSERT INTO {name} VALUES (2)", "--no-daemon").ok()
    assert home.sql(f"SELECT a FROM {name} ORDER BY a").rows() == [["1"], ["2"]]
