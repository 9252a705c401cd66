"""People with accounts of their own: a home folder, the installed commands, and the processes they leave behind."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pexpect
import pytest

_Answer = TypeVar("_Answer")

_BIN = Path(sys.executable).parent
_REAL_CACHE = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
_NEVER_IN_ERRORS = ("Traceback", 'File "', "java.", "org.apache", "\tat ", "Py4J", "Exception")
#: Runs until somebody stops it.
ENDLESS = "SELECT sum(id % 7) AS endless FROM range(100000000000000)"


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    def ok(self) -> Done:
        assert self.code == 0, self
        return self

    def rows(self) -> list[list[str]]:
        """The rows of CSV output, without the header."""
        return list(csv.reader(io.StringIO(self.ok().out)))[1:]

    def fails(self, code: int, *parts: str) -> Done:
        """It failed, with words for a person."""
        assert self.code == code, self
        assert re.search(r"^error: \S", self.err, re.MULTILINE), self
        for part in parts:
            assert part in self.err, self
        for part in _NEVER_IN_ERRORS:
            assert part not in self.err, self
        return self


class Shell:
    """A person at a terminal."""

    def __init__(self, command: list[str], env: Mapping[str, str], cwd: Path) -> None:
        spawn: Any = pexpect.spawn
        with warnings.catch_warnings():
            # Newer Pythons warn of forks in processes with threads; the child runs another program at once.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.child = spawn(
                command[0],
                command[1:],
                timeout=60,
                encoding="utf-8",
                dimensions=(40, 120),
                env={**env, "PROMPT_TOOLKIT_NO_CPR": "1", "NO_COLOR": "1"},
                cwd=str(cwd),
            )

    def type(self, text: str) -> None:
        self.child.send(text)

    def enter(self, text: str) -> None:
        self.child.send(text + "\r")

    def sees(self, pattern: str) -> str:
        """Wait for the pattern on the screen; what came before it."""
        self.child.expect(pattern)
        return str(self.child.before)

    def prompt(self) -> None:
        self.sees("sqe>")

    def ctrl_c(self) -> None:
        self.child.send("\x03")

    def leave(self) -> int:
        """Ctrl-D; the exit code."""
        self.child.send("\x04")
        return self.ended()

    def ended(self) -> int:
        self.child.expect(pexpect.EOF)
        self.child.close()
        assert self.child.exitstatus is not None, self.child.signalstatus
        return int(self.child.exitstatus)

    def close(self) -> None:
        self.child.close(force=True)


class Home:
    """One person's account: nothing in it but what the commands make."""

    def __init__(self, **env: str) -> None:
        # Short: a socket's path has 108 bytes.
        self.path = Path(tempfile.mkdtemp(prefix="sqe-home-", dir="/tmp"))
        self.tmp = self.path / "tmp"
        self.tmp.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SQE_", "PYTEST_"))}
        own = {
            "HOME": str(self.path),
            "XDG_CACHE_HOME": _REAL_CACHE,
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
        }
        self.env = kept | own | env
        self._open: list[subprocess.Popen[str]] = []
        self._shells: list[Shell] = []

    @property
    def sqe(self) -> Path:
        return self.path / ".sqe"

    @property
    def sockets(self) -> list[Path]:
        return sorted((self.sqe / "run").glob("*.sock"))

    def start(self, *arguments: str | Path, command: str = "sqe-cli", cwd: Path | None = None) -> subprocess.Popen[str]:
        """Start a command and do not wait for it."""
        process = subprocess.Popen(
            [str(_BIN / command), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env,
            cwd=cwd or self.path,
        )
        self._open.append(process)
        return process

    def finish(self, process: subprocess.Popen[str], timeout: float = 90) -> Done:
        """Wait for a command's end."""
        out, err = process.communicate(timeout=timeout)
        return Done(process.returncode, out, err)

    def run(
        self,
        *arguments: str | Path,
        command: str = "sqe-cli",
        text: str | bytes = "",
        cwd: Path | None = None,
        prefix: tuple[str, ...] = (),
        env: Mapping[str, str] | None = None,
    ) -> Done:
        """Run a command to its end; `text` is its standard input."""
        done = subprocess.run(
            [*prefix, str(_BIN / command), *map(str, arguments)],
            input=text.encode() if isinstance(text, str) else text,
            capture_output=True,
            env={**self.env, **(env or {})},
            cwd=cwd or self.path,
            timeout=150,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def sql(self, statements: str, *flags: str | Path, env: Mapping[str, str] | None = None) -> Done:
        """Run statements in the embedded engine; results are CSV."""
        return self.run("--embedded", "-f", "csv", "-e", statements, *flags, env=env)

    def shell(self, *flags: str | Path, env: Mapping[str, str] | None = None) -> Shell:
        """Sit down at the shell."""
        shell = Shell([str(_BIN / "sqe-cli"), "--embedded", *map(str, flags)], {**self.env, **(env or {})}, self.path)
        self._shells.append(shell)
        return shell

    def table(self) -> str:
        """A name that no other test uses."""
        return f"iceberg.default.t_{uuid.uuid4().hex[:12]}"

    def status(self) -> str:
        return self.run("engine", "status").ok().out

    def engine(self) -> int:
        """The process id of the only engine."""
        found = re.findall(r"^engine (\d+) ", self.status(), re.MULTILINE)
        assert len(found) == 1, found
        return int(found[0])

    def facts(self) -> tuple[Path, dict[str, Any]]:
        """The only engine's file of facts."""
        (path,) = (self.sqe / "run").glob("*.json")
        return path, json.loads(path.read_text(encoding="utf-8"))

    def await_running(self, count: int) -> None:
        """Wait until the engine runs so many statements."""
        self.until(lambda: f", {count} statement(s) running" in self.status(), f"{count} running statements")

    def processes(self, name: str = "") -> list[int]:
        """The processes of this person, all or those of one program."""
        mark = f"HOME={self.path}\0".encode()
        found = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                if folder.name.isdigit() and mark in (folder / "environ").read_bytes():
                    program = (folder / "comm").read_text(encoding="utf-8").strip()
                    if name in {"", program}:
                        found.append(int(folder.name))
        return found

    def jvms(self) -> list[int]:
        return self.processes("java")

    def kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)

    def until(self, check: Callable[[], _Answer], what: str, seconds: float = 60) -> _Answer:
        """Wait until the check answers something that counts as true."""
        deadline = time.monotonic() + seconds
        while not (answer := check()):
            assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain: {what}"
            time.sleep(0.1)
        return answer

    def tidy(self) -> None:
        """End the commands of a test that failed; engines stay."""
        for shell in self._shells:
            shell.close()
        for process in self._open:
            if process.poll() is None:
                process.kill()
            process.communicate()
        self._shells, self._open = [], []

    def close(self) -> None:
        """Leave nothing behind."""
        self.tidy()
        if self.processes():
            with suppress(subprocess.TimeoutExpired):
                self.run("engine", "stop")
        for pid in self.processes():
            with suppress(ProcessLookupError):
                self.kill(pid)
        self.until(lambda: not self.processes(), "the end of all processes")
        shutil.rmtree(self.path, ignore_errors=True)


def _account(**env: str) -> Iterator[Home]:
    home = Home(**env)
    try:
        yield home
    finally:
        home.close()


@pytest.fixture(scope="session")
def shared_account() -> Iterator[Home]:
    yield from _account()


@pytest.fixture
def home(shared_account: Home) -> Iterator[Home]:
    """The account that most tests share, and with it one engine: it starts with the first statement."""
    yield shared_account
    shared_account.tidy()


@pytest.fixture(scope="session")
def victim_account() -> Iterator[Home]:
    yield from _account()


@pytest.fixture
def victim(victim_account: Home) -> Iterator[Home]:
    """An account whose engine may be ended in any way; whoever needs it starts it again."""
    yield victim_account
    victim_account.tidy()


@pytest.fixture
def fresh() -> Iterator[Home]:
    """An account that nobody has used."""
    yield from _account()


@pytest.fixture(scope="session")
def endless() -> str:
    """A statement that runs until somebody stops it."""
    return ENDLESS
