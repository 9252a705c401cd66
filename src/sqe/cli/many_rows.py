"""The rows of a large table, whole columns at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from sqe.cli.cell_text import Column, by_value, chunks, join, patch, pc, texts
from sqe.cli.text_width import CUT_ABOVE, cut, display_width, pad, visible

if TYPE_CHECKING:
    import pyarrow as pa

_CONTROL = r"[\x00-\x1f\x7f-\x{9f}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]"
_NOT_ASCII = r"[^\x00-\x7f]"


class ManyRows:
    """Writes batches as the rows of a table whose widths are known."""

    def __init__(self, stream: TextIO, down: str, mark: str, right: list[bool], *, cuts: bool) -> None:
        self._stream = stream
        self._down = down
        self._mark = mark
        self._right = right
        self._cuts = cuts
        self.widths: list[int] = []

    def measure(self, batches: Sequence[pa.RecordBatch], least: list[int]) -> list[int]:
        """The widths that these rows need."""
        widths = least
        for batch in batches:
            for chunk in chunks(batch):
                needed = [_widest(cells(column)) for column in chunk.columns]
                widths = [max(pair) for pair in zip(widths, needed, strict=True)]
        return widths

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""
        down = self._down
        for chunk in chunks(batch):
            columns = [cells(column) for column in chunk.columns]
            padded = [self._pad(*cell) for cell in zip(columns, self.widths, self._right, strict=True)]
            self._stream.write(join(padded, f" {down} ", start=f"{down} ", end=f" {down}\n"))

    def _pad(self, column: Column, width: int, right: bool) -> Column:
        cuts = self._cuts and width >= CUT_ABOVE
        if not pc.any(pc.match_substring_regex(column, _NOT_ASCII)).as_py():
            if cuts and _widest(column) > width:
                return by_value(column, lambda text: pad(cut(text, width, self._mark), width, right))
            return (pc.utf8_lpad if right else pc.utf8_rpad)(column, width)
        return by_value(column, lambda text: pad(cut(text, width, self._mark) if cuts else text, width, right))


def cells(column: Column) -> Column:
    """The column as texts that can stand in a table."""
    return patch(pc.fill_null(texts(column), "NULL"), _CONTROL, visible)


def _widest(column: Column) -> int:
    if pc.any(pc.match_substring_regex(column, _NOT_ASCII)).as_py():
        return max((display_width(text) for text in column.to_pylist()), default=0)
    return int(pc.max(pc.binary_length(column)).as_py() or 0)
