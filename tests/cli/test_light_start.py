"""What must stay light: help and version load nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import sqe

if TYPE_CHECKING:
    from tests.cli.conftest import Home

pytestmark = pytest.mark.cli

HEAVY = ("pyspark", "pyarrow", "pydantic", "prompt_toolkit", "pygments", "py4j")


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_nothing_heavy_is_loaded(home: Home, flag: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import sys; from sqe.cli.main import main; main()", flag],
        capture_output=True,
        text=True,
        env=home.env,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "sqe" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_help_names_everything(home: Home) -> None:
    text = home.run("--help").ok().out
    for flag in ("-e", "--file", "--stop-on-error", "-f", "-o", "--embedded", "--warehouse", "--catalog", "--memory"):
        assert flag in text
    for command in ("sqe-cli setup", "sqe-cli doctor", "sqe-cli engine status|stop"):
        assert command in text


@pytest.mark.parametrize("command", ["engine", "doctor", "setup"])
def test_help_of_the_commands(home: Home, command: str) -> None:
    assert f"sqe-cli {command}" in home.run(command, "--help").ok().out


def test_version(home: Home) -> None:
    assert home.run("--version").ok().out == f"sqe-cli {sqe.__version__}\n"


def test_bench_help(home: Home) -> None:
    assert "sqe-bench" in home.run("--help", command="sqe-bench").ok().out
