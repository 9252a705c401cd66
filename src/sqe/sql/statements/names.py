"""Where names lead."""

from __future__ import annotations

from sqe.sql.context import Context


def full_name(path: list[str], context: Context) -> tuple[str, str, str]:
    """Catalog, schema and name of a relation."""
    match path:
        case [table]:
            return context.catalog, context.schema, table
        case [schema, table]:
            return context.catalog, schema, table
        case [catalog, *schema, table]:
            return catalog, ".".join(schema), table
    raise AssertionError(path)
