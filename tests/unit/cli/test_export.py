from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.cli.export import check_target, export, export_format
from sqe.cli.rows import RowsResult
from sqe.cli.run import ShellSettings, StatementRunner, Status
from sqe.core.errors import SqlDataError, UserError

if TYPE_CHECKING:
    from tests.unit.cli.conftest import FakeConnection

pytestmark = pytest.mark.unit


def rows() -> RowsResult:
    return RowsResult(("a", "b"), [("1", "x"), ("2", "y")])


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("o.csv", "a,b\n1,x\n"),
        ("o.TSV", "a\tb\n1\tx\n"),
        ("o.json", '{"a":"1","b":"x"}\n'),
        ("o.jsonl", '{"a":"1","b":"x"}\n'),
        ("o.ndjson", '{"a":"1","b":"x"}\n'),
        ("o.txt", "┌───┬───┐\n"),
    ],
)
def test_text_by_extension(tmp_path: Path, name: str, start: str) -> None:
    assert export(rows(), tmp_path / name) == 2
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_parquet_and_arrow(tmp_path: Path) -> None:
    assert export(rows(), tmp_path / "o.parquet") == 2
    assert pq.read_table(tmp_path / "o.parquet").to_pydict() == {"a": ["1", "2"], "b": ["x", "y"]}
    assert export(rows(), tmp_path / "o.arrow") == 2
    with pa.ipc.open_file(str(tmp_path / "o.arrow")) as reader:
        assert reader.read_all().num_rows == 2


@pytest.mark.parametrize("name", ["o.parquet", "o.arrow"])
def test_files_without_rows_keep_the_schema(tmp_path: Path, engine: FakeConnection, name: str) -> None:
    engine.answer("q", a=[1])
    answer = engine.execute("q")
    answer.batches = []
    assert export(answer, tmp_path / name) == 0
    path = str(tmp_path / name)
    schema = pq.read_schema(path) if name == "o.parquet" else pa.ipc.open_file(path).schema
    assert schema.names == ["a"]


def test_names_that_come_twice_get_numbers(tmp_path: Path) -> None:
    export(RowsResult(("a", "a", ""), [("1", "2", "3")]), tmp_path / "o.parquet")
    assert pq.read_table(tmp_path / "o.parquet").to_pydict() == {"a": ["1"], "a_1": ["2"], "": ["3"]}


def test_format_beats_the_extension_of_text(tmp_path: Path) -> None:
    assert export_format(tmp_path / "o.csv", "json") == "json"
    assert export_format(tmp_path / "o.unknown", "csv") == "csv"
    assert export_format(tmp_path / "o.parquet", "csv") == "parquet"


def test_unknown_extension(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="extension") as caught:
        export(rows(), tmp_path / "o.xyz")
    assert ".parquet" in (caught.value.hint or "")


def test_a_failure_leaves_the_old_file(tmp_path: Path, engine: FakeConnection) -> None:
    target = tmp_path / "o.csv"
    target.write_text("old")
    engine.answer("q", a=[1])
    answer = engine.execute("q")
    answer.error = SqlDataError("division by zero")
    for name in ("o.csv", "o.parquet"):
        with pytest.raises(SqlDataError):
            export(answer, tmp_path / name)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["o.csv"]


def test_mode_of_the_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        export(rows(), tmp_path / "o.csv")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "o.csv").stat().st_mode) == 0o640
    (tmp_path / "o.csv").chmod(0o600)
    export(rows(), tmp_path / "o.csv")
    assert stat.S_IMODE((tmp_path / "o.csv").stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    export(rows(), tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("a,b")


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "d.csv").mkdir()
    for path in (tmp_path / "d.csv", tmp_path / "no" / "o.csv"):
        with pytest.raises(UserError, match="cannot write"):
            check_target(path)
    with pytest.raises(UserError, match="cannot write"):
        export(rows(), tmp_path / "no" / "o.csv")


def test_runner_writes_the_file_and_only_for_results(tmp_path: Path, engine: FakeConnection) -> None:
    out, err = io.StringIO(), io.StringIO()
    settings = ShellSettings(output=tmp_path / "o.csv")
    runner = StatementRunner(engine, out, err, settings)
    engine.answer("SELECT a", a=[1, 2])
    engine.answer("CREATE")
    assert runner.run("SELECT a").rows == 2
    assert runner.run("CREATE").status is Status.OK
    assert (tmp_path / "o.csv").read_text() == "a\n1\n2\n"
    assert out.getvalue() == ""


def test_runner_finds_a_bad_target_before_the_statement_runs(tmp_path: Path, engine: FakeConnection) -> None:
    err = io.StringIO()
    runner = StatementRunner(engine, io.StringIO(), err, ShellSettings(output=tmp_path / "o.xyz"))
    assert runner.run("INSERT").status is Status.FAILED
    assert engine.statements == []
    assert err.getvalue().startswith("error: cannot tell the format of")
