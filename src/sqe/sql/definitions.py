"""Statements that make what is there: the answers of SHOW CREATE."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqe.core.type_names import trino_type
from sqe.sql.secrets import shown_property
from sqe.sql.statements.properties import PROPERTY_NAMES

#: Properties that have a clause of their own, or that Spark and Iceberg keep for themselves.
_NOT_SHOWN = frozenset({
    "comment", "owner", "location", "provider", "format-version", "write.format.default",
    "replace.drop-dialect.allowed",
})  # fmt: skip
_LISTS = frozenset({"parquet_bloom_filter_columns"})
_NUMBERS = frozenset({"max_commit_retry"})
_FLAGS = frozenset({"object_store_layout_enabled"})


def create_table(path: Sequence[str], columns: Sequence[Sequence[Any]], facts: Mapping[str, Any]) -> str:
    """The statement that makes a table: columns as (name, Spark's type, whether NULL fits, comment, default)."""
    lines = ",\n".join(f"   {_column(*column)}" for column in columns)
    given = facts["properties"]
    comment = f"\nCOMMENT {text(given['comment'])}" if given.get("comment") else ""
    clauses = {
        "format": text(given.get("write.format.default", "parquet").upper()),
        "format_version": str(facts["format_version"]),
        "location": _place(facts["location"]),
    }
    for name, found in (("partitioning", facts["partitioning"]), ("sorted_by", facts["sorted_by"])):
        if found:
            clauses[name] = _array(found)
    if facts["identifier_fields"]:
        clauses["identifier_field_ids"] = text(",".join(sorted(facts["identifier_fields"])))
    clauses |= _others(given)
    body = ",\n".join(f"   {key} = {value}" for key, value in clauses.items())
    return f"CREATE TABLE {full_name(path)} (\n{lines}\n){comment}\nWITH (\n{body}\n)"


def create_schema(path: Sequence[str], properties: Mapping[str, str]) -> str:
    """The statement that makes a schema."""
    comment = f"\nCOMMENT {text(properties['comment'])}" if properties.get("comment") else ""
    clauses = {key: text(shown_property(key, value)) for key, value in properties.items() if key not in _NOT_SHOWN}
    if "location" in properties:
        clauses = {"location": _place(properties["location"])} | clauses
    body = ",\n".join(f"   {quoted(key)} = {value}" for key, value in clauses.items())
    return f"CREATE SCHEMA {full_name(path)}{comment}" + (f"\nWITH (\n{body}\n)" if body else "")


def create_view(path: Sequence[str], columns: Sequence[Sequence[Any]], query: str, comment: str | None) -> str:
    """The statement that makes a view."""
    shown = ", ".join(quoted(column) + (f" COMMENT {text(said)}" if said else "") for column, _, _, said, _ in columns)
    about = f"\nCOMMENT {text(comment)}" if comment else ""
    return f"CREATE VIEW {full_name(path)} ({shown}){about} SECURITY INVOKER AS\n{query}"


#: `1.56BD`, `5L`, `1.5D`, `CAST('1.5' AS FLOAT)`.
_SPARK_NUMBER = re.compile(
    r"(?P<short>-?[\d.]+(?:E[+-]?\d+)?)(?:BD|[LDSY])|CAST\('(?P<cast>-?[\d.]+(?:E[+-]?\d+)?)' AS FLOAT\)"
)


def _place(location: str) -> str:
    """A path without a scheme is one on this disk; Spark writes the scheme down when it makes something there."""
    return text(f"file:{location}" if location.startswith("/") else location)


def default_text(spark_default: str | None) -> str | None:
    """The default of a column in our words; Spark's differ for timestamps, and its numbers tell their types."""
    if spark_default is None:
        return None
    if spark_default.startswith("'") and spark_default.endswith("'"):
        # Spark writes a backslash before a quote.
        return text(re.sub(r"\\(.)", r"\1", spark_default[1:-1]))
    number = _SPARK_NUMBER.fullmatch(spark_default)
    if number:
        return number["short"] or number["cast"]
    return spark_default.replace("TIMESTAMP_NTZ '", "TIMESTAMP '", 1).replace(" AS FLOAT)", " AS REAL)")


def _column(column: str, spark_type: str, nullable: bool, comment: str | None, default: str | None) -> str:
    kind = trino_type(spark_type)
    given = f" DEFAULT {default_text(default)}" if default is not None else ""
    required = "" if nullable else " NOT NULL"
    return f"{quoted(column)} {kind}{given}{required}" + (f" COMMENT {text(comment)}" if comment else "")


def _others(given: Mapping[str, str]) -> dict[str, str]:
    """The remaining properties, under Trino's names where it has some."""
    names = {iceberg: trino for trino, iceberg in PROPERTY_NAMES.items()}
    found = {}
    for key, value in sorted(given.items()):
        if key not in _NOT_SHOWN:
            shown = names.get(key, key)
            found[quoted(shown)] = _value(shown, shown_property(key, value))
    return found


def _value(shown: str, value: str) -> str:
    if shown in _LISTS:
        return _array(value.split(","))
    if (shown in _NUMBERS and value.isdigit()) or (shown in _FLAGS and value in {"true", "false"}):
        return value
    return text(value)


def _array(values: Sequence[str]) -> str:
    return f"ARRAY[{', '.join(text(value) for value in values)}]"


def full_name(path: Sequence[str]) -> str:
    """A name of several parts; a schema within another one has a dot in its name, and quotes."""
    return ".".join(quoted(part) for part in path)


def quoted(part: str) -> str:
    """One part of a name, in quotes where it needs some."""
    return part if re.fullmatch(r"[a-z_][a-z0-9_]*", part) else '"' + part.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text in quotes."""
    return "'" + value.replace("'", "''") + "'"
