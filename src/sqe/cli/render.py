"""Writing a result to a text stream, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TextIO

from sqe.core.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.cli.cell_text import Column
    from sqe.cli.connect import Result

FORMATS = ("table", "csv", "tsv", "json")


class ResultWriter(Protocol):
    """A form of output. The calls come in this order: `begin`, `batch` as often as needed, `end`."""

    def begin(self, schema: pa.Schema) -> None:
        """Take the columns."""

    def batch(self, batch: pa.RecordBatch) -> None:
        """Take some rows."""

    def end(self) -> None:
        """There are no more rows."""


def open_writer(fmt: str, stream: TextIO, *, tty_width: int | None = None) -> ResultWriter:
    """A writer of the format on the stream.

    Args:
        fmt: One of `FORMATS`.
        stream: Where the text goes.
        tty_width: The width of the terminal that shows it; None when there is none, then nothing is cut.
    """
    if fmt == "csv":
        return SeparatedWriter(stream, ",")
    if fmt == "tsv":
        return SeparatedWriter(stream, "\t")
    if fmt == "json":
        return JsonLinesWriter(stream)
    if fmt == "table":
        from sqe.cli.render_table import TableWriter

        return TableWriter(stream, tty_width)
    raise UserError(f"unknown format '{fmt}'", hint=f"formats: {', '.join(FORMATS)}")


def write(result: Result, writer: ResultWriter) -> int:
    """Read the result to its end into the writer; a result without columns writes nothing.

    Returns:
        The number of rows.
    """
    rows = 0
    shown = len(result.schema) > 0
    if shown:
        writer.begin(result.schema)
    for batch in result:
        rows += batch.num_rows
        if shown and batch.num_rows:
            writer.batch(batch)
    if shown:
        writer.end()
    return rows


class SeparatedWriter:
    """CSV and TSV: a header, fields quoted only when they must be, NULL is nothing and '' is two quotes."""

    def __init__(self, stream: TextIO, delimiter: str) -> None:
        self._stream = stream
        self._delimiter = delimiter
        self._special = rf'^$|[{delimiter}"\r\n]'

    def begin(self, schema: pa.Schema) -> None:
        """Write the header."""
        import re

        fields = (_quoted(name) if re.search(self._special, name) else name for name in schema.names)
        self._stream.write(self._delimiter.join(fields) + "\n")

    def batch(self, batch: pa.RecordBatch) -> None:
        """Write the rows."""
        from sqe.cli.cell_text import chunks, join

        for chunk in chunks(batch):
            self._stream.write(join([self._fields(c) for c in chunk.columns], self._delimiter, end="\n"))

    def end(self) -> None:
        """Nothing comes after the rows."""
        self._stream.flush()

    def _fields(self, column: Column) -> Column:
        from sqe.cli.cell_text import patch, pc, texts
        from sqe.cli.column_kinds import is_number
        from sqe.query.columns import plain

        column = plain(column)
        fields = texts(column)
        if not is_number(column.type):
            fields = patch(fields, self._special, _quoted)
        return pc.fill_null(fields, "")


class JsonLinesWriter:
    """One JSON object per line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._names: list[str] = []

    def begin(self, schema: pa.Schema) -> None:
        """Choose the keys; a name that comes twice gets a number, or readers would drop a value."""
        from sqe.cli.cell_json import unique

        self._names = unique(schema.names)

    def batch(self, batch: pa.RecordBatch) -> None:
        """Write the rows."""
        from sqe.cli.cell_json import objects
        from sqe.cli.cell_text import chunks, join

        for chunk in chunks(batch):
            self._stream.write(join([objects(self._names, chunk.columns)], "", end="\n"))

    def end(self) -> None:
        """Nothing comes after the rows."""
        self._stream.flush()


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
