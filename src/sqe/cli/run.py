"""Running one statement in front of a person: output, errors, progress, Ctrl-C."""

from __future__ import annotations

import io
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from sqe.cli.error_text import describe, one_line
from sqe.cli.interrupts import Interrupts
from sqe.cli.live_line import LiveLine
from sqe.cli.relay import Relay
from sqe.cli.render import open_writer, write
from sqe.core.errors import CanceledError, InternalError, SqeError

if TYPE_CHECKING:
    from sqe.cli.connect import Connection, Result


class Status(Enum):
    """How a statement ended; ENDED is the wish to end the session, or that nobody reads the output."""

    OK = "ok"
    FAILED = "failed"
    CANCELED = "canceled"
    ENDED = "ended"


@dataclass(frozen=True)
class Outcome:
    """What became of a statement."""

    status: Status
    elapsed: float = 0.0
    rows: int = 0
    error: SqeError | None = None


@dataclass
class ShellSettings:
    """What a person can change while the shell runs.

    `format` is None until somebody asks for one: a table on the screen, and the extension decides for a file.
    `output` is the file that takes results; each result replaces it.
    """

    format: str | None = None
    output: Path | None = None
    timer: bool = False
    interactive: bool = False
    color: bool = False


class StatementRunner:
    """Runs statements one after the other on a connection, and shows what comes of them."""

    def __init__(self, connection: Connection, out: TextIO, err: TextIO, settings: ShellSettings) -> None:
        self.connection = connection
        self.out = out
        self.err = err
        self.settings = settings
        self.interrupts = Interrupts()
        for stream in (out, err):
            if isinstance(stream, io.TextIOWrapper):
                # A terminal that cannot show a character must not end the output.
                stream.reconfigure(errors="backslashreplace")

    def run(self, sql: str, *, first_line: int = 1) -> Outcome:
        """Run the statement; its errors are told with line numbers from `first_line` on."""
        return self.present(lambda: self.connection.execute(sql), sql=sql, first_line=first_line)

    def present(self, source: Callable[[], Result], *, sql: str | None = None, first_line: int = 1) -> Outcome:
        """Show the result that the source returns; the source is called in a thread of its own.

        Raises:
            KeyboardInterrupt: On the second Ctrl-C, when the statement does not end after the first.
        """
        started = time.monotonic()
        status, rows, error = self._attempt(source)
        outcome = Outcome(status, time.monotonic() - started, rows, error)
        if error is not None:
            self.report(error, sql=sql, first_line=first_line)
        if self.settings.timer and status is not Status.ENDED:
            stream = self.out if self.settings.interactive else self.err
            print(f"Time: {outcome.elapsed:.3f}s", file=stream, flush=True)
        return outcome

    def report(self, error: SqeError, *, sql: str | None = None, first_line: int = 1) -> Outcome:
        """Tell the error; the outcome says that something failed."""
        with suppress(BrokenPipeError):
            self.out.flush()
        text = describe(error, sql, color=self.settings.color, first_line=first_line)
        print(text, file=self.err, flush=True)
        return Outcome(Status.FAILED, error=error)

    def say(self, text: str) -> None:
        """Write a line that is not part of a result."""
        print(text, file=self.out, flush=True)

    def _attempt(self, source: Callable[[], Result]) -> tuple[Status, int, SqeError | None]:
        try:
            self._check_output()
        except SqeError as error:
            return Status.FAILED, 0, error
        line = LiveLine(self.err, self.connection.progress)
        relay = Relay(source, line.tick, line.erase)
        try:
            with self.interrupts.armed():
                return Status.OK, self._show(relay), None
        except KeyboardInterrupt:
            line.erase()
            with self.interrupts.armed():
                self._stop(relay)
            return Status.CANCELED, 0, CanceledError("canceled")
        except BrokenPipeError:
            self._stop(relay)
            _mute(self.out)
            return Status.ENDED, 0, None
        except SqeError as error:
            self._stop(relay)
            return Status.FAILED, 0, error
        except Exception as error:  # noqa: BLE001 - a person gets a line, not a stack trace
            self._stop(relay)
            return Status.FAILED, 0, InternalError(one_line(f"{type(error).__name__}: {error}"))
        finally:
            line.close()

    def _check_output(self) -> None:
        """Find out before the statement runs that its result cannot be written."""
        if self.settings.output is not None:
            from sqe.cli.export import check_target

            check_target(self.settings.output, self.settings.format)

    def _show(self, relay: Relay) -> int:
        path, fmt = self.settings.output, self.settings.format
        has_columns = len(relay.schema) > 0
        if path is not None and has_columns:
            from sqe.cli.export import export

            rows = export(relay, path, fmt)
            if self.settings.interactive:
                self.say(f"({rows} row{'' if rows == 1 else 's'} written to {path})")
            return rows
        width = shutil.get_terminal_size().columns if self.out.isatty() else None
        rows = write(relay, open_writer(fmt or "table", self.out, tty_width=width))
        if self.settings.interactive and not has_columns:
            self.say("OK")
        return rows

    def _stop(self, relay: Relay) -> None:
        """End a statement whose result nobody wants any more."""
        if relay.done:
            return
        with suppress(SqeError, OSError):
            self.connection.cancel()
        relay.drain()


def _mute(stream: TextIO) -> None:
    """Send what is left in the stream's buffer nowhere, or Python complains about the pipe when it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
