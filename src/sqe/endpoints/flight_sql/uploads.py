"""Rows that a client sends: written to a file as they come, so that there may be more of them than memory holds."""

from __future__ import annotations

import errno
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pyarrow import parquet

from sqe.core.errors import DiskFullError, ExternalError, NotSupportedError, SqlDataError, UserError
from sqe.sql.virtual import UPLOAD

#: What `CommandStatementIngest` asks for: whether the table must exist, and what becomes of one that does.
_CREATE, _FAIL_MISSING = 1, 2
_FAIL_EXISTING, _APPEND, _REPLACE = 1, 2, 3
_IDENTIFIER = r'(?:[A-Za-z_]\w*|"(?:[^"]|"")+")'
_NAME = rf"{_IDENTIFIER}(?:\s*\.\s*{_IDENTIFIER})*"
_COLUMNS = rf"\(\s*{_IDENTIFIER}(?:\s*,\s*{_IDENTIFIER})*\s*\)"
_PLAIN_INSERT = re.compile(
    rf"\s*(INSERT\s+INTO\s+({_NAME})\s*({_COLUMNS})?)\s*VALUES\s*\(\s*\?(?:\s*,\s*\?)*\s*\)\s*;?\s*",
    re.IGNORECASE,
)


class Rows(Protocol):
    """A stream of record batches with application metadata, as DoPut brings it."""

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Chunks, each with a batch or without."""
        ...


@dataclass(frozen=True)
class Chunk:
    """A batch."""

    data: pa.RecordBatch


@dataclass(frozen=True)
class Renamed:
    """The same rows with other names of their columns: those of parameters may be missing, or the same."""

    rows: Rows
    names: tuple[str, ...]

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        return pa.schema([field.with_name(name) for field, name in zip(self.rows.schema, self.names, strict=True)])

    def __iter__(self) -> Iterator[Chunk]:
        """Those chunks that have a batch."""
        for chunk in self.rows:
            if chunk.data is not None:
                yield Chunk(pa.RecordBatch.from_arrays(chunk.data.columns, schema=self.schema))


@dataclass(frozen=True)
class Upload:
    """Rows in a file."""

    path: Path
    columns: tuple[str, ...]
    rows: int


@contextmanager
def received(rows: Rows, folder: Path) -> Iterator[Upload]:
    """The rows as a Parquet file, for as long as the block lasts. Raises `SqeError`."""
    path = folder / f"{uuid.uuid4().hex}.parquet"
    try:
        yield Upload(path, tuple(rows.schema.names), _write(rows, path))
    finally:
        path.unlink(missing_ok=True)


def _write(rows: Rows, path: Path) -> int:
    schema = _storable(rows.schema)
    count = 0
    try:
        # Coarser than Arrow's nanoseconds: no table keeps more. A value that has more is refused, not cut.
        with parquet.ParquetWriter(path, schema, coerce_timestamps="us", store_schema=False) as writer:
            for chunk in rows:
                if chunk.data is not None:
                    writer.write_batch(chunk.data.cast(schema))
                    count += chunk.data.num_rows
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFullError("there is no room for the rows that were sent") from error
        raise ExternalError(f"the rows that were sent could not be kept: {error.strerror or 'unknown'}") from error
    except pa.ArrowException as error:
        raise SqlDataError(f"the rows cannot be taken: {_first_line(error)}") from error
    return count


def _storable(schema: pa.Schema) -> pa.Schema:
    """The schema with types that a file can have; raises for names that a table cannot."""
    names = [name.lower() for name in schema.names]
    if not names:
        raise UserError("there are no columns in the rows that were sent")
    if len(set(names)) < len(names):
        raise UserError("two columns have the same name", hint="upper and lower case make no difference")
    return pa.schema([pa.field(field.name, _storable_type(field.type)) for field in schema])


def _storable_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _storable_type(kind.value_type)
    if pa.types.is_null(kind):
        # Nothing is known of a column without values; text takes everything.
        return pa.string()
    if pa.types.is_duration(kind) or pa.types.is_interval(kind) or pa.types.is_union(kind):
        raise NotSupportedError(f"a table cannot keep {kind}")
    return kind


def ingest_statements(command: Any, columns: tuple[str, ...]) -> list[str]:  # noqa: ANN401 - see messages
    """The statements that a `CommandStatementIngest` stands for; they read the upload. Raises `SqeError`."""
    if command.temporary:
        raise NotSupportedError("temporary tables are not offered", hint="ingest into a table of a catalog")
    if not command.table:
        raise UserError("the table to ingest into has no name")
    parts = [command.catalog, command.schema, command.table]
    table = ".".join(quoted(part) for part in parts if part)
    listed = ", ".join(quoted(column) for column in columns)
    rows = f"SELECT {listed} FROM {UPLOAD}"  # noqa: S608 - quoted names
    insert = f"INSERT INTO {table} ({listed}) {rows}"
    options = command.table_definition_options
    match options.if_not_exist, options.if_exists:
        case (created, kept) if created == _CREATE and kept == _FAIL_EXISTING:
            return [f"CREATE TABLE {table} AS {rows}"]
        case (created, kept) if created == _CREATE and kept == _REPLACE:
            return [f"CREATE OR REPLACE TABLE {table} AS {rows}"]
        case (created, kept) if created == _CREATE and kept == _APPEND:
            return [f"CREATE TABLE IF NOT EXISTS {table} AS {rows} WITH NO DATA", insert]
        case (created, kept) if created == _FAIL_MISSING and kept == _APPEND:
            return [insert]
    raise NotSupportedError(
        "this choice of what to do with a table that exists, or does not, is not offered",
        hint="create, append, create and append, or replace",
    )


def plain_insert(sql: str, columns: tuple[str, ...]) -> str | None:
    """The statement that inserts all rows of an upload at once, for one that inserts one row of parameters."""
    found = _PLAIN_INSERT.fullmatch(sql)
    if found is None or sql.count("?") != len(columns):
        return None
    listed = ", ".join(quoted(column) for column in columns)
    return f"{found.group(1).rstrip()} SELECT {listed} FROM {UPLOAD}"  # noqa: S608 - quoted names


def insert_target(sql: str) -> tuple[list[str], list[str]] | None:
    """The parts of the table's name and the columns of a statement that inserts one row of parameters."""
    found = _PLAIN_INSERT.fullmatch(sql)
    return (_identifiers(found.group(2)), _identifiers(found.group(3) or "")) if found else None


def _identifiers(text: str) -> list[str]:
    return [part[1:-1].replace('""', '"') if part[0] == '"' else part.lower() for part in re.findall(_IDENTIFIER, text)]


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
