"""Where names lead."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.statements.cursor import Name
from sqe.sql.tokens import position_of
from sqe.sql.virtual import virtual_name


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


def refuse_own(path: Sequence[Name], context: Context) -> None:
    """Refuse the name of a table that is filled for each statement: no statement makes or changes it."""
    if virtual_name([name.text.lower() for name in path], context.catalog) is not None:
        raise NotSupportedError(
            f"{'.'.join(name.text for name in path)} is filled by the engine and can only be read",
            hint="SELECT, SHOW TABLES, SHOW COLUMNS and DESCRIBE tell of it",
            position=position_of(path[0].token),
        )


def schema_name(path: Sequence[Name], context: Context) -> tuple[str, str]:
    """Catalog and name of a schema."""
    match [name.text for name in path]:
        case [only]:
            return context.catalog, only
        case [catalog, *schema]:
            return catalog, ".".join(schema)
    raise AssertionError(path)


def check_new(path: Sequence[Name]) -> Sequence[Name]:
    """Refuse names that would lead out of their folder: catalogs make folders of them."""
    for name in path:
        if name.text in {"", ".", ".."} or any(sign in "/\\" or sign < " " for sign in name.text):
            raise SqlSemanticError(
                f"{name.text!r} cannot be a name here",
                hint="a name holds no slashes and no control characters, and is not . or ..",
                position=position_of(name.token),
            )
    return path
