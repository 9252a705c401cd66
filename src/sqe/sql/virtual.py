"""Tables that no catalog holds: information_schema and the system catalog. They are filled for each statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

INFORMATION_SCHEMA = "information_schema"
SYSTEM = "system"
#: The properties of one table, `"t$properties"`.
TABLE_PROPERTIES = "table.properties"
_SYSTEM_SCHEMAS = frozenset({"runtime", "metadata", "jdbc"})
_FILTERED = frozenset({"catalog_name", "schema_name", "table_catalog", "table_schema", "table_name", "table_cat"})


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


def filters_on(table: exp.Table) -> dict[str, str]:
    """`column = 'text'` in the WHERE clause of a query that reads nothing but this table."""
    select = table.find_ancestor(exp.Select)
    if select is None or select.args.get("joins") or select.find(exp.Table) is not table:
        return {}
    where = select.args.get("where")
    conditions = list(where.this.flatten()) if where and isinstance(where.this, exp.And) else [where and where.this]
    found = {}
    for condition in conditions:
        if isinstance(condition, exp.EQ):
            left, right = condition.this, condition.expression
            if isinstance(left, exp.Column) and isinstance(right, exp.Literal) and right.is_string:
                found[left.name.lower()] = right.name
    return {name: value for name, value in found.items() if name in _FILTERED}
