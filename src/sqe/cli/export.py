"""Writing a result to a file: whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.cli.render import FORMATS, ResultWriter, open_writer, write
from sqe.core.errors import DiskFullError, SqeError, UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.cli.connect import Result

EXTENSIONS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".txt": "table",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
_BINARY = ("parquet", "arrow")


def export(result: Result, path: Path, fmt: str | None = None) -> int:
    """Write the result to the file, which is replaced only when everything has been written.

    Args:
        result: The rows; read to the end.
        path: The file; its extension tells the format.
        fmt: A format that counts more than the extension of a text file.

    Returns:
        The number of rows.
    """
    chosen = export_format(path, fmt)
    try:
        with _replacing(path) as temporary, _file_writer(temporary, chosen) as writer:
            return write(result, writer)
    except OSError as error:
        raise _write_error(path, error) from error


def export_format(path: Path, fmt: str | None = None) -> str:
    """The format of the file. Raises `UserError` when neither the format nor the extension tells."""
    by_extension = EXTENSIONS.get(path.suffix.lower())
    if by_extension in _BINARY:
        return by_extension
    if fmt is not None:
        if fmt in (*FORMATS, *_BINARY):
            return fmt
        raise UserError(f"unknown format '{fmt}'", hint=f"formats: {', '.join(FORMATS)}")
    if by_extension is None:
        raise UserError(
            f"cannot tell the format of '{path}' from its extension",
            hint=f"known extensions: {', '.join(EXTENSIONS)}",
        )
    return by_extension


def check_target(path: Path, fmt: str | None = None) -> None:
    """Raise `UserError` when a result cannot be written there."""
    export_format(path, fmt)
    if path.is_dir():
        raise UserError(f"cannot write '{path}': it is a directory")
    if not path.resolve().parent.is_dir():
        raise UserError(f"cannot write '{path}': there is no directory '{path.parent}'")


class ArrowFileWriter:
    """Parquet and Arrow files; columns are renamed when a name comes twice, which readers refuse."""

    def __init__(self, path: Path, fmt: str) -> None:
        self._path = path
        self._fmt = fmt
        self._schema: pa.Schema | None = None
        self._file: Any = None

    def begin(self, schema: pa.Schema) -> None:
        """Open the file."""
        import pyarrow as pa

        from sqe.cli.cell_json import unique

        fields = [field.with_name(name) for field, name in zip(schema, unique(schema.names), strict=True)]
        self._schema = pa.schema(fields)
        if self._fmt == "arrow":
            self._file = pa.ipc.new_file(str(self._path), self._schema)
        else:
            import pyarrow.parquet as pq

            self._file = pq.ParquetWriter(str(self._path), self._schema, compression="zstd")

    def batch(self, batch: pa.RecordBatch) -> None:
        """Write the rows."""
        import pyarrow as pa

        self._file.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=self._schema))

    def end(self) -> None:
        """Write the end of the file."""
        self.close()

    def close(self) -> None:
        """Let the file go; what was written so far is no use without `end`."""
        file, self._file = self._file, None
        if file is not None:
            file.close()


@contextmanager
def _file_writer(path: Path, fmt: str) -> Iterator[ResultWriter]:
    if fmt in _BINARY:
        writer = ArrowFileWriter(path, fmt)
        try:
            yield writer
        finally:
            writer.close()
        return
    with path.open("w", encoding="utf-8", newline="") as stream:
        yield open_writer(fmt, stream)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside the target that takes its place at the end, or disappears."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        # A device or a pipe (`-o /dev/stdout`) cannot be replaced, only written.
        yield target
        return
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _write_error(path: Path, error: OSError) -> SqeError:
    reason = error.strerror or str(error)
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFullError(f"cannot write '{path}': {reason}")
    return UserError(f"cannot write '{path}': {reason}")
