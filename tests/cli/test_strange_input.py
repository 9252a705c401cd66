"""What nobody should type, and disks that are full."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Done, Home

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
    home.sql("SELECT 1 FROM iceberg.default.t", "--warehouse", tmp_path, "--no-daemon").fails(1, "sqe.db")
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


def test_byte_order_mark_in_a_pipe(home: Home) -> None:
    assert home.run("--embedded", "-f", "csv", text=b"\xef\xbb\xbfSELECT 1 AS a").ok().out == "a\n1\n"


@pytest.mark.parametrize(
    "script", ["SELECT 'never closed", 'SELECT "never closed', "SELECT 1 /* never closed", ")", "((((", "\\", "."]
)
def test_unfinished(home: Home, script: str) -> None:
    home.run("--embedded", text=script).fails(1)


def test_deep_nesting(home: Home) -> None:
    home.sql(f"SELECT {'(' * 3000}1{')' * 3000} AS a").fails(1, "nested more than 400 levels deep")
    assert home.sql("SELECT 1 AS a").ok().out == "a\n1\n"


def test_odd_output(home: Home) -> None:
    done = home.run(
        "--embedded", "-f", "json", "-e", "SELECT 'é→\U0001f600' AS a, chr(7) AS b", env={"LC_ALL": "C"}
    ).ok()
    assert '"b":"\\u0007"' in done.out


@dataclass
class FullDisk:
    """What was seen when a disk of 24 MB was filled by an INSERT."""

    large: Done
    count: list[list[str]]
    left_over: int
    small: Done
    count_after: list[list[str]]
    same_engine: bool


@pytest.fixture(scope="module")
def full_disk(victim_account: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FullDisk]:
    account = victim_account
    account.run("engine", "stop")
    disk = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(disk)]
    # Somebody who is not root mounts in a namespace of their own, and starts the engine inside of it.
    inside = ["unshare", "--user", "--map-root-user", "--mount"] if os.getuid() else []
    if subprocess.run([*inside, *mount], capture_output=True, check=False).returncode:
        pytest.fail("no small disk can be mounted here: root, or unshare with user namespaces, is needed")
    prefix = (*inside, "sh", "-c", f'{" ".join(mount)} && exec "$@"', "sh") if inside else ()
    try:
        yield _fill(account, disk, prefix)
    finally:
        account.run("engine", "stop")
        if not inside:
            subprocess.run(["umount", "-l", str(disk)], check=True)


def _fill(account: Home, disk: Path, prefix: tuple[str, ...]) -> FullDisk:
    base = ("--embedded", "-f", "csv", "--warehouse", disk / "w", "-e")
    texts = "sha2(CAST(id AS STRING), 512) AS s"
    count = "SELECT count(*) AS n FROM iceberg.default.early"
    first = f"CREATE TABLE iceberg.default.early AS SELECT id, {texts} FROM range(20000)"
    account.run(*base, first, prefix=prefix).ok()
    engine = account.engine()
    seen_by_engine = Path(f"/proc/{engine}/root{disk}")
    filler = seen_by_engine / "filler"
    filler.write_bytes(b"\0" * (4 << 20))
    files = set(seen_by_engine.rglob("*.parquet"))
    large = account.run(*base, f"INSERT INTO iceberg.default.early SELECT id, {texts} FROM range(1000000)")
    rows = account.run(*base, count).rows()
    left_over = sum(path.stat().st_size for path in set(seen_by_engine.rglob("*.parquet")) - files)
    filler.unlink()
    small = account.run(*base, "INSERT INTO iceberg.default.early VALUES (1, 'small')")
    return FullDisk(large, rows, left_over, small, account.run(*base, count).rows(), account.engine() == engine)


def test_full_disk_is_told(full_disk: FullDisk) -> None:
    full_disk.large.fails(1, "error: the disk is full", "hint: make room")


def test_full_disk_leaves_the_table_as_it_was(full_disk: FullDisk) -> None:
    assert full_disk.count == [["20000"]]


def test_full_disk_and_then_room(full_disk: FullDisk) -> None:
    full_disk.small.ok()
    assert full_disk.count_after == [["20001"]]
    assert full_disk.same_engine


def test_comments_in_comments(home: Home) -> None:
    text = "SELECT 1 " + "/*" * 5000 + "*/" * 5000 + " AS a"
    assert home.sql(text).ok().out == "a\n1\n"


def test_deep_brackets_are_refused(home: Home) -> None:
    home.sql("SELECT " + "(" * 20000 + "1" + ")" * 20000).fails(1, "nested more than 400 levels deep")


def test_full_disk_is_not_kept_full(full_disk: FullDisk) -> None:
    assert full_disk.left_over == 0
