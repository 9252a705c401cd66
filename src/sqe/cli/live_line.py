"""The one line on the terminal that tells how far a statement is."""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from sqe.core.progress import Progress

SHOW_AFTER_SECS = 1.0
_POLL_SECS = 0.2
_BAR_CELLS = 20
_ERASE = "\r\x1b[K"


class LiveLine:
    """Draws itself when ticked, but only on a terminal and only for statements that take their time."""

    def __init__(self, stream: TextIO, progress: Callable[[], Progress | None]) -> None:
        self._stream = stream
        self._progress = progress
        self._started = time.monotonic()
        self._frames = itertools.cycle("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" if "utf" in (stream.encoding or "").lower() else "|/-\\")
        self._drawn = False
        self._latest: Progress | None = None
        self._poller: threading.Thread | None = None
        self._stop = threading.Event()
        self._shows = stream.isatty()

    def tick(self) -> None:
        """Draw the line anew if it is time."""
        elapsed = time.monotonic() - self._started
        if not self._shows or elapsed < SHOW_AFTER_SECS:
            return
        if self._poller is None:
            # Asking may take long on a slow network, and must not hold up the rows.
            self._poller = threading.Thread(target=self._poll, name="progress", daemon=True)
            self._poller.start()
        width = shutil.get_terminal_size().columns
        text = f"{next(self._frames)} {progress_text(elapsed, self._latest, self._bar_chars())}"
        self._stream.write(_ERASE + text[: max(1, width - 1)])
        self._stream.flush()
        self._drawn = True

    def erase(self) -> None:
        """Take the line away, to make room for output."""
        if self._drawn:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._drawn = False

    def close(self) -> None:
        """Take the line away for good."""
        self._stop.set()
        self.erase()

    def _bar_chars(self) -> str:
        return "█░" if "utf" in (self._stream.encoding or "").lower() else "#."

    def _poll(self) -> None:
        while not self._stop.is_set():
            with suppress(Exception):
                self._latest = self._progress()
            self._stop.wait(_POLL_SECS)


def progress_text(elapsed: float, progress: Progress | None, bar: str = "█░") -> str:
    """The words of the line: `3.2 s  stage 2/4  tasks 31/200 [███░░░░] 1.2M rows`."""
    parts = [f"{elapsed:.1f} s"]
    if progress is not None and progress.doing:
        parts.append(progress.doing)
    if progress is not None and progress.stages:
        parts.append(f"stage {min(progress.stages_done + 1, progress.stages)}/{progress.stages}")
    if progress is not None and progress.tasks:
        full = _BAR_CELLS * min(progress.tasks_done, progress.tasks) // progress.tasks
        cells = bar[0] * full + bar[1] * (_BAR_CELLS - full)
        parts.append(f"tasks {progress.tasks_done}/{progress.tasks} [{cells}]")
    if progress is not None and progress.rows:
        parts.append(f"{short_number(progress.rows)} rows")
    return "  ".join(parts)


def short_number(value: int) -> str:
    """The number with at most three or four characters: 999, 1.2K, 31M."""
    number = float(value)
    for unit in ("", "K", "M", "G"):
        if number < 999.5:
            return f"{number:.1f}{unit}" if unit and number < 9.95 else f"{number:.0f}{unit}"
        number /= 1000
    return f"{number:.0f}T"
