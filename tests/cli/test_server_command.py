"""`sqe-server`: the engine in the foreground."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Home

pytestmark = pytest.mark.cli


def test_help(home: Home) -> None:
    assert "--config" in home.run("--help", command="sqe-server").ok().out
    home.run("--nonsense", command="sqe-server").fails(2, "--nonsense")


def test_wrong_settings(home: Home, tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_text("[engin]\nx = 1\n", encoding="utf-8")
    home.run(command="sqe-server", cwd=tmp_path).fails(2, "engin")


def test_life(fresh: Home) -> None:
    server = fresh.start("--embedded", command="sqe-server")
    fresh.until(lambda: fresh.sockets and "1 session" not in fresh.status(), "the server's socket")
    assert fresh.sql("SELECT 40 + 2 AS a").ok().out == "a\n42\n"
    assert fresh.engine() == server.pid
    second = fresh.run("--embedded", command="sqe-server").fails(1, "an engine serves this already")
    assert second.out == ""
    server.send_signal(signal.SIGTERM)
    done = fresh.finish(server)
    assert done.code == 0, done
    assert "Traceback" not in done.err
    fresh.until(lambda: not fresh.processes(), "the end of all processes", 10)
    assert fresh.sockets == []


def test_ctrl_c_while_it_starts(fresh: Home) -> None:
    server = fresh.start("--embedded", command="sqe-server")
    fresh.until(fresh.jvms, "the JVM")
    server.send_signal(signal.SIGINT)
    done = fresh.finish(server)
    assert "Traceback" not in done.err
    fresh.until(lambda: not fresh.processes(), "the end of all processes")
