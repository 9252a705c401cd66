from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pexpect
import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from sqe.cli.completion import SqlCompleter, tables_in
from sqe.cli.line_editor import PrivateHistory, is_ready
from sqe.cli.name_cache import NameCache
from sqe.cli.run import ShellSettings
from sqe.cli.shell import run_script, run_shell

if TYPE_CHECKING:
    from tests.unit.cli.conftest import FakeConnection

pytestmark = pytest.mark.unit

CHILD = """
import sys
sys.path.insert(0, {folder!r})
from pathlib import Path
from conftest import FakeConnection
from sqe.cli.run import ShellSettings
from sqe.cli.shell import run_shell
engine = FakeConnection()
engine.hanging.add("SELECT slow")
engine.answer("SELECT\\n1", answer=[41])
engine.answer("SELECT 2", answer=[42])
engine.answer("SHOW CATALOGS", catalog=["ice"])
engine.answer('SHOW SCHEMAS IN "ice"', namespace=["sales"])
engine.answer('SHOW TABLES IN "ice"."sales"', tableName=["orders"])
engine.answer("SELECT * FROM orders", answer=[43])
sys.exit(run_shell(engine, out=sys.stdout, err=sys.stderr, settings=ShellSettings(),
                   banner="welcome", history=Path({history!r})))
"""


def script(engine: FakeConnection, text: str, *, stop: bool = False) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    settings = ShellSettings(format="csv")
    code = run_script(text, engine, out=out, err=err, settings=settings, stop_on_error=stop)
    return code, out.getvalue(), err.getvalue()


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_script_goes_on_after_an_error(engine: FakeConnection) -> None:
    engine.answer("SELECT 1", a=[1])
    code, out, err = script(engine, "SELECT 1;\nbad;\nSELECT 1;")
    assert (code, out) == (1, "a\n1\na\n1\n")
    assert err == "error: no answer for: bad\n   2 | bad\n"


def test_script_stops_at_an_error_when_asked(engine: FakeConnection) -> None:
    assert script(engine, "bad; SELECT 1", stop=True)[0] == 1
    assert engine.statements == ["bad"]


def test_script_without_errors_and_without_statements(engine: FakeConnection) -> None:
    engine.answer("SELECT 1", a=[1])
    assert script(engine, "SELECT 1")[0] == 0
    assert script(engine, "-- nothing\n")[0] == 0


def test_commands_in_a_script(engine: FakeConnection) -> None:
    engine.answer("SELECT 1", a=[1])
    assert script(engine, ".format json\nSELECT 1;\nexit\n")[:2] == (0, '{"a":1}\n')
    assert script(engine, "bad;\n.quit\nSELECT 1")[0] == 1


@pytest.mark.usefixtures("ctrl_c")
def test_an_interrupted_script(engine: FakeConnection) -> None:
    engine.hanging.add("slow")

    def interrupt() -> None:
        engine.running.wait(10)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    assert script(engine, "slow; SELECT 1;")[0] == 130
    assert engine.statements == ["slow"]


def test_a_script_does_not_load_the_line_editor() -> None:
    heavy = "{'prompt_toolkit', 'pygments', 'rich', 'pydantic', 'pyarrow'}"
    code = f"import sys, sqe.cli.shell; sys.exit(str({heavy} & set(sys.modules) or ''))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


