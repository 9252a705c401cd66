"""Settings from files, the environment and flags, as the commands use them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Done, Home

pytestmark = pytest.mark.cli


def run_in(home: Home, folder: Path, text: str | None, *flags: str, env: Mapping[str, str] | None = None) -> Done:
    if text is not None:
        (folder / "sqe.toml").write_text(text, encoding="utf-8")
    return home.run("--embedded", "-f", "csv", "-e", "SELECT 1 AS a", *flags, cwd=folder, env=env)


def test_unknown_key(home: Home, tmp_path: Path) -> None:
    done = run_in(home, tmp_path, '[engine]\nmemory_limt = "2GB"\n')
    done.fails(2, "sqe.toml", "engine.memory_limt", "did you mean engine.memory_limit?")
    assert done.out == ""


def test_everything_wrong_is_told_at_once(home: Home, tmp_path: Path) -> None:
    done = run_in(home, tmp_path, '[engine]\nmemory_limit = "10MB"\nparallelism = "many"\n[nonsense]\nx = 1\n')
    done.fails(2, "engine.memory_limit: must be at least 64MB", "engine.parallelism", "nonsense")
    assert len(done.err.splitlines()) == 3


def test_not_toml(home: Home, tmp_path: Path) -> None:
    run_in(home, tmp_path, "[engine\n").fails(2, "sqe.toml", "line 1")


def test_not_text(home: Home, tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_bytes(b"[engine]\n\xff\xfe\0")
    run_in(home, tmp_path, None).fails(2, "sqe.toml", "line 2")


def test_missing_file(home: Home, tmp_path: Path) -> None:
    run_in(home, tmp_path, None, "--config", "nope.toml").fails(2, "nope.toml", "no such file")
    run_in(home, tmp_path, None, env={"SQE_CONFIG": "nope2.toml"}).fails(2, "nope2.toml", "no such file")


def test_sqe_config(home: Home, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[engine]\nparallelism = -1\n", encoding="utf-8")
    run_in(home, tmp_path, None, env={"SQE_CONFIG": str(tmp_path / "other.toml")}).fails(
        2, "other.toml", "engine.parallelism"
    )


def test_bad_value_in_the_environment(home: Home, tmp_path: Path) -> None:
    done = run_in(home, tmp_path, None, env={"SQE_ENGINE__PARALLELISM": "plenty"}).ok()
    assert done.out == "a\n1\n"
    assert done.err.startswith("warning: SQE_ENGINE__PARALLELISM: ")
    assert len(done.err.splitlines()) == 1
    assert "plenty" not in done.err


def test_memory_limit(home: Home, tmp_path: Path) -> None:
    run_in(home, tmp_path, None, "--memory-limit", "63MB").fails(2, "at least 64MB")
    run_in(home, tmp_path, None, "--memory-limit", "lots").fails(2, "memory_limit")


def test_mounts_of_the_file(fresh: Home, tmp_path: Path) -> None:
    text = f'[embedded]\nwarehouse = "{tmp_path}/main"\ncatalogs = {{ side = "{tmp_path}/side" }}\n'
    (tmp_path / "sqe.toml").write_text(text, encoding="utf-8")
    script = (
        "CREATE TABLE iceberg.default.t AS SELECT 1 AS a; CREATE TABLE side.default.t AS SELECT 1 AS a, 2 AS b;"
        "SELECT b FROM iceberg.default.t JOIN side.default.t USING (a)"
    )
    done = fresh.run("--embedded", "-f", "csv", "-e", script, cwd=tmp_path).ok()
    assert done.out == "b\n2\n"
    assert (tmp_path / "main/iceberg/default/t").is_dir()
    assert (tmp_path / "side/iceberg/default/t").is_dir()
    assert not (fresh.sqe / "warehouse").exists()
    assert f"iceberg={tmp_path}/main, side={tmp_path}/side" in fresh.status()


def test_flags_win_over_the_file(home: Home, tmp_path: Path) -> None:
    home.sql("SELECT 1").ok()
    engine = home.engine()
    text = f'[embedded]\nwarehouse = "{tmp_path}/main"\n'
    run_in(home, tmp_path, text, "--warehouse", str(home.sqe / "warehouse")).ok()
    assert home.engine() == engine
    assert not (tmp_path / "main").exists()


@pytest.mark.parametrize("name", ["default", "a.b", ""])
def test_wrong_catalog_name_in_the_file(home: Home, tmp_path: Path, name: str) -> None:
    run_in(home, tmp_path, f'[embedded]\ncatalogs = {{ "{name}" = "/tmp/x" }}\n').fails(2, "embedded.catalogs", "name")
