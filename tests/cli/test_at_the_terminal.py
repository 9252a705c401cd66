"""A person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest

import sqe

if TYPE_CHECKING:
    from tests.cli.conftest import Home, Shell

pytestmark = pytest.mark.cli


@pytest.fixture
def shell(home: Home) -> Iterator[Shell]:
    shell = home.shell()
    shell.prompt()
    yield shell
    shell.close()


def test_banner_and_ctrl_d(home: Home) -> None:
    shell = home.shell()
    banner = shell.sees("sqe>")
    assert f"sqe-cli {sqe.__version__} embedded engine (1GB memory pool)" in banner
    assert f"iceberg = {home.sqe}/warehouse" in banner
    assert ".help" in banner
    assert shell.leave() == 0


def test_statement_over_several_lines_and_history(home: Home, shell: Shell) -> None:
    shell.enter("SELECT")
    shell.sees("->")
    shell.enter("40 + 2")
    shell.sees("->")
    shell.enter("AS answer;")
    shell.sees(r"│     42 │")
    shell.sees(r"\(1 row\)")
    history = home.path / ".sqe_history"
    assert history.stat().st_mode & 0o777 == 0o600
    assert "40 + 2" in history.read_text(encoding="utf-8")
    assert shell.leave() == 0


def test_history_comes_back(home: Home, shell: Shell) -> None:
    shell.enter("SELECT 1200 + 34 AS n;")
    shell.sees("1234")
    assert shell.leave() == 0
    again = home.shell()
    again.prompt()
    again.type("\x1b[A")
    again.sees("1200")
    again.enter("")
    again.sees("1234")
    assert again.leave() == 0


def test_help(shell: Shell) -> None:
    shell.enter(".help")
    for command in (".exit", ".tables", ".schema", ".summarize", ".catalogs", ".read", ".timer", ".format", ".output"):
        shell.sees(rf"\r?\n\{command} ")
    assert shell.leave() == 0


@pytest.mark.parametrize("word", [".exit", ".quit", ".q", "\\q", "quit", "exit;"])
def test_ways_out(shell: Shell, word: str) -> None:
    shell.enter(word)
    assert shell.ended() == 0


def test_commands_about_tables(home: Home, shell: Shell) -> None:
    name = home.table()
    short = name.rpartition(".")[2]
    shell.enter(f"CREATE TABLE {name} AS SELECT * FROM VALUES (1, 'x'), (2, NULL) AS t(amount, label);")
    shell.sees("OK")
    shell.enter(".tables")
    shell.sees(rf"│ iceberg\s+│ default\s+│ {short}")
    shell.enter(".tables iceberg.default")
    shell.sees(short)
    shell.enter(f".schema {name}")
    shell.sees(r"│ amount\s+│ int")
    shell.sees(r"│ label\s+│ varchar")
    shell.enter(f".summarize {name}")
    shell.sees(r"column_name\s+│ count │ distinct │ null_count │ min\s+│ max")
    shell.sees(r"│ amount\s+│\s+2 │\s+2 │\s+0 │ 1\s+│ 2 ")
    shell.sees(r"│ label\s+│\s+2 │\s+1 │\s+1 │ x\s+│ x ")
    shell.enter(".catalogs")
    shell.sees("│ iceberg")
    shell.enter(".schema no_such_table")
    shell.sees("error: [^\n]*no_such_table")
    shell.enter(".summarize")
    shell.sees("error: [^\n]*table name")
    assert shell.leave() == 0


def test_read_timer_format_output(shell: Shell, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("SELECT 40 + 2 AS a;\nSELEC;\nSELECT 40 + 3 AS a;", encoding="utf-8")
    shell.enter(f".read {script}")
    shell.sees(r"│ 42 │")
    shell.sees("error: [^\n]*?SELEC")
    shell.sees(r"   2 \| SELEC")
    shell.enter(".read /not/there")
    shell.sees("error: cannot read '/not/there': No such file")
    shell.enter(".timer on")
    shell.enter("SELECT 40 + 4 AS a;")
    before = shell.sees(r"Time: \d+\.\d{3}s")
    assert "43" not in before
    shell.enter(".timer maybe")
    shell.sees("error: .timer needs 'on' or 'off'")
    shell.enter(".timer off")
    shell.enter(".format json")
    shell.enter("SELECT 40 + 5 AS a;")
    shell.sees(r'\{"a":45\}')
    shell.enter(".format")
    shell.sees("json\r\n")
    shell.enter(".format xml")
    shell.sees("error: unknown format 'xml'")
    shell.enter(f".output {tmp_path}/out.csv")
    shell.enter("SELECT 40 + 6 AS a;")
    shell.sees(r"\(1 row written to ")
    assert (tmp_path / "out.csv").is_file()
    assert shell.leave() == 0


def test_unknown_command(shell: Shell) -> None:
    shell.enter(".tabels")
    shell.sees("error: unknown command '.tabels'")
    shell.sees("hint: did you mean .tables")
    assert shell.leave() == 0


def test_error_and_on(shell: Shell) -> None:
    shell.enter("SELECT *\rFROM nowhere_at_all;")
    shell.sees("error: [^\n]*?nowhere_at_all")
    shell.sees(r"   2 \| FROM nowhere_at_all")
    shell.sees(r"\^{14}")
    shell.enter("SELECT 40 + 2 AS a;")
    shell.sees(r"│ 42 │")
    assert shell.leave() == 0


def test_ctrl_c_stops_the_statement_and_not_the_shell(home: Home, shell: Shell, endless: str) -> None:
    shell.enter(f"{endless};")
    shell.sees(r"\d+\.\d s  stage \d/\d  tasks \d+/\d+ \[")
    shell.ctrl_c()
    shell.sees("error: canceled")
    shell.enter("SELECT 40 + 2 AS a;")
    shell.sees(r"│ 42 │")
    home.await_running(0)
    assert shell.leave() == 0


def test_ctrl_c_at_the_prompt_clears(shell: Shell) -> None:
    shell.type("SELECT garbage")
    shell.sees("garbage")
    shell.ctrl_c()
    shell.prompt()
    shell.enter("SELECT 40 + 2 AS a;")
    shell.sees(r"│ 42 │")
    assert shell.leave() == 0


def test_completion(home: Home, shell: Shell) -> None:
    name = "iceberg.default.zebra_herd"
    shell.enter(f"CREATE OR REPLACE TABLE {name} AS SELECT 40 + 2 AS stripes;")
    shell.sees("OK")
    shell.prompt()
    shell.type("SELECT stripes FROM iceberg.default.zeb")
    shell.sees("zeb")
    # The names come in the background; Tab offers them as soon as they are there.
    for _ in range(60):
        shell.type("\t")
        if shell.child.expect(["ra_herd", pexpect.TIMEOUT], timeout=1) == 0:
            break
    shell.enter(";")
    shell.sees(r"│\s+42 │")
    home.sql(f"DROP TABLE {name}").ok()
    assert shell.leave() == 0


def test_simple_terminal(home: Home) -> None:
    shell = home.shell(env={"TERM": "dumb", "LC_ALL": "C"})
    shell.enter("SELECT 'é→' AS a, 40 + 2 AS b;")
    shell.sees("42")
    assert shell.leave() == 0


def test_terminal_of_another_encoding(home: Home) -> None:
    shell = home.shell(env={"TERM": "dumb", "PYTHONIOENCODING": "ascii"})
    shell.enter("SELECT 'é' AS a;")
    before = shell.sees("error: |1 row")
    shell.enter("SELECT 40 + 2 AS b;")
    assert "UnicodeEncodeError" not in before + shell.sees("42")
    assert shell.leave() == 0
