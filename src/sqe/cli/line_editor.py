"""The prompt: several lines until a semicolon, history, colours, completion."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from sqe.cli.completion import SqlCompleter
from sqe.cli.dot_commands import is_command
from sqe.cli.name_cache import NameCache
from sqe.sql.split import is_complete

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

PROMPT = "sqe> "
CONTINUATION = "  -> "


class LineEditor:
    """Reads what a person types."""

    def __init__(
        self,
        names: NameCache,
        history: Path,
        commands: Iterable[str] = (),
        *,
        terminal_input: Input | None = None,
        terminal_output: Output | None = None,
    ) -> None:
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            multiline=True,
            prompt_continuation=CONTINUATION,
            history=PrivateHistory(history),
            lexer=PygmentsLexer(SqlLexer),
            completer=SqlCompleter(names, commands),
            complete_while_typing=False,
            key_bindings=_key_bindings(),
            input=terminal_input,
            output=terminal_output,
        )
        # The first key is the sign that names will be needed soon.
        self._session.default_buffer.on_text_changed += lambda _: names.want()

    def read(self) -> str | None:
        """The next statements or command; None when the person leaves with Ctrl-D."""
        while True:
            try:
                text = self._session.prompt()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return None
            if text.strip():
                return _as_typed(text)

    def interrupted(self) -> bool:
        """Whether Ctrl-C was typed between Enter and now: then it waits among the keys for the next prompt."""
        waiting = get_typeahead(self._session.input)
        kept = [key for key in waiting if key.key is not Keys.ControlC]
        store_typeahead(self._session.input, kept)
        return len(kept) < len(waiting)


def _as_typed(text: str) -> str:
    """The text as its bytes were meant: a terminal that calls itself ASCII still sends UTF-8."""
    try:
        return text.encode(errors="surrogateescape").decode()
    except UnicodeError:
        return text


def is_ready(text: str) -> bool:
    """Whether Enter runs the text instead of starting another line."""
    return not text.strip() or is_command(text) or is_complete(text)


class PrivateHistory(FileHistory):
    """A history file that only its owner can read, and that may be missing or broken."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            path.chmod(0o600)

    def load_history_strings(self) -> Iterable[str]:
        """What was typed before, newest first."""
        with suppress(OSError):
            return list(super().load_history_strings())
        return []

    def store_string(self, string: str) -> None:
        """Remember a text."""
        with suppress(OSError):
            super().store_string(string)


def _key_bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
        elif is_ready(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return bindings
