"""Spark's names of types in Trino's words, as people see them in DESCRIBE and information_schema."""

from __future__ import annotations

import re

_NAMES = {
    "STRING": "varchar", "BINARY": "varbinary", "INT": "integer", "FLOAT": "real", "TIMESTAMP_NTZ": "timestamp(6)",
    "TIMESTAMP": "timestamp(6) with time zone", "TIMESTAMP_LTZ": "timestamp(6) with time zone", "VOID": "unknown",
}  # fmt: skip


def trino_type(spark: str) -> str:
    """`ARRAY<STRUCT<a: INT>>` is `array(row(a integer))`."""
    name, _, rest = spark.partition("<")
    inner = rest.removesuffix(">")
    match name.strip().upper():
        case "ARRAY" if rest:
            return f"array({trino_type(inner)})"
        case "MAP" if rest:
            key, value = split_types(inner)
            return f"map({trino_type(key)}, {trino_type(value)})"
        case "STRUCT" if rest:
            return f"row({', '.join(_field(field) for field in split_types(inner))})"
    return _NAMES.get(spark.strip().upper()) or re.sub(r",\s*", ", ", spark.strip().lower())


def _field(field: str) -> str:
    found = re.match(r"\s*(`(?:[^`]|``)*`|[^:]+):\s*(.*)", field, re.DOTALL)
    if not found:
        return trino_type(field)
    name, kind = found.groups()
    kind = re.sub(r"\s+(?:NOT NULL|COMMENT\s+'.*')\s*$", "", kind)
    written = name.strip("`").replace("``", "`")
    plain = re.fullmatch(r"[a-z_][a-z0-9_]*", written)
    return f"{written if plain else _quoted(written)} {trino_type(kind)}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def split_types(text: str) -> list[str]:
    """The parts between the commas that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for number, sign in enumerate(text):
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and depth == 0:
            parts.append(text[start:number])
            start = number + 1
    return [*parts, text[start:]]
