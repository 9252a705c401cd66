"""What nobody should type, and disks that are full."""
# ruff: noqa: S608 - the names in the statements are our own

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Home

pytestmark = pytest.mark.cli


def test_unusable_warehouse(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for path in (file, file / "below"):
        done = home.sql("SELECT 1", "--warehouse", path).fails(2, str(path), "Not a directory")
        assert len(done.err.splitlines()) == 1
    home.sql("SELECT 1", "--warehouse", "/proc/warehouse").fails(2, "/proc/warehouse")


def test_broken_catalog_file(home: Home, tmp_path: Path) -> None:
    (tmp_path / "sqe.db").write_bytes(b"this is no database " * 500)
    home.sql("SELECT 1 FROM iceberg.default.t", "--warehouse", tmp_path, "--no-daemon").fails(1, "iceberg")
    assert (tmp_path / "sqe.db").read_bytes() == b"this is no database " * 500


def test_statement_of_five_megabytes(home: Home, tmp_path: Path) -> None:
    script = tmp_path / "large.sql"
    script.write_text("SELECT '" + "x" * 5_000_000 + "' AS a;\nSELECT 7 AS b", encoding="utf-8")
    done = home.run("--embedded", "-f", "csv", "--file", script).fails(1, "4.77MB, more than 1MB", "max_sql_bytes")
    assert done.out == "b\n7\n"
    assert len(done.err) < 1000


def test_zero_bytes(home: Home, tmp_path: Path) -> None:
    script = tmp_path / "zero.sql"
    script.write_bytes(b"SELECT 1 AS a;\nSELECT \0 2;\nSELECT 3 AS c")
    done = home.run("--embedded", "-f", "csv", "--file", script).fails(1, "   2 |")
    assert done.out == "a\n1\nc\n3\n"


def test_a_zero_in_a_text(home: Home) -> None:
    assert home.run("--embedded", "-f", "csv", text="SELECT length('a\0b') AS n").ok().out == "n\n3\n"


def test_a_script_that_is_not_utf8(home: Home, tmp_path: Path) -> None:
    script = tmp_path / "latin.sql"
    script.write_bytes("SELECT 'é'".encode("latin-1"))
    home.run("--embedded", "--file", script).fails(1, "latin.sql", "not UTF-8")


# BUG: standard input that is not UTF-8 ends in Python's words, or in a stack trace.
@pytest.mark.parametrize("encoding", ["utf-8:strict", "utf-8:surrogateescape"])
def test_a_pipe_that_is_not_utf8(home: Home, encoding: str) -> None:
    script = "SELECT 1 AS a;\nSELECT 'é' AS b".encode("latin-1")
    done = home.run("--embedded", "-f", "csv", text=script, env={"PYTHONIOENCODING": encoding}).fails(1, "UTF-8")
    assert "codec" not in done.err
    assert "UnicodeEncodeError" not in done.err


def test_byte_order_mark(home: Home, tmp_path: Path) -> None:
    script = tmp_path / "bom.sql"
    script.write_bytes(b"\xef\xbb\xbfSELECT 1 AS a;\r\nSELECT 2 AS b;\r\n")
    assert home.run("--embedded", "-f", "csv", "--file", script).ok().out == "a\n1\nb\n2\n"


# BUG: a byte order mark that comes through a pipe is a syntax error.
def test_byte_order_mark_in_a_pipe(home: Home) -> None:
    assert home.run("--embedded", "-f", "csv", text=b"\xef\xbb\xbfSELECT 1 AS a").ok().out == "a\n1\n"


@pytest.mark.parametrize(
    "script", ["SELECT 'never closed", 'SELECT "never closed', "SELECT 1 /* never closed", ")", "((((", "\\", "."]
)
def test_unfinished(home: Home, script: str) -> None:
    home.run("--embedded", text=script).fails(1)


def test_deep_nesting(home: Home) -> None:
    home.sql(f"SELECT {'(' * 20000}1{')' * 20000} AS a").fails(1)
    assert home.sql(f"SELECT {'1+' * 20000}1 AS a").code in {0, 1}
    assert home.sql("SELECT 1 AS a").ok().out == "a\n1\n"


def test_odd_output(home: Home) -> None:
    done = home.run(
        "--embedded", "-f", "json", "-e", "SELECT 'é→\U0001f600' AS a, chr(7) AS b", env={"LC_ALL": "C"}
    ).ok()
    assert '"b":"\\u0007"' in done.out


@pytest.fixture
def small_disk(fresh: Home, tmp_path: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """A disk of 24 MB, and what stands before the first command so that its engine sees it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(disk))
    if os.getuid():
        inside = ("unshare", "--user", "--map-root-user", "--mount")
        works = subprocess.run([*inside, *mount], capture_output=True, check=False).returncode == 0
        if not works:
            pytest.skip("no small disk can be mounted here")
        yield disk, (*inside, "sh", "-c", f'{" ".join(mount)} && exec "$@"', "sh")
        return
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        yield disk, ()
    finally:
        fresh.run("engine", "stop")
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_full_disk(fresh: Home, small_disk: tuple[Path, tuple[str, ...]]) -> None:
    disk, prefix = small_disk
    base = ("--embedded", "-f", "csv", "--warehouse", disk / "w", "-e")
    texts = "sha2(CAST(id AS STRING), 512) AS s"
    first = f"CREATE TABLE iceberg.default.early AS SELECT id, {texts} FROM range(20000)"
    fresh.run(*base, first, prefix=prefix).ok()
    engine = fresh.engine()
    count = "SELECT count(*) AS n FROM iceberg.default.early"
    large = f"INSERT INTO iceberg.default.early SELECT id, {texts} FROM range(2000000)"
    fresh.run(*base, large).fails(1, "No space left on device", "make room")
    assert fresh.run(*base, count).rows() == [["20000"]]
    # A failed statement leaves nothing behind that would keep the disk full.
    fresh.run(*base, "INSERT INTO iceberg.default.early VALUES (1, 'small')").ok()
    assert fresh.run(*base, count).rows() == [["20001"]]
    assert fresh.engine() == engine


def test_disk_without_any_room(fresh: Home, small_disk: tuple[Path, tuple[str, ...]]) -> None:
    if os.getuid():
        pytest.skip("the disk can be filled only from inside of its namespace")
    disk, _ = small_disk
    base = ("--embedded", "-f", "csv", "--warehouse", disk / "w", "-e")
    fresh.run(*base, "CREATE TABLE iceberg.default.early AS SELECT 1L AS id").ok()
    filler = disk / "filler"
    with filler.open("wb") as file:
        subprocess.run(["head", "-c", "30m", "/dev/zero"], stdout=file, stderr=subprocess.DEVNULL, check=False)
    insert = "INSERT INTO iceberg.default.early VALUES (2)"
    fresh.run(*base, insert).fails(1, "room")
    assert fresh.run(*base, "SELECT id FROM iceberg.default.early").rows() == [["1"]]
    filler.unlink()
    fresh.run(*base, insert).ok()
    assert fresh.run(*base, "SELECT id FROM iceberg.default.early ORDER BY id").rows() == [["1"], ["2"]]
