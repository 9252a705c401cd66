"""Tables that no catalog holds: information_schema and the system catalog. They are filled for each statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

INFORMATION_SCHEMA = "information_schema"
SYSTEM = "system"
#: The properties of one table, `"t$properties"`.
TABLE_PROPERTIES = "table.properties"
#: The rows that came with the statement.
UPLOAD = "system.upload.rows"
_SYSTEM_SCHEMAS = frozenset({"runtime", "metadata", "jdbc", "upload"})
_FILTERED = frozenset({
    "catalog_name", "schema_name", "table_catalog", "table_schema", "table_name", "table_cat", "table_schem",
})  # fmt: skip


@dataclass(frozen=True)
class VirtualTable:
    """One that a statement reads: what it is, and which rows are enough."""

    #: The name under which the engine gets it.
    token: str
    #: `information_schema.tables`, `system.runtime.queries`, …
    name: str
    #: The catalog that an information_schema describes.
    catalog: str | None
    #: Columns that the statement compares with one text, other rows are of no use to it; or what it asks about.
    filters: Mapping[str, str]
    #: Columns that must match a regular expression.
    patterns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A statement that a virtual table answers: its name, the catalog it is about, and what is asked."""

    name: str
    catalog: str | None = None
    asked: Mapping[str, str] = field(default_factory=dict)
    #: A condition on the rows, in Spark's words.
    condition: str = ""


def virtual_name(parts: list[str], current: str) -> tuple[str, str | None] | None:
    """What a table's name means if it is a virtual table: its full name and the catalog it describes."""
    match parts:
        case [schema, table] if schema == INFORMATION_SCHEMA:
            return f"{schema}.{table}", current
        case [catalog, schema, table] if schema == INFORMATION_SCHEMA:
            return f"{schema}.{table}", catalog
        case [catalog, schema, table] if catalog == SYSTEM and schema in _SYSTEM_SCHEMAS:
            return f"{catalog}.{schema}.{table}", None
    return None


def filters_on(table: exp.Table) -> tuple[dict[str, str], dict[str, str]]:
    """What the WHERE clause of a query that reads nothing but this table says of its rows.

    Columns that equal a text, and patterns (as regular expressions) of those that are LIKE one.
    """
    select = table.find_ancestor(exp.Select)
    if select is None or select.args.get("joins") or select.find(exp.Table) is not table:
        return {}, {}
    where = select.args.get("where")
    conditions = list(where.this.flatten()) if where and isinstance(where.this, exp.And) else [where and where.this]
    equal, like = {}, {}
    for condition in conditions:
        escape = condition.expression.name if isinstance(condition, exp.Escape) else None
        inner = condition.this if isinstance(condition, exp.Escape) else condition
        if isinstance(inner, exp.EQ | exp.Like) and _is_on_text(inner):
            name, value = inner.this.name.lower(), inner.expression.name
            if name in _FILTERED and isinstance(inner, exp.EQ):
                equal[name] = value
            elif name in _FILTERED:
                like[name] = like_expression(value, escape)
    return equal, like


def _is_on_text(condition: exp.EQ | exp.Like) -> bool:
    value = condition.expression
    if condition.args.get("negate"):
        return False
    return isinstance(condition.this, exp.Column) and isinstance(value, exp.Literal) and value.is_string


def like_expression(pattern: str, escape: str | None) -> str:
    """A pattern of LIKE as a regular expression for a full match.

    What stands between two `%` is found at its first place and never looked for again, so that no pattern takes long.
    """
    parts, signs = [""], iter(pattern)
    for sign in signs:
        if sign == escape:
            parts[-1] += re.escape(next(signs, ""))
        elif sign == "%":
            parts.append("")
        else:
            parts[-1] += "." if sign == "_" else re.escape(sign)
    if len(parts) == 1:
        return parts[0]
    first, *middle, last = parts
    return first + "".join(f"(?>.*?{part})" for part in middle if part) + f".*{last}"
