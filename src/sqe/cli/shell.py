"""The shell: statements and dot-commands from a script or from a person.

The line editor is loaded for a person only; a script must not wait for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from sqe.cli.dot_commands import DotCommands, is_command
from sqe.cli.run import Outcome, ShellSettings, StatementRunner, Status
from sqe.core.usage import EXIT_FAILED, EXIT_INTERRUPTED
from sqe.sql.split import SqlStatement, split

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from sqe.cli.connect import Connection

EXIT_OK = 0


class Session:
    """A connection with its runner and its dot-commands."""

    def __init__(self, connection: Connection, out: TextIO, err: TextIO, settings: ShellSettings) -> None:
        self.runner = StatementRunner(connection, out, err, settings)
        self.commands = DotCommands(self.runner, lambda text: self.run(text, stop_on_error=True))

    def run(self, text: str, *, stop_on_error: bool) -> Outcome:
        """Run all statements and commands of the text.

        Returns:
            The outcome that ended it early, else the last failure, else the last outcome.
        """
        last = Outcome(Status.OK)
        failure: Outcome | None = None
        for statement in split(text):
            last = self._run_one(statement)
            if last.status in {Status.CANCELED, Status.ENDED}:
                break
            if last.status is Status.FAILED:
                failure = last
                if stop_on_error:
                    break
        if last.status is Status.ENDED and failure is not None:
            return Outcome(Status.ENDED, error=failure.error)
        return last if failure is None or last.status is Status.CANCELED else failure

    def _run_one(self, statement: SqlStatement) -> Outcome:
        if is_command(statement.text):
            return self.commands.run(statement.text)
        return self.runner.run(statement.text, first_line=statement.line)


def run_script(
    text: str,
    connection: Connection,
    *,
    out: TextIO,
    err: TextIO,
    settings: ShellSettings,
    stop_on_error: bool = False,
) -> int:
    """Run a script of `-e`, `--file` or standard input.

    Returns:
        The exit code: 0, 1 when a statement failed, 130 after Ctrl-C.
    """
    try:
        outcome = Session(connection, out, err, settings).run(text, stop_on_error=stop_on_error)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    if outcome.status is Status.CANCELED:
        return EXIT_INTERRUPTED
    return EXIT_OK if outcome.error is None else EXIT_FAILED


def run_shell(
    connection: Connection,
    *,
    out: TextIO,
    err: TextIO,
    settings: ShellSettings,
    banner: str,
    history: Path,
    terminal_input: Input | None = None,
    terminal_output: Output | None = None,
) -> int:
    """Talk with a person until they leave.

    Args:
        connection: Where statements run; the shell does not close it.
        out: Takes results.
        err: Takes errors and progress.
        settings: What dot-commands can change.
        banner: The first lines on the screen.
        history: The file that remembers the input.
        terminal_input: Another keyboard than the terminal's.
        terminal_output: Another screen than the terminal's.

    Returns:
        The exit code: 0, or 130 when a statement could not be stopped.
    """
    from sqe.cli.line_editor import LineEditor
    from sqe.cli.name_cache import NameCache

    settings.interactive = True
    session = Session(connection, out, err, settings)
    names = NameCache(connection)
    words = [command.names[0] for command in session.commands.commands]
    editor = LineEditor(names, history, words, terminal_input=terminal_input, terminal_output=terminal_output)
    session.runner.say(banner)
    try:
        while (text := editor.read()) is not None:
            with session.runner.interrupts.deferred(), names.paused():
                if editor.interrupted():
                    session.runner.interrupts.note()
                outcome = session.run(text, stop_on_error=True)
            if outcome.status is Status.ENDED:
                return EXIT_OK
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    finally:
        names.close()
    return EXIT_OK
