"""Which rows of a listing a statement can use: what it does not ask for is not looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqe.query.sessions import Session
from sqe.sql.virtual import VirtualTable

#: The names that catalogs, schemas and tables have in the various listings.
CATALOG = ("catalog_name", "table_catalog", "table_cat")
SCHEMA = ("schema_name", "table_schema", "table_schem")
TABLE = ("table_name",)


@dataclass(frozen=True)
class Narrowing:
    """Columns that must equal a text, and columns that must match a pattern."""

    equal: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, table: VirtualTable) -> Narrowing:
        """What the statement that reads a virtual table says of its rows."""
        return cls(table.filters, table.patterns)

    def only(self, columns: tuple[str, ...]) -> str | None:
        """The one text that a column may be, None when there may be several."""
        return next((self.equal[column] for column in columns if column in self.equal), None)

    def admits(self, columns: tuple[str, ...], value: str) -> bool:
        """Whether a row with this value can be of use."""
        return all(
            self.equal.get(column, value) == value
            and (column not in self.patterns or re.fullmatch(self.patterns[column], value, re.DOTALL) is not None)
            for column in columns
        )


def schemas(session: Session, catalog: str, wanted: Narrowing) -> Iterator[str]:
    """The schemas of a catalog that can be of use."""
    if not wanted.admits(CATALOG, catalog):
        return
    only = wanted.only(SCHEMA)
    if only is not None:
        if wanted.admits(SCHEMA, only) and session.spark.has_schema(catalog, only):
            yield only
        return
    yield from (schema for schema in session.spark.schemas(catalog) if wanted.admits(SCHEMA, schema))


def relations(session: Session, catalog: str, schema: str, wanted: Narrowing) -> dict[str, str]:
    """Names and kinds (TABLE, VIEW) of what a schema has that can be of use."""
    found = sorted(session.spark.relations(catalog, schema))
    return {name: kind for name, kind in found if wanted.admits(TABLE, name)}
