"""Properties of tables: Trino's WITH (…) and Spark's TBLPROPERTIES (…)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import SqeError
from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.transforms import transform, transform_list
from sqe.sql.statements.writing import literal, path_text
from sqe.sql.tokens import position_of, tokenize

#: Trino's names for what are properties of Iceberg's.
PROPERTY_NAMES = {
    "format": "write.format.default", "format_version": "format-version",
    "compression_codec": "write.parquet.compression-codec",
    "object_store_layout_enabled": "write.object-storage.enabled",
    "data_location": "write.data.path", "max_commit_retry": "commit.retry.num-retries",
    "parquet_bloom_filter_columns": "write.parquet.bloom-filter-columns",
}  # fmt: skip

_VALUES = frozenset({TokenType.STRING, TokenType.NUMBER, TokenType.VAR})
_FLAGS = frozenset({TokenType.TRUE, TokenType.FALSE})
_Answer = TypeVar("_Answer")


@dataclass
class Properties:
    """What the clauses of a statement say beside columns and query."""

    values: dict[str, str] = field(default_factory=dict)
    partitioning: list[str] = field(default_factory=list)
    sorted_by: list[str] = field(default_factory=list)
    location: str | None = None
    identifier_fields: list[str] = field(default_factory=list)

    def written(self) -> str:
        """The TBLPROPERTIES clause for Spark, empty when there are none."""
        pairs = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in self.values.items())
        return f" TBLPROPERTIES ({pairs})" if pairs else ""


def read_properties(cursor: Cursor, context: Context, into: Properties) -> None:
    """Read `(key = value, …)`; a key is a name, a dotted name or a text."""
    cursor.need(TokenType.L_PAREN, "(")
    while True:
        read_property(cursor, context, into)
        if not cursor.take(TokenType.COMMA):
            break
    cursor.need(TokenType.R_PAREN, ")")


def read_property(cursor: Cursor, context: Context, into: Properties) -> None:
    """Read `key = value`."""
    key = _key(cursor)
    cursor.take(TokenType.EQ)
    values = _values(cursor)
    if key == "partitioning":
        into.partitioning += [part for value in values for part in _read(transforms_in, value, context)]
    elif key == "sorted_by":
        into.sorted_by += [_read(sort_field, value, context) for value in values]
    elif key == "identifier_field_ids":
        into.identifier_fields += [name for value in values for name in _read(_names_in, value, context)]
    elif key == "location":
        into.location = values[0].text
    else:
        into.values[PROPERTY_NAMES.get(key, key)] = ",".join(value.text for value in values)


def _read(read: Callable[[str, Context], _Answer], value: Name, context: Context) -> _Answer:
    """What stands in a text. Its errors point to the text: inside of it there are no places."""
    try:
        return read(value.text, context)
    except SqeError as error:
        error.position = position_of(value.token)
        raise


def transforms_in(text: str, context: Context) -> list[str]:
    """The partition fields that a text holds: `day(ts)`."""
    inner = Context(text, catalog=context.catalog, schema=context.schema)
    cursor = Cursor(tokenize(text), inner)
    found = transform_list(cursor, inner)
    cursor.end()
    return [inner.anchors.taken_out(part)[0] for part in found]


def sort_field(text: str, context: Context) -> str:
    """`ts DESC NULLS LAST`, in Spark's words."""
    inner = Context(text, catalog=context.catalog, schema=context.schema)
    cursor = Cursor(tokenize(text), inner)
    made = transform(cursor, inner)
    for word in ("ASC", "DESC"):
        made += f" {word}" if cursor.word(word) else ""
    if cursor.word("NULLS"):
        made += f" NULLS {cursor.one_of('FIRST', 'LAST')}"
    cursor.end()
    return inner.anchors.taken_out(made)[0]


def _names_in(text: str, context: Context) -> list[str]:
    """Columns with commas between them."""
    inner = Context(text, catalog=context.catalog, schema=context.schema)
    cursor = Cursor(tokenize(text), inner)
    found = [path_text(cursor.path(), inner)]
    while cursor.take(TokenType.COMMA):
        found.append(path_text(cursor.path(), inner))
    cursor.end()
    return [inner.anchors.taken_out(part)[0] for part in found]


def _key(cursor: Cursor) -> str:
    try:
        return cursor.text()
    except Exception:  # noqa: BLE001 - not a text, so it is a name or that one complains
        return ".".join(cursor.names())


def _values(cursor: Cursor) -> list[Name]:
    tokens = cursor.until()
    texts = [Name(token.text, token) for token in tokens if token.token_type in _VALUES]
    words = [Name(token.text.lower(), token) for token in tokens if token.token_type in _FLAGS]
    if not texts and not words:
        raise cursor.error("a value is expected")
    negative = tokens[0].token_type is TokenType.DASH
    return [Name("-" + value.text, value.token) if negative else value for value in texts] or words
