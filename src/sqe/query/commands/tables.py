"""Defaults of columns, CREATE TABLE LIKE, the text of views for other engines, and schemas with all they hold."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqe.core.errors import NotSupportedError, SqeError
from sqe.query.commands.workbench import Workbench, nothing
from sqe.sql.commands import AddColumns, CreateLike, CreateView, DropSchema, FullName, SetDefaults

if TYPE_CHECKING:
    import pyarrow as pa


def set_defaults(command: SetDefaults, bench: Workbench) -> pa.Table:
    """After CREATE TABLE, or alone. A table that cannot have its defaults is not left behind."""
    making = bool(bench.text)
    if making and _is_there(command.table, bench):
        # IF NOT EXISTS does nothing then, CREATE fails, and OR REPLACE keeps the history.
        bench.run()
        if "IF NOT EXISTS" not in bench.text.partition("(")[0]:
            bench.session.spark.change("defaults", asdict(command), bench.text)
        return nothing()
    bench.run()
    try:
        bench.session.spark.change("defaults", asdict(command), bench.text)
    except SqeError:
        if making:
            bench.done(f"DROP TABLE {_quoted(command.table)}")
        raise
    return nothing()


def add_columns(command: AddColumns, bench: Workbench) -> pa.Table:
    """ALTER TABLE … ADD COLUMN … DEFAULT …."""
    bench.session.spark.change("columns", asdict(command))
    return nothing()


def create_like(command: CreateLike, bench: Workbench) -> pa.Table:
    """CREATE TABLE … LIKE …."""
    bench.session.spark.change("like", asdict(command))
    return nothing()


def create_view(command: CreateView, bench: Workbench) -> pa.Table:
    """CREATE VIEW, and the text as it was written beside it."""
    session = bench.session
    passing = sorted(name for catalog, _, name in command.read if catalog == session.passing != command.view[0])
    if passing:
        raise NotSupportedError(
            f"the view {command.view[2]} would stay, and the table {passing[0]} goes with the session",
            hint="CREATE TABLE catalog.schema.table AS … keeps the rows",
        )
    bench.run()
    facts = {"view": command.view, "written": command.written, "security": command.security}
    session.spark.change("view", {**facts, "definer": session.identity.user})
    return nothing()


def drop_schema(command: DropSchema, bench: Workbench) -> pa.Table:
    """DROP SCHEMA … CASCADE: the innermost schemas first."""
    spark = bench.session.spark
    if not spark.has_schema(command.catalog, command.schema):
        bench.run()
        return nothing()
    nested = [name for name in spark.schemas(command.catalog) if name.startswith(f"{command.schema}.")]
    for schema in [*sorted(nested, key=lambda name: name.count("."), reverse=True), command.schema]:
        # One that was there for the sake of those inside it went with the last of them.
        if spark.has_schema(command.catalog, schema):
            for name, kind in spark.relations(command.catalog, schema):
                bench.done(f"DROP {kind} {_quoted((command.catalog, schema, name))}")
            bench.done(f"DROP NAMESPACE IF EXISTS {_quoted_schema(command.catalog, schema)}")
    return nothing()


def _is_there(table: FullName, bench: Workbench) -> bool:
    catalog, schema, name = table
    spark = bench.session.spark
    return spark.has_schema(catalog, schema) and name in {found for found, _ in spark.relations(catalog, schema)}


def _quoted(table: FullName) -> str:
    catalog, schema, name = table
    return f"{_quoted_schema(catalog, schema)}.`{name.replace('`', '``')}`"


def _quoted_schema(catalog: str, schema: str) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in (catalog, *schema.split(".")))
