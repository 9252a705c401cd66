"""Spark's names of types as Arrow types: what a table's rows will have when they come."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from sqe.core.type_names import split_types, trino_type

_TYPES: dict[str, pa.DataType] = {
    "BOOLEAN": pa.bool_(), "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INT": pa.int32(), "BIGINT": pa.int64(),
    "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "STRING": pa.utf8(), "BINARY": pa.binary(), "DATE": pa.date32(),
    "TIMESTAMP_NTZ": pa.timestamp("us"), "VOID": pa.null(),
}  # fmt: skip
_ZONED = frozenset({"TIMESTAMP", "TIMESTAMP_LTZ"})
_FLIGHT = "ARROW:FLIGHT:SQL:"


def arrow_type(spark: str, zone: str) -> pa.DataType:
    """`ARRAY<INT>` is a list of 32-bit integers; text for a type that Arrow has none for. Moments have a zone."""
    name, _, rest = spark.strip().partition("<")
    inner = rest.removesuffix(">")
    match name.strip().upper():
        case "ARRAY" if rest:
            return pa.list_(pa.field("element", arrow_type(inner, zone)))
        case "MAP" if rest:
            key, value = split_types(inner)
            return pa.map_(arrow_type(key, zone), arrow_type(value, zone))
        case "STRUCT" if rest:
            return pa.struct([_field(part, zone) for part in split_types(inner)])
    decimal = re.fullmatch(r"\s*DECIMAL\((\d+), ?(\d+)\)\s*", spark, re.IGNORECASE)
    if decimal:
        return pa.decimal128(int(decimal.group(1)), int(decimal.group(2)))
    if name.strip().upper() in _ZONED:
        return pa.timestamp("us", zone)
    return _TYPES.get(name.strip().upper(), pa.utf8())


def table_schema(owner: tuple[str, str, str], columns: list[list[object]], zone: str) -> pa.Schema:
    """The schema of a table, its fields with what drivers ask for."""
    return pa.schema([_column(owner, column, zone) for column in columns])


def _column(owner: tuple[str, str, str], column: list[object], zone: str) -> pa.Field[Any]:
    name, spark, nullable, comment, _ = column
    kind = arrow_type(str(spark), zone)
    facts = dict(zip(("CATALOG_NAME", "DB_SCHEMA_NAME", "TABLE_NAME"), owner, strict=True))
    facts |= {"TYPE_NAME": trino_type(str(spark)), "IS_AUTO_INCREMENT": "0", "IS_READ_ONLY": "0", "IS_SEARCHABLE": "1"}
    facts["IS_CASE_SENSITIVE"] = "1" if pa.types.is_string(kind) else "0"
    if pa.types.is_decimal(kind):
        facts |= {"PRECISION": str(kind.precision), "SCALE": str(kind.scale)}
    if comment:
        facts["REMARKS"] = str(comment)
    return pa.field(str(name), kind, bool(nullable), {f"{_FLIGHT}{key}": value for key, value in facts.items()})


def _field(text: str, zone: str) -> pa.Field[Any]:
    found = re.match(r"\s*(`(?:[^`]|``)*`|[^:]+):\s*(.*)", text, re.DOTALL)
    if found is None:
        return pa.field(text.strip(), pa.utf8())
    name, kind = found.groups()
    required = re.search(r"\s+NOT NULL\b", kind)
    kind = re.sub(r"\s+(?:NOT NULL|COMMENT\s+'.*')", "", kind)
    return pa.field(name.strip().strip("`").replace("``", "`"), arrow_type(kind, zone), required is None)
