"""`sqe-cli`: what the command line asks for is found here and loaded only then."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.cli.options import Options, parse_options
from sqe.core.errors import ConfigError, SqeError, UserError
from sqe.core.usage import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE

if TYPE_CHECKING:
    from sqe.cli.connect import Connection


def main() -> int:
    """The console script."""
    arguments = sys.argv[1:]
    try:
        return _command(arguments)
    except ConfigError as error:
        _tell(error)
        return EXIT_USAGE
    except SqeError as error:
        _tell(error)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _command(arguments: Sequence[str]) -> int:
    name = arguments[0] if arguments else ""
    if name == "doctor":
        from sqe.cli.doctor import run_doctor

        return run_doctor(arguments[1:])
    if name == "setup":
        from sqe.cli.setup import run_setup

        return run_setup(arguments[1:])
    if name == "engine":
        from sqe.cli.engine_command import run_engine_command

        return run_engine_command(arguments[1:])
    if name == "auth":
        from sqe.cli.auth_command import run_auth_command

        return run_auth_command(arguments[1:])
    return _run(parse_options(arguments))


def _run(options: Options) -> int:
    script = _script(options)
    connection, banner = _connect(options, one_shot=script is not None)
    try:
        return _with(connection, banner, options, script)
    finally:
        connection.close()


def _connect(options: Options, *, one_shot: bool) -> tuple[Connection, str]:
    if options.embedded:
        from sqe.cli.embedded import connect_embedded

        return connect_embedded(options, one_shot=one_shot)
    from sqe.cli.remote import connect_remote

    return connect_remote(options)


def _script(options: Options) -> str | None:
    """The statements to run before leaving; None when a person sits at a terminal."""
    if options.file is None and options.execute is None:
        return None if sys.stdin.isatty() else _standard_input()
    from sqe.cli.dot_commands import read_script

    parts = [read_script(options.file)] if options.file is not None else []
    parts += [options.execute] if options.execute is not None else []
    # On lines of its own: the script may end in a comment.
    return "\n;\n".join(parts)


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"standard input is not UTF-8 text (byte {error.start + 1})") from error


def _with(connection: Connection, banner: str, options: Options, script: str | None) -> int:
    from sqe.cli.run import ShellSettings
    from sqe.cli.shell import run_script, run_shell

    color = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    settings = ShellSettings(format=options.format, output=options.output, color=color)
    if script is not None:
        return run_script(
            script,
            connection,
            out=sys.stdout,
            err=sys.stderr,
            settings=settings,
            stop_on_error=options.stop_on_error,
        )
    history = Path.home() / ".sqe_history"
    return run_shell(connection, out=sys.stdout, err=sys.stderr, settings=settings, banner=banner, history=history)


def _tell(error: SqeError) -> None:
    from sqe.cli.error_text import describe

    if isinstance(error, ConfigError):
        # It may have found several things; each has its line.
        for line in error.message.splitlines():
            print(f"error: {line}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return
    print(describe(error), file=sys.stderr)
