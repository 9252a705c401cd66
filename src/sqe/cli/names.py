"""The names in the catalogs, and how names are written in SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from sqe.core.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.cli.connect import Connection

HIDDEN_CATALOGS = frozenset({"spark_catalog", "system"})
HIDDEN_SCHEMAS = frozenset({"information_schema"})
_PART = re.compile(r'\s*(?:"(?P<double>(?:[^"]|"")+)"|`(?P<back>(?:[^`]|``)+)`|(?P<plain>[^\s."`;()\']+))\s*')


class TableName(NamedTuple):
    """The full name of a table; a schema inside of a schema has dots."""

    catalog: str
    schema: str
    table: str


def quote(name: str) -> str:
    """The name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_path(text: str) -> str:
    """The dotted name with every part quoted."""
    return ".".join(quote(name) for name, _ in _parts(text))


def checked_name(text: str, most: int, what: str = "table") -> str:
    """The dotted name as a person wrote it, made safe to put in a statement.

    Plain parts stay unquoted, because quotes would change how their case is treated.

    Raises:
        UserError: When it is no name, or has more than `most` parts.
    """
    parts = _parts(text)
    if not 1 <= len(parts) <= most:
        raise UserError(f"'{text}' is not a {what} name", hint=f"a {what} name has 1 to {most} parts")
    return ".".join(quote(name) if quoted or not re.fullmatch(r"\w+", name) else name for name, quoted in parts)


def catalogs(connection: Connection) -> list[str]:
    """The catalogs that hold tables of people."""
    names = _column(connection, "SHOW CATALOGS", ("catalog", "catalog_name"))
    return [name for name in names if name not in HIDDEN_CATALOGS]


def schemas(connection: Connection, catalog: str) -> list[str]:
    """The schemas of a catalog."""
    sql = f"SHOW SCHEMAS IN {quote(catalog)}"
    names = _column(connection, sql, ("namespace", "schema", "schema_name", "databasename"))
    return [name for name in names if name not in HIDDEN_SCHEMAS]


def tables(connection: Connection, catalog: str, schema: str) -> list[TableName]:
    """The tables of a schema."""
    sql = f"SHOW TABLES IN {quote(catalog)}.{quoted_path(schema) or quote(schema)}"
    names = _column(connection, sql, ("tablename", "table_name", "table"))
    return [TableName(catalog, schema, name) for name in names]


def table_schema(connection: Connection, table: str) -> pa.Schema:
    """The columns of a table, whose name must have been checked or quoted."""
    with closing(connection.execute(f"SELECT * FROM {table} LIMIT 0")) as result:  # noqa: S608
        for _ in result:
            pass
        return result.schema


def _parts(text: str) -> list[tuple[str, bool]]:
    """The parts of a dotted name and whether they were quoted; empty when the text is no name."""
    parts: list[tuple[str, bool]] = []
    place = 0
    while match := _PART.match(text, place):
        double, back, plain = match["double"], match["back"], match["plain"]
        name = (double or "").replace('""', '"') or (back or "").replace("``", "`") or plain
        parts.append((name, plain is None))
        place = match.end()
        if place == len(text):
            return parts
        if text[place] != ".":
            return []
        place += 1
    return []


def _column(connection: Connection, sql: str, wanted: tuple[str, ...]) -> list[str]:
    """The values of the first column that has one of the names, or of the first column at all."""
    values: list[str] = []
    with closing(connection.execute(sql)) as result:
        lower = [name.lower() for name in result.schema.names]
        index = next((lower.index(name) for name in wanted if name in lower), 0)
        for batch in result:
            values += _strings(batch, index)
    return values


def _strings(batch: pa.RecordBatch, index: int) -> Iterator[str]:
    return (str(value) for value in batch.column(index).to_pylist() if value is not None)
