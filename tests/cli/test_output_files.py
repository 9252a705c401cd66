"""Formats on standard output, results in files, and large results."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Home

pytestmark = pytest.mark.cli

ROWS = "SELECT * FROM VALUES (1, 'a,b', 1.50BD), (2, NULL, NULL), (3, '', 2.25BD) AS t(id, s, d) ORDER BY id"
DATA = {"id": [1, 2, 3], "s": ["a,b", None, ""]}


def test_table(home: Home) -> None:
    out = home.run("--embedded", "-e", ROWS).ok().out.splitlines()
    assert out[1] == "│ id │ s    │    d │"
    assert out[4] == "│  2 │ NULL │ NULL │"
    assert out[-1] == "(3 rows)"


def test_csv(home: Home) -> None:
    assert home.run("--embedded", "-f", "csv", "-e", ROWS).ok().out == 'id,s,d\n1,"a,b",1.50\n2,,\n3,"",2.25\n'


def test_tsv(home: Home) -> None:
    assert home.run("--embedded", "-f", "tsv", "-e", ROWS).ok().out == 'id\ts\td\n1\ta,b\t1.50\n2\t\t\n3\t""\t2.25\n'


def test_json(home: Home) -> None:
    lines = home.run("--embedded", "-f", "json", "-e", ROWS).ok().out.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"id": 1, "s": "a,b", "d": "1.50"},
        {"id": 2, "s": None, "d": None},
        {"id": 3, "s": "", "d": "2.25"},
    ]


def test_one_statement_in_every_kind_of_file(home: Home, tmp_path: Path) -> None:
    for extension in ("csv", "tsv", "json", "parquet", "arrow", "txt"):
        done = home.run("--embedded", "-e", ROWS, "-o", tmp_path / f"out.{extension}").ok()
        assert (done.out, done.err) == ("", "")
    options = pa.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
    read_csv = pa.csv.read_csv(tmp_path / "out.csv", convert_options=options)
    assert read_csv.select(["id", "s"]).to_pydict() == DATA
    tab = pa.csv.ParseOptions(delimiter="\t")
    read_tsv = pa.csv.read_csv(tmp_path / "out.tsv", parse_options=tab, convert_options=options)
    assert read_tsv.select(["id", "s"]).to_pydict() == DATA
    assert [json.loads(line)["id"] for line in (tmp_path / "out.json").read_text("utf-8").splitlines()] == [1, 2, 3]
    assert pq.read_table(tmp_path / "out.parquet").select(["id", "s"]).to_pydict() == DATA
    with pa.ipc.open_file(str(tmp_path / "out.arrow")) as reader:
        assert reader.read_all().select(["id", "s"]).to_pydict() == DATA
    assert (tmp_path / "out.txt").read_text("utf-8").endswith("(3 rows)\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"out.{extension}" for extension in ("csv", "tsv", "json", "parquet", "arrow", "txt")
    )


def test_no_rows_make_files_too(home: Home, tmp_path: Path) -> None:
    for extension in ("csv", "parquet", "arrow"):
        home.run("--embedded", "-e", "SELECT 1 AS a WHERE 1 = 2", "-o", tmp_path / f"none.{extension}").ok()
    assert (tmp_path / "none.csv").read_text("utf-8") == "a\n"
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0


def test_unknown_extension(home: Home, tmp_path: Path) -> None:
    home.run("--embedded", "-e", "SELECT 1", "-o", tmp_path / "x.xlsx").fails(1, "x.xlsx", ".parquet")
    assert list(tmp_path.iterdir()) == []
    home.run("--embedded", "-e", "SELECT 1 AS a", "-f", "csv", "-o", tmp_path / "x.dat").ok()
    assert (tmp_path / "x.dat").read_text("utf-8") == "a\n1\n"


def test_unwritable_target(home: Home, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home.run("--embedded", "-e", "SELECT 1", "-o", tmp_path / "no/where.csv").fails(1, "where.csv", "no directory")
    home.run("--embedded", "-e", "SELECT 1", "-o", tmp_path / "file/x.csv").fails(1, "x.csv")
    home.run("--embedded", "-f", "csv", "-e", "SELECT 1", "-o", tmp_path).fails(1, "directory")
    home.run("--embedded", "-f", "csv", "-e", "SELECT 1", "-o", "/proc/x.csv").fails(1, "/proc/x.csv")
    home.run("--embedded", "-f", "csv", "-e", "SELECT 1", "-o", "/dev/full").fails(1, "No space left")


def test_a_file_stays_as_it_was_when_the_statement_fails(home: Home, tmp_path: Path) -> None:
    target = tmp_path / "kept.csv"
    target.write_text("precious", encoding="utf-8")
    target.chmod(0o640)
    failing = "SELECT assert_true(id < 900000) AS a, id FROM range(1000000)"
    for statement in ("SELEC 1", failing):
        home.run("--embedded", "-e", statement, "-o", target).fails(1)
        assert target.read_text("utf-8") == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["kept.csv"]
    home.run("--embedded", "-e", "SELECT 1 AS a", "-o", target).ok()
    assert target.read_text("utf-8") == "a\n1\n"
    assert target.stat().st_mode & 0o777 == 0o640


def test_statements_without_columns_leave_the_file_alone(home: Home, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    home.run("--embedded", "-e", "SELECT 1 AS a; CREATE TABLE nothing_to_show (a INT)", "-o", target).ok()
    assert target.read_text("utf-8") == "a\n1\n"


@pytest.mark.parametrize("fmt", ["csv", "json", "table"])
def test_a_reader_that_leaves_early(home: Home, fmt: str) -> None:
    command = f"sqe-cli --embedded -f {fmt} -e 'SELECT id FROM range(3000000)' | head -1; echo codes ${{PIPESTATUS[*]}}"
    path = f"{Path(sys.executable).parent}:{home.env['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=home.env | {"PATH": path}, timeout=60, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert lines[0] == {"csv": "id", "json": '{"id":0}'}.get(fmt, lines[0])
    assert lines[1] == "codes 0 0"
    assert done.stderr == ""
    home.await_running(0)


def peak(pid: int) -> int:
    """The largest resident memory of a running process, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    assert found
    return int(found.group(1)) * 1024


def test_ten_million_rows(home: Home, tmp_path: Path) -> None:
    target = tmp_path / "large.csv"
    statement = "SELECT id, id % 10 AS k, 'name-' || CAST(id AS VARCHAR) AS s FROM range(10000000)"
    process = home.start("--embedded", "-e", statement, "-f", "csv", "-o", target)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert usage.ru_maxrss * 1024 < 400 << 20
    assert peak(home.engine()) < 400 << 20
    assert int(subprocess.check_output(["wc", "-l", str(target)]).split()[0]) == 10_000_001
    with target.open(encoding="utf-8") as file:
        assert [next(file) for _ in range(3)] == ["id,k,s\n", "0,0,name-0\n", "1,1,name-1\n"]
    assert subprocess.check_output(["tail", "-1", str(target)]) == b"9999999,9,name-9999999\n"
