"""Statements from the command line, a file or a pipe; exit codes; what goes to which stream."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Home

pytestmark = pytest.mark.cli


def test_one_statement(home: Home) -> None:
    done = home.run("--embedded", "-e", "SELECT 40 + 2 AS answer").ok()
    assert done.out.splitlines() == ["┌────────┐", "│ answer │", "├────────┤", "│     42 │", "└────────┘", "(1 row)"]
    assert done.err == ""


def test_several_statements_share_a_session(home: Home) -> None:
    done = home.sql("CREATE TABLE mine AS SELECT 1 AS a; INSERT INTO mine VALUES (2); SELECT sum(a) AS s FROM mine")
    assert done.ok().out == "s\n3\n"


def test_script_and_then_the_statement(home: Home, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("CREATE TABLE first_come AS SELECT 7 AS a", encoding="utf-8")
    assert home.sql("SELECT a FROM first_come", "--file", script).ok().out == "a\n7\n"


def test_script_that_ends_in_a_comment_and_then_the_statement(home: Home, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("CREATE TABLE first_come AS SELECT 7 AS a -- no semicolon at the end", encoding="utf-8")
    assert home.sql("SELECT a FROM first_come", "--file", script).ok().out == "a\n7\n"


def test_script_alone(home: Home, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("SELECT 'a;b' AS x; -- ;\n/* ; */ SELECT 2 AS y;\n\n", encoding="utf-8")
    assert home.run("--embedded", "-f", "csv", "--file", script).ok().out == "x\na;b\ny\n2\n"


def test_pipe(home: Home) -> None:
    done = home.run("--embedded", "-f", "csv", text="SELECT 1 AS a;\nSELECT 'é' AS b;\n.format json\nSELECT 3 AS c")
    assert done.ok().out == 'a\n1\nb\né\n{"c":3}\n'


@pytest.mark.parametrize("nothing", ["", "  ", ";", ";; -- nothing\n;", "/* only a comment */"])
def test_nothing_to_do(home: Home, nothing: str) -> None:
    done = home.sql(nothing).ok()
    assert (done.out, done.err) == ("", "")


def test_an_error_has_its_place_and_the_script_goes_on(home: Home) -> None:
    script = "SELECT 1 AS a;\n\nSELECT *\nFROM no_such_table;\nSELECT 2 AS b"
    done = home.run("--embedded", "-f", "csv", text=script).fails(1, "no_such_table")
    assert done.out == "a\n1\nb\n2\n"
    message, place, carets, *rest = done.err.splitlines()
    assert message.startswith("error: ")
    assert place == "   4 | FROM no_such_table"
    assert carets == "     |      ^^^^^^^^^^^^^"
    assert [line for line in rest if not line.startswith("hint: ")] == []


def test_stop_on_error(home: Home) -> None:
    done = home.sql("SELECT 1 AS a; SELEC 2; SELECT 3 AS c", "--stop-on-error").fails(1, "SELEC")
    assert done.out == "a\n1\n"


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("SELEC 1", "SELEC"),
        ("SELECT nope FROM range(3)", "nope"),
        ("SELECT 1/0", "zero"),
        ("SELECT CAST('x' AS INT)", "x"),
        ("SELECT * FROM nowhere.default.t", "nowhere"),
        ("SELECT assert_true(id < 5) FROM range(1000)", "id"),
        ("CREATE TABLE range_twice AS SELECT 1 AS a, 2 AS a", "a"),
        ("DROP TABLE never_made", "never_made"),
        ("INSERT INTO iceberg.default.never_made VALUES (1)", "never_made"),
    ],
)
def test_errors_are_for_people(home: Home, statement: str, part: str) -> None:
    done = home.run("--embedded", "-e", statement).fails(1, part)
    assert done.out == ""
    assert len([line for line in done.err.splitlines() if line.startswith("error: ")]) == 1
    assert all(re.match(r"error: | *\d+ \| | +\| +\^|hint: ", line) for line in done.err.splitlines()), done.err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--embedded", "--no-such-flag"], "--no-such-flag"),
        (["--embedded", "-f", "xml"], "xml"),
        (["--embedded", "--memory", "--warehouse", "w"], "--memory cannot be combined"),
        (["--embedded", "--memory", "--catalog", "a=w"], "--memory cannot be combined"),
        (["--embedded", "--catalog", "just-a-name"], "NAME=PATH"),
        (["--embedded", "--catalog", "=w"], "NAME=PATH"),
        (["--embedded", "--catalog", "a="], "NAME=PATH"),
        (["--embedded", "--catalog", "a.b=w"], "dot"),
        (["--embedded", "--catalog", "a=w", "--catalog", "a=v"], "twice"),
        (["--embedded", "--warehouse", "w", "--catalog", "iceberg=v"], "twice"),
        (["--embedded", "--catalog", "default=w"], "reserved"),
        (["--embedded", "--catalog", "system=w"], "reserved"),
        (["--warehouse", "w"], "needs --embedded"),
        (["--catalog", "a=w"], "needs --embedded"),
        (["--memory"], "needs --embedded"),
        (["--memory-limit", "1GB"], "needs --embedded"),
        (["--no-daemon"], "needs --embedded"),
        (["--port", "0"], "port"),
        (["--embedded", "-e"], "argument"),
        (["engine"], "what"),
        (["engine", "restart"], "restart"),
        (["doctor", "who"], "who"),
        (["setup", "--group", "nonsense"], "nonsense"),
    ],
)
def test_wrong_usage(home: Home, arguments: list[str], part: str) -> None:
    done = home.run(*arguments, "-e", "SELECT 1") if arguments[0].startswith("--") else home.run(*arguments)
    done.fails(2, part)
    assert done.out == ""
    assert len(done.err.splitlines()) == 1


def test_missing_script(home: Home) -> None:
    home.run("--embedded", "--file", "not/there.sql").fails(1, "not/there.sql", "No such file")
    home.run("--embedded", "--file", "/tmp").fails(1, "/tmp", "directory")


@pytest.mark.parametrize("presses", [1, 3])
def test_ctrl_c(home: Home, endless: str, presses: int) -> None:
    table = home.table()
    home.sql(f"CREATE TABLE {table} (a BIGINT)").ok()
    engine = home.engine()
    process = home.start("--embedded", "-e", f"INSERT INTO {table} {endless}; SELECT 1 AS not_reached")
    home.await_running(1)
    for _ in range(presses):
        process.send_signal(signal.SIGINT)
    done = home.finish(process)
    assert done.code == 130, done
    assert "not_reached" not in done.out
    assert "Traceback" not in done.err
    home.await_running(0)
    assert home.engine() == engine
    assert home.sql(f"SELECT count(*) AS n FROM {table}").rows() == [["0"]]


def test_ctrl_c_while_the_engine_starts(fresh: Home) -> None:
    process = fresh.start("--embedded", "-e", "SELECT 1")
    fresh.until(lambda: len(fresh.processes()) > 1, "the engine's process")
    process.send_signal(signal.SIGINT)
    done = fresh.finish(process)
    assert done.code == 130, done
    assert "Traceback" not in done.err
    assert fresh.sql("SELECT 42 AS a").ok().out == "a\n42\n"


def test_no_server_there(home: Home) -> None:
    home.run("--port", "1", "-e", "SELECT 1").fails(1, "localhost:1")
