from __future__ import annotations

import io
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from sqe.cli import live_line
from sqe.cli.live_line import progress_text, short_number
from sqe.cli.run import ShellSettings, StatementRunner, Status
from sqe.core.errors import CanceledError, InternalError, SqlDataError
from sqe.core.progress import Progress

if TYPE_CHECKING:
    from tests.unit.cli.conftest import FakeConnection, Terminal

pytestmark = pytest.mark.unit


def runner_of(engine: FakeConnection, err: io.StringIO | None = None, **settings: object) -> StatementRunner:
    made = ShellSettings(**settings)  # type: ignore[arg-type]
    return StatementRunner(engine, io.StringIO(), err or io.StringIO(), made)


def text_of(stream: object) -> str:
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def interrupt_when_running(engine: FakeConnection, times: int = 1) -> None:
    def work() -> None:
        engine.running.wait(10)
        for _ in range(times):
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=work, daemon=True).start()


def test_a_result(engine: FakeConnection) -> None:
    engine.answer("SELECT a", a=[1, 2])
    runner = runner_of(engine, format="csv")
    outcome = runner.run("SELECT a")
    assert (outcome.status, outcome.rows, outcome.error) == (Status.OK, 2, None)
    assert text_of(runner.out) == "a\n1\n2\n"
    assert text_of(runner.err) == ""


def test_ok_is_for_people_only(engine: FakeConnection) -> None:
    engine.answer("CREATE TABLE t")
    for interactive, expected in ((True, "OK\n"), (False, "")):
        runner = runner_of(engine, interactive=interactive)
        assert runner.run("CREATE TABLE t").status is Status.OK
        assert text_of(runner.out) == expected


def test_failures(engine: FakeConnection) -> None:
    runner = runner_of(engine)
    outcome = runner.run("SELECT nothing")
    assert outcome.status is Status.FAILED
    assert text_of(runner.err) == "error: no answer for: SELECT nothing\n"
    engine.answer("half", a=[1])
    engine.execute("half").error = SqlDataError("division by zero")
    assert isinstance(runner.run("half").error, SqlDataError)


def test_a_bug_is_a_line_and_not_a_trace(engine: FakeConnection) -> None:
    engine.answers["q"] = RuntimeError("oh\nno")
    runner = runner_of(engine)
    assert isinstance(runner.run("q").error, InternalError)
    assert text_of(runner.err) == "error: RuntimeError: oh no\n"


def test_a_cancel_by_somebody_else_is_a_failure(engine: FakeConnection) -> None:
    engine.answers["q"] = CanceledError("stopped by the administrator")
    assert runner_of(engine).run("q").status is Status.FAILED


def test_timer(engine: FakeConnection) -> None:
    engine.answer("q", a=[1])
    runner = runner_of(engine, timer=True, interactive=True)
    runner.run("q")
    last = text_of(runner.out).splitlines()[-1]
    assert last.startswith("Time: 0.")
    assert last.endswith("s")


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_cancels_and_the_shell_goes_on(engine: FakeConnection) -> None:
    engine.hanging.add("slow")
    engine.answer("next", a=[1])
    runner = runner_of(engine)
    interrupt_when_running(engine)
    outcome = runner.run("slow")
    assert outcome.status is Status.CANCELED
    assert engine.cancels == 1
    assert text_of(runner.err) == "error: canceled\n"
    assert runner.run("next").status is Status.OK


@pytest.mark.usefixtures("ctrl_c")
def test_the_second_ctrl_c_gets_out(engine: FakeConnection) -> None:
    engine.hanging.add("slow")
    engine.deaf = True
    interrupt_when_running(engine, times=2)
    with pytest.raises(KeyboardInterrupt):
        runner_of(engine).run("slow")
    engine.canceled.set()


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_during_output(engine: FakeConnection) -> None:
    class Slow(io.StringIO):
        def write(self, text: str) -> int:
            engine.running.set()
            time.sleep(0.5)
            return super().write(text)

    engine.answer("q", a=[1] * 10)
    answer = engine.execute("q")
    answer.batches *= 1000
    runner = StatementRunner(engine, Slow(), io.StringIO(), ShellSettings(format="csv"))
    interrupt_when_running(engine)
    assert runner.run("q").status is Status.CANCELED
    assert answer.closed


def test_a_broken_pipe_ends_quietly(engine: FakeConnection) -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(text)

    engine.answer("q", a=[1])
    runner = StatementRunner(engine, Broken(), io.StringIO(), ShellSettings(format="csv"))
    assert runner.run("q").status is Status.ENDED
    assert text_of(runner.err) == ""


def test_the_live_line_comes_late_and_goes(
    engine: FakeConnection, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_line, "SHOW_AFTER_SECS", 0.1)
    engine.hanging.add("slow")
    threading.Timer(1.0, engine.cancel).start()
    runner = runner_of(engine, terminal)
    runner.run("slow")
    written = text_of(runner.err)
    assert "stage 2/4  tasks 31/200 [███" in written
    assert written.rsplit("\r\x1b[K", 1)[1] == "error: stopped\n"


def test_no_live_line_without_terminal_or_for_fast_statements(engine: FakeConnection, terminal: Terminal) -> None:
    engine.answer("q", a=[1])
    runner = runner_of(engine, terminal)
    runner.run("q")
    assert text_of(runner.err) == ""


def test_progress_words() -> None:
    progress = Progress("q", "RUNNING", 3.2, stages=4, stages_done=1, tasks=200, tasks_done=31, rows=1_200_000)
    assert progress_text(3.24, progress) == f"3.2 s  stage 2/4  tasks 31/200 [███{'░' * 17}]  1.2M rows"
    assert progress_text(3.24, None) == "3.2 s"
    waits = Progress("q", "RUNNING", 3.24, doing="fetching x.jar, 3 of 69 MB")
    assert progress_text(3.24, waits) == "3.2 s  fetching x.jar, 3 of 69 MB"
    shown = [short_number(value) for value in (0, 999, 1_000, 31_000, 999_999, 5_100_000_000, 10**15)]
    assert shown == ["0", "999", "1.0K", "31K", "1.0M", "5.1G", "1000T"]
