"""The engine that stays: shared by shells, private to its owner, replaced when it is gone."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sqe

if TYPE_CHECKING:
    from tests.cli.conftest import Done, Home

pytestmark = pytest.mark.cli


def test_one_engine_serves_all(home: Home) -> None:
    home.sql("SELECT 1").ok()
    engine = home.engine()
    home.sql("SELECT 1").ok()
    assert home.engine() == engine
    assert len(home.jvms()) == 1


@pytest.mark.parametrize("flags", [(), ("--no-daemon",)])
def test_relative_paths_start_from_the_folder_of_the_person(home: Home, flags: tuple[str, ...]) -> None:
    for number, name in enumerate(("here", "Übung 1")):
        folder = home.path / name
        folder.mkdir(exist_ok=True)
        (folder / "numbers.csv").write_text(f"n\n{number}\n{number}\n")
        done = home.run("--embedded", "-f", "csv", *flags, "-e", "SELECT sum(n) AS s FROM 'numbers.csv'", cwd=folder)
        assert done.rows() == [[str(2 * number)]]


def test_two_shells_write_at_once(home: Home) -> None:
    name = home.table()
    home.sql(f"CREATE TABLE {name} (writer INT, n INT)").ok()
    scripts = [";".join(f"INSERT INTO {name} VALUES ({writer}, {n})" for n in range(6)) for writer in range(2)]
    for process in [home.start("--embedded", "-e", script) for script in scripts]:
        home.finish(process).ok()
    rows = home.sql(f"SELECT writer, count(DISTINCT n) AS c FROM {name} GROUP BY writer ORDER BY writer").rows()
    assert rows == [["0", "6"], ["1", "6"]]


def test_shells_that_start_at_the_same_moment_share_an_engine(fresh: Home) -> None:
    processes = [fresh.start("--embedded", "-f", "csv", "-e", f"SELECT {n} AS n") for n in range(3)]
    done = [fresh.finish(process) for process in processes]
    assert [one.ok().out for one in done] == ["n\n0\n", "n\n1\n", "n\n2\n"]
    fresh.engine()
    assert len(fresh.jvms()) == 1


def test_only_the_owner_can_connect(home: Home) -> None:
    home.sql("SELECT 1").ok()
    (path,) = home.sockets
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.parent.stat().st_uid == os.getuid()
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o077 == 0 or file.suffix == ".json", file


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("open_folder", [False, True], ids=["as it is", "even with an open folder"])
def test_somebody_else_cannot_connect(home: Home, open_folder: bool) -> None:
    home.sql("SELECT 1").ok()
    (path,) = home.sockets
    code = "import os, socket, sys; os.setuid(65534); socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    folders = [path.parent, home.sqe, home.path] if open_folder else []
    modes = [folder.stat().st_mode for folder in folders]
    try:
        for folder in folders:
            folder.chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, cwd="/", check=False
        )
    finally:
        for folder, mode in zip(folders, modes, strict=True):
            folder.chmod(mode)
    assert done.returncode == 1
    assert "PermissionError" in done.stderr


def test_an_open_run_folder_is_closed_again(home: Home) -> None:
    run = home.sqe / "run"
    home.sql("SELECT 1").ok()
    run.chmod(0o777)
    home.sql("SELECT 1").ok()
    assert run.stat().st_mode & 0o777 == 0o700


def test_status_and_stop(fresh: Home) -> None:
    for what in ("status", "stop"):
        done = fresh.run("engine", what).ok()
        assert (done.out, done.err) == ("no engine is running\n", "")
    assert not fresh.sqe.exists()
    fresh.sql("SELECT 1").ok()
    status = fresh.status().splitlines()
    assert re.fullmatch(
        rf"engine \d+ \(sqe {re.escape(sqe.__version__)}\), up 0m \d+s, 0 statement\(s\) running, 0 session\(s\)",
        status[0],
    )
    assert status[1] == f"  catalogs  iceberg={fresh.sqe}/warehouse"
    assert re.fullmatch(r"  memory    [\d.]+[MG]B resident, limit for statements 1GB", status[2])
    assert Path(status[3].split()[1]).is_dir()
    engine = fresh.engine()
    assert fresh.run("engine", "stop").ok().out == f"engine {engine} stopped\n"
    fresh.until(lambda: not fresh.processes(), "the end of all processes", 10)
    assert fresh.run("engine", "status").ok().out == "no engine is running\n"
    assert list(fresh.tmp.iterdir()) == []
    assert fresh.sockets == []


def test_an_engine_of_another_version_is_replaced(victim: Home) -> None:
    victim.sql("SELECT 1").ok()
    engine = victim.engine()
    path, facts = victim.facts()
    path.write_text(json.dumps(facts | {"version": "0.0.1"}), encoding="utf-8")
    assert victim.sql("SELECT 2 AS a").ok().out == "a\n2\n"
    assert victim.engine() != engine
    assert engine not in victim.processes()
    assert len(victim.jvms()) == 1


def test_stop_while_a_statement_runs(victim: Home, endless: str) -> None:
    victim.sql("SELECT 1").ok()
    process = victim.start("--embedded", "-e", endless)
    victim.await_running(1)
    assert victim.run("engine", "stop").ok().out.endswith("stopped\n")
    done = victim.finish(process).fails(1)
    assert re.search("engine|cancel", done.err), done
    victim.until(lambda: not victim.processes(), "the end of all processes", 10)


def test_stop_with_a_jvm_that_does_not_answer(victim: Home) -> None:
    victim.sql("SELECT 1").ok()
    (jvm,) = victim.jvms()
    os.kill(jvm, signal.SIGSTOP)
    assert victim.run("engine", "stop").ok().out.endswith("stopped\n")
    victim.until(lambda: not victim.processes(), "the end of all processes", 10)


def test_an_engine_without_a_jvm_is_not_kept(fresh: Home) -> None:
    config = fresh.path / "sqe.toml"
    config.write_text('[engine]\njava_home = "/nonexistent"\n', encoding="utf-8")
    fresh.sql("SELECT 1").fails(1, "java_home")
    config.unlink()
    fresh.until(lambda: fresh.run("engine", "status").ok().out == "no engine is running\n", "the end of the engine")
    assert fresh.sql("SELECT 2 AS a").ok().out == "a\n2\n"


def test_the_jvm_is_killed(victim: Home, endless: str) -> None:
    victim.sql("SELECT 1").ok()
    engine = victim.engine()
    process = victim.start("--embedded", "-e", endless)
    victim.await_running(1)
    (jvm,) = victim.jvms()
    victim.kill(jvm)
    victim.finish(process).fails(1, "JVM", "next statement starts a new one")
    assert victim.sql("SELECT 3 AS a").ok().out == "a\n3\n"
    assert victim.engine() == engine
    assert jvm not in victim.jvms()


def test_the_jvm_is_killed_between_statements(victim: Home) -> None:
    shell = victim.shell()
    shell.enter("SELECT 40 + 2 AS a;")
    shell.sees(r"│ 42 │")
    (jvm,) = victim.jvms()
    victim.kill(jvm)
    victim.until(lambda: jvm not in victim.jvms(), "the end of the JVM")
    shell.enter("SELECT 40 + 3 AS a;")
    # Either it just works or it says what happened; the statement after it works.
    if shell.child.expect([r"│ 43 │", "error: [^\n]*JVM"]):
        shell.enter("SELECT 40 + 4 AS a;")
        shell.sees(r"│ 44 │")
    assert shell.leave() == 0


def test_a_shell_outlives_its_engine(victim: Home) -> None:
    shell = victim.shell()
    shell.enter("CREATE TABLE mine AS SELECT 40 + 2 AS a;")
    shell.sees("OK")
    victim.run("engine", "stop").ok()
    shell.enter("SELECT 40 + 3 AS a;")
    shell.sees("note: the engine was started anew")
    shell.sees(r"│ 43 │")
    shell.enter("SELECT a FROM mine;")
    shell.sees("error: [^\n]*mine")
    assert shell.leave() == 0


def test_an_open_shell_shows_in_the_status(home: Home) -> None:
    shell = home.shell()
    shell.enter("SELECT 40 + 2 AS a;")
    shell.sees(r"│ 42 │")
    assert "1 session(s)" in home.status()
    assert shell.leave() == 0
    home.until(lambda: "0 session(s)" in home.status(), "the end of the session")


def test_a_shell_that_is_killed_leaves_no_running_statement(home: Home, endless: str) -> None:
    process = home.start("--embedded", "-e", endless)
    home.await_running(1)
    process.kill()
    home.await_running(0)


def test_a_shell_that_is_killed_leaves_no_session(home: Home, endless: str) -> None:
    process = home.start("--embedded", "-e", endless)
    home.await_running(1)
    process.kill()
    home.until(lambda: ", 0 session(s)" in home.status(), "the end of the session")


def test_garbage_on_the_socket(home: Home) -> None:
    home.sql("SELECT 1").ok()
    engine = home.engine()
    (path,) = home.sockets
    with ExitStack() as stack:
        for garbage in (
            b"",
            b"\0" * 4096,
            os.urandom(65536),
            b"GET / HTTP/1.1\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n",
        ):
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.settimeout(10)
            client.connect(str(path))
            try:
                client.sendall(garbage)
            except (BrokenPipeError, ConnectionResetError):
                continue
        for _ in range(50):
            stack.enter_context(socket.socket(socket.AF_UNIX)).connect(str(path))
        # All of these are still open.
        assert home.sql("SELECT 4 AS a").ok().out == "a\n4\n"
    assert home.sql("SELECT 5 AS a").ok().out == "a\n5\n"
    assert home.engine() == engine


def test_idle_engines_end_by_themselves(fresh: Home) -> None:
    assert fresh.sql("SELECT 1 AS a", env={"SQE_ENGINE__IDLE_TIMEOUT_SECS": "2"}).ok().out == "a\n1\n"
    fresh.until(lambda: not fresh.processes(), "the end of the idle engine")
    assert fresh.sockets == []
    assert list(fresh.tmp.iterdir()) == []
    assert fresh.run("engine", "status").ok().out == "no engine is running\n"


def test_another_memory_limit_is_told(home: Home) -> None:
    home.sql("SELECT 1").ok()
    done = home.sql("SELECT 1 AS a", "--memory-limit", "2GB").ok()
    assert "note: the running engine " in done.err
    assert home.sql("SELECT 1 AS a", "--memory-limit", "1GB").ok().err == ""


@dataclass
class Killed:
    """What was seen when an engine was killed in the middle of an INSERT."""

    client: Done
    engine: int
    scratch: list[str]
    after: Done
    new_engine: int


@pytest.fixture(scope="module")
def killed(victim_account: Home) -> Killed:
    account = victim_account
    name = account.table()
    account.sql(f"CREATE TABLE {name} AS SELECT 7L AS a").ok()
    engine = account.engine()
    process = account.start("--embedded", "-e", f"INSERT INTO {name} SELECT id FROM range(100000000000)")
    account.await_running(1)
    scratch = [path.name for path in account.tmp.iterdir()]
    assert account.sockets
    account.kill(engine)
    client = account.finish(process)
    # Its JVM notices by itself.
    account.until(lambda: not account.jvms(), "the end of the killed engine's JVM")
    assert account.sockets, "this test is about a socket file that nobody serves"
    after = account.sql(f"SELECT a FROM {name}; INSERT INTO {name} VALUES (8); SELECT a FROM {name} ORDER BY a")
    new_engine = account.engine()
    account.sql(f"DROP TABLE {name} PURGE").ok()
    shutil.rmtree(account.sqe / "warehouse/iceberg/default" / name.rpartition(".")[2], ignore_errors=True)
    return Killed(client, engine, scratch, after, new_engine)


def test_killed_engine_is_told(killed: Killed) -> None:
    killed.client.fails(1, "engine")


def test_killed_engine_leaves_the_last_snapshot(killed: Killed) -> None:
    assert killed.after.ok().out == "a\n7\na\n7\n8\n"
    assert killed.new_engine != killed.engine


def test_killed_engine_leaves_no_scratch(killed: Killed, victim: Home) -> None:
    assert any(name.startswith(f"sqe-engine-{killed.engine}-") for name in killed.scratch)
    assert not list(victim.tmp.glob(f"sqe-engine-{killed.engine}-*"))


def test_engine_that_hangs(victim: Home) -> None:
    victim.sql("SELECT 1").ok()
    engine = victim.engine()
    os.kill(engine, signal.SIGSTOP)
    try:
        process = victim.start("--embedded", "-e", "SELECT 1")
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=3)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
    finally:
        os.kill(engine, signal.SIGCONT)
    assert victim.finish(process).code == 130
    assert victim.sql("SELECT 6 AS a").ok().out == "a\n6\n"