@pytest.mark.parametrize(
    ("text", "ready"),
    [
        ("", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        (".tables", True),
        ("quit", True),
        ("SELECT ';", False),
    ],
)
def test_when_enter_runs(text: str, ready: bool) -> None:
    assert is_ready(text) is ready


def shell_with(engine: FakeConnection, keys: str, history: Path) -> tuple[int, str]:
    out = io.StringIO()
    with create_pipe_input() as keyboard:
        keyboard.send_text(keys)
        code = run_shell(
            engine,
            out=out,
            err=io.StringIO(),
            settings=ShellSettings(format="csv"),
            banner="hello",
            history=history,
            terminal_input=keyboard,
            terminal_output=DummyOutput(),
        )
    return code, out.getvalue()


def test_statement_of_two_lines_and_ctrl_d(engine: FakeConnection, tmp_path: Path) -> None:
    engine.answer("SELECT\n1", a=[1])
    history = tmp_path / "history"
    assert shell_with(engine, "SELECT\r1;\r\x04", history) == (0, "hello\na\n1\n")
    assert history.stat().st_mode & 0o777 == 0o600
    assert "+SELECT" in history.read_text()


def test_ctrl_c_at_the_prompt_clears_the_line(engine: FakeConnection, tmp_path: Path) -> None:
    engine.answer("SELECT 2", a=[2])
    assert shell_with(engine, "SELECT 1\x03SELECT 2;\r.quit\r", tmp_path / "h")[0] == 0
    assert engine.statements == ["SELECT 2"]


def test_a_history_that_cannot_be_used(engine: FakeConnection, tmp_path: Path) -> None:
    engine.answer("SELECT 2", a=[2])
    assert shell_with(engine, "SELECT 2;\rquit\r", tmp_path)[0] == 0
    (tmp_path / "odd").write_bytes(b"+\xff\xfe\n")
    assert list(PrivateHistory(tmp_path / "odd").load_history_strings()) == ["\ufffd\ufffd"]


@pytest.fixture
def shop(engine: FakeConnection) -> FakeConnection:
    engine.answer("SHOW CATALOGS", catalog=["ice"])
    engine.answer('SHOW SCHEMAS IN "ice"', namespace=["sales"])
    engine.answer('SHOW TABLES IN "ice"."sales"', tableName=["orders", "Odd Name"])
    engine.answer("SELECT * FROM orders LIMIT 0", order_id=[1])
    return engine


def offered(completer: SqlCompleter, text: str) -> list[str]:
    return [c.text for c in completer.get_completions(Document(text), CompleteEvent(completion_requested=True))]


def test_completion(shop: FakeConnection) -> None:
    names = NameCache(shop, idle_secs=0)
    completer = SqlCompleter(names, [".tables", ".timer"])
    offered(completer, "SELECT * FROM ord")
    wait_for(lambda: bool(names.tables))
    assert offered(completer, "SELECT * FROM ord") == ["orders", "ORDER"]
    assert offered(completer, "SELECT * FROM ice.") == ["sales"]
    assert offered(completer, "SELECT * FROM ice.sales.o") == ['"Odd Name"', "orders"]
    completer_columns = "SELECT x FROM orders WHERE order_"
    offered(completer, completer_columns)
    wait_for(lambda: bool(names.columns.get("orders")))
    assert offered(completer, completer_columns) == ["order_id"]
    assert offered(completer, "SELECT o.ord") == []
    assert offered(completer, ".t") == [".tables", ".timer"]
    names.close()


def test_completion_does_not_wait_for_names(shop: FakeConnection) -> None:
    names = NameCache(shop, idle_secs=60)
    assert offered(SqlCompleter(names), "SELECT * FROM ord") == ["ORDER"]
    names.close()
    assert shop.statements == []


def test_tables_in_a_text() -> None:
    assert tables_in('SELECT 1 FROM a.b JOIN "C d" ON x INTO z FROM a.b') == ["a.b", '"C d"', "z"]


def test_names_are_not_fetched_while_a_statement_runs(shop: FakeConnection) -> None:
    shop.hanging.add("SHOW CATALOGS")
    names = NameCache(shop, idle_secs=0)
    names.want()
    assert shop.running.wait(5)
    with names.paused():
        assert shop.cancels >= 1
        before = list(shop.statements)
        names.want()
        time.sleep(0.1)
        assert shop.statements == before
    shop.hanging.clear()
    names.want()
    wait_for(lambda: bool(names.tables))
    names.close()


def test_errors_of_the_engine_stay_away_from_completion(engine: FakeConnection) -> None:
    engine.answers["SHOW CATALOGS"] = RuntimeError("broken")
    names = NameCache(engine, idle_secs=0)
    names.want(["t", "not a ( name"])
    wait_for(lambda: "t" in names.columns)
    names.close()
    assert names.tables == []


def test_a_person_at_a_terminal(tmp_path: Path) -> None:
    code = CHILD.format(folder=str(Path(__file__).parent), history=str(tmp_path / "history"))
    spawn: Any = pexpect.spawn
    env = os.environ | {"PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}
    child = spawn(sys.executable, ["-c", code], timeout=15, encoding="utf-8", dimensions=(24, 100), env=env)
    child.expect("welcome")
    child.expect("sqe>")
    child.send("SELECT\r")
    child.expect("->")
    child.send("1;\r")
    child.expect("│     41 │")
    child.expect("sqe>")
    child.send("SELECT slow;\r")
    child.expect(r" s  stage 2/4  tasks 31/200")
    child.sendintr()
    child.expect("error: canceled")
    child.expect("sqe>")
    child.send("SELECT * FROM ord")
    time.sleep(1)
    child.send("\t")
    child.expect("orders.*table")
    child.send("\t")
    child.expect("orders")
    child.send(";\r")
    child.expect("│     43 │")
    child.expect("sqe>")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
