"""The bordered table for people.

The first rows decide the widths of the columns; later rows are written as they come, with the same widths.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple, TextIO

import pyarrow as pa
from wcwidth import wcswidth, wcwidth

from sqe.cli.cell_text import Column, by_value, chunks, is_number, join, patch, pc, texts

SAMPLE_ROWS = 10_000
CUT_ABOVE = 20
_CONTROL = r"[\x00-\x1f\x7f-\x{9f}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]"
_NOT_ASCII = r"[^\x00-\x7f]"


class Border(NamedTuple):
    """The characters of the lines: the four kinds of line have left, middle and right ends."""

    across: str
    down: str
    top: str
    middle: str
    bottom: str
    cut: str


BOX = Border("─", "│", "┌┬┐", "├┼┤", "└┴┘", "…")
ASCII = Border("-", "|", "+++", "+++", "+++", "~")


class TableWriter:
    """A table with borders, and the number of rows below it."""

    def __init__(self, stream: TextIO, tty_width: int | None) -> None:
        self._stream = stream
        self._tty_width = tty_width
        self._border = BOX if _speaks_unicode(stream) else ASCII
        self._names: list[str] = []
        self._right: list[bool] = []
        self._widths: list[int] | None = None
        self._waiting: list[list[Column]] = []
        self._waiting_rows = 0
        self._rows = 0

    def begin(self, schema: pa.Schema) -> None:
        """Take the header; it is written when the widths are known."""
        self._names = [visible(name) for name in schema.names]
        self._right = [is_number(kind) for kind in schema.types]

    def batch(self, batch: pa.RecordBatch) -> None:
        """Keep the first rows, write the others."""
        for chunk in chunks(batch):
            self._rows += chunk.num_rows
            columns = [_cells(column) for column in chunk.columns]
            if self._widths is not None:
                self._write_rows(columns, self._widths)
                continue
            self._waiting.append(columns)
            self._waiting_rows += chunk.num_rows
            if self._waiting_rows >= SAMPLE_ROWS:
                self._release()

    def end(self) -> None:
        """Write what waits, the last line and the number of rows."""
        widths = self._release() if self._widths is None else self._widths
        self._write_line(self._border.bottom, widths)
        self._stream.write(f"({self._rows} row{'' if self._rows == 1 else 's'})\n")
        self._stream.flush()

    def _release(self) -> list[int]:
        widths = [display_width(name) for name in self._names]
        for columns in self._waiting:
            widths = [max(width, _widest(column)) for width, column in zip(widths, columns, strict=True)]
        self._widths = fit(widths, self._tty_width)
        self._write_line(self._border.top, self._widths)
        header = [pa.array([name], pa.large_string()) for name in self._names]
        self._write_rows(header, self._widths)
        self._write_line(self._border.middle, self._widths)
        for columns in self._waiting:
            self._write_rows(columns, self._widths)
        self._waiting.clear()
        return self._widths

    def _write_line(self, ends: str, widths: list[int]) -> None:
        left, middle, right = tuple(ends)
        bars = middle.join(self._border.across * (width + 2) for width in widths)
        self._stream.write(f"{left}{bars}{right}\n")

    def _write_rows(self, columns: list[Column], widths: list[int]) -> None:
        down = self._border.down
        padded = [self._pad(*cell) for cell in zip(columns, widths, self._right, strict=True)]
        self._stream.write(join(padded, f" {down} ", start=f"{down} ", end=f" {down}\n"))

    def _pad(self, column: Column, width: int, right: bool) -> Column:
        cuts = self._tty_width is not None and width >= CUT_ABOVE
        if not pc.any(pc.match_substring_regex(column, _NOT_ASCII)).as_py():
            if cuts and _widest(column) > width:
                return by_value(column, lambda text: pad(cut(text, width, self._border.cut), width, right))
            return (pc.utf8_lpad if right else pc.utf8_rpad)(column, width)
        mark = self._border.cut
        return by_value(column, lambda text: pad(cut(text, width, mark) if cuts else text, width, right))


def fit(widths: list[int], total: int | None) -> list[int]:
    """The widths, with the wide columns made narrower so that the table fits; never below `CUT_ABOVE`."""
    if total is None:
        return widths
    room = total - 3 * len(widths) - 1
    cap = max(widths, default=0)
    while cap > CUT_ABOVE and sum(min(width, cap) for width in widths) > room:
        cap -= 1
    return [min(width, cap) for width in widths]


def visible(text: str) -> str:
    """The text with control characters, also those that change the direction of writing, as escapes."""
    return "".join(_escape(char) if _is_control(char) else char for char in text)


def display_width(text: str) -> int:
    """The columns that the text takes on a terminal."""
    return len(text) if text.isascii() else max(0, wcswidth(text))


def pad(text: str, width: int, right: bool) -> str:
    """The text with blanks up to the width."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def cut(text: str, width: int, mark: str) -> str:
    """The text, cut with a mark at its end when it is wider than the width."""
    if display_width(text) <= width:
        return text
    taken = 0
    for index, char in enumerate(text):
        taken += max(0, wcwidth(char))
        if taken > width - 1:
            return text[:index] + mark
    return text


def _cells(column: Column) -> Column:
    return patch(pc.fill_null(texts(column), "NULL"), _CONTROL, visible)


def _widest(column: Column) -> int:
    if pc.any(pc.match_substring_regex(column, _NOT_ASCII)).as_py():
        return max((display_width(text) for text in column.to_pylist()), default=0)
    return int(pc.max(pc.binary_length(column)).as_py() or 0)


def _is_control(char: str) -> bool:
    code = ord(char)
    return (
        code < 0x20
        or 0x7F <= code <= 0x9F
        or code in {0x200E, 0x200F}
        or 0x2028 <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )


def _escape(char: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return known.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}")


def _speaks_unicode(stream: TextIO) -> bool:
    try:
        return codecs.lookup(stream.encoding or "utf-8").name.startswith("utf")
    except (LookupError, AttributeError):
        return False
