"""Ctrl-C between the prompt and the statement.

Python raises KeyboardInterrupt wherever the program is. For a moment after Enter that is neither in the line editor nor
in the code that cancels a statement, and the exception would end the shell. So while a person sits at the shell, a
Ctrl-C is only noted; it is raised where somebody is ready for it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Notes Ctrl-C, and raises it inside `armed` blocks."""

    def __init__(self) -> None:
        self._noted = False
        self._armed = 0
        self._deferring = False

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Inside, Ctrl-C raises in `armed` blocks only. Only the main thread may handle signals."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._on_signal)
        self._deferring, self._noted = True, False
        try:
            yield
        finally:
            self._deferring = False
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Ctrl-C is welcome here; one that came too early is raised at once."""
        self._armed += 1
        try:
            if self._noted:
                self._noted = False
                raise KeyboardInterrupt
            yield
        finally:
            self._armed -= 1

    def note(self) -> None:
        """Somebody pressed Ctrl-C and no signal came of it."""
        self._noted = True

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._armed or not self._deferring:
            raise KeyboardInterrupt
        self._noted = True
