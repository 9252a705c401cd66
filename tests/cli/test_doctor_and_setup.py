"""`sqe-cli doctor` and `sqe-cli setup`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Home

pytestmark = pytest.mark.cli


def test_healthy(home: Home) -> None:
    done = home.run("doctor").ok()
    for word in ("Java", "jars of group core", "memory free", "free for the warehouse", "ports", "sockets"):
        assert word in done.out
    assert "FAIL" not in done.out
    assert done.out.splitlines()[-1] == "all that an embedded engine needs is there"
    assert done.err == ""


def test_truncated_jar(home: Home, tmp_path: Path) -> None:
    jars = tmp_path / "sqe/jars"
    jars.mkdir(parents=True)
    for path in (Path(home.env["XDG_CACHE_HOME"]) / "sqe/jars").glob("*.jar"):
        shutil.copyfile(path, jars / path.name)
    broken = next(jars.glob("sqlite*.jar"))
    with broken.open("r+b") as file:
        file.truncate(1000)
    done = home.run("doctor", env={"XDG_CACHE_HOME": str(tmp_path)})
    assert done.code == 1
    failures = [line for line in done.out.splitlines() if line.startswith("FAIL")]
    assert len(failures) == 1
    assert broken.name in failures[0]
    assert "-> run `sqe-cli setup` to fetch them again" in done.out
    assert "1 problem(s) found" in done.out


def test_changed_jar_of_the_right_size(home: Home, tmp_path: Path) -> None:
    jars = tmp_path / "sqe/jars"
    jars.mkdir(parents=True)
    for path in (Path(home.env["XDG_CACHE_HOME"]) / "sqe/jars").glob("*.jar"):
        shutil.copyfile(path, jars / path.name)
    broken = next(jars.glob("sqlite*.jar"))
    with broken.open("r+b") as file:
        file.seek(5000)
        file.write(b"\0" * 100)
    assert home.run("doctor", env={"XDG_CACHE_HOME": str(tmp_path)}).code == 1


def test_empty_cache(home: Home, tmp_path: Path) -> None:
    done = home.run("doctor", env={"XDG_CACHE_HOME": str(tmp_path)})
    assert done.code == 1
    assert "FAIL  jars of group core are missing" in done.out
    assert "by hand" in done.out


def test_setup_again_does_nothing(home: Home) -> None:
    done = home.run("setup").ok()
    lines = done.err.splitlines()
    assert lines[0].startswith("Java ")
    assert lines[1:] == ["ready"]
    assert done.out == ""
