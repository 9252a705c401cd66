"""The bordered table for people.

The first rows decide the widths of the columns; later rows are written as they come, with the same widths.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

from sqe.cli.column_kinds import is_number
from sqe.cli.few_rows import FEW_ROWS, few_cells
from sqe.cli.text_width import CUT_ABOVE, cut, display_width, pad, visible

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.cli.many_rows import ManyRows

SAMPLE_ROWS = 10_000


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
        self._many: ManyRows | None = None
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0

    def begin(self, schema: pa.Schema) -> None:
        """Take the header; it is written when the widths are known."""
        self._names = [visible(name) for name in schema.names]
        self._right = [is_number(kind) for kind in schema.types]

    def batch(self, batch: pa.RecordBatch) -> None:
        """Keep the first rows, write the others."""
        self._rows += batch.num_rows
        if self._many is not None:
            self._many.write(batch)
            return
        self._waiting.append(batch)
        if self._rows >= SAMPLE_ROWS:
            self._release_many()

    def end(self) -> None:
        """Write what waits, the last line and the number of rows."""
        if self._many is None and self._rows > FEW_ROWS:
            self._release_many()
        widths = self._release_few() if self._many is None else self._many.widths
        self._write_line(self._border.bottom, widths)
        self._stream.write(f"({self._rows} row{'' if self._rows == 1 else 's'})\n")
        self._stream.flush()

    def _release_few(self) -> list[int]:
        """A small table, without the libraries that large ones need: they take longer to load than it to write."""
        rows = [row for batch in self._waiting for row in zip(*map(few_cells, batch.columns), strict=True)]
        columns = zip(self._names, *rows, strict=True)
        widths = fit([max(map(display_width, column)) for column in columns], self._tty_width)
        self._write_header(widths)
        for row in rows:
            self._write_row(row, widths)
        return widths

    def _release_many(self) -> None:
        from sqe.cli.many_rows import ManyRows

        many = ManyRows(
            self._stream, self._border.down, self._border.cut, self._right, cuts=self._tty_width is not None
        )
        widths = many.measure(self._waiting, [display_width(name) for name in self._names])
        many.widths = fit(widths, self._tty_width)
        self._write_header(many.widths)
        for batch in self._waiting:
            many.write(batch)
        self._waiting.clear()
        self._many = many

    def _write_header(self, widths: list[int]) -> None:
        self._write_line(self._border.top, widths)
        self._write_row(self._names, widths)
        self._write_line(self._border.middle, widths)

    def _write_line(self, ends: str, widths: list[int]) -> None:
        left, middle, right = tuple(ends)
        bars = middle.join(self._border.across * (width + 2) for width in widths)
        self._stream.write(f"{left}{bars}{right}\n")

    def _write_row(self, cells: Sequence[str], widths: list[int]) -> None:
        down = self._border.down
        padded = [self._pad(*cell) for cell in zip(cells, widths, self._right, strict=True)]
        self._stream.write(f"{down} " + f" {down} ".join(padded) + f" {down}\n")

    def _pad(self, text: str, width: int, right: bool) -> str:
        cuts = self._tty_width is not None and width >= CUT_ABOVE
        return pad(cut(text, width, self._border.cut) if cuts else text, width, right)


def fit(widths: list[int], total: int | None) -> list[int]:
    """The widths, with the wide columns made narrower so that the table fits; never below `CUT_ABOVE`."""
    if total is None:
        return widths
    room = total - 3 * len(widths) - 1
    cap = max(widths, default=0)
    while cap > CUT_ABOVE and sum(min(width, cap) for width in widths) > room:
        cap -= 1
    return [min(width, cap) for width in widths]


def _speaks_unicode(stream: TextIO) -> bool:
    try:
        return codecs.lookup(stream.encoding or "utf-8").name.startswith("utf")
    except (LookupError, AttributeError):
        return False
