"""Tables about a table: `"t$files"` as Trino spells it, and `table_files('ns', 't')`."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import SqeError, SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.identifiers import folded
from sqe.sql.trees import call, position_of, text
from sqe.sql.virtual import TABLE_PROPERTIES, VirtualTable

#: `"t$snapshots"` in Trino's spelling is `t.snapshots` in Iceberg's.
METADATA_TABLES = frozenset({
    "snapshots", "history", "files", "manifests", "partitions", "refs", "entries", "data_files", "delete_files",
    "all_data_files", "all_delete_files", "all_entries", "all_files", "all_manifests", "metadata_log_entries",
    "position_deletes",
})  # fmt: skip
#: Those that tell of one snapshot, and so can tell of an earlier one.
_OF_A_SNAPSHOT = frozenset({
    "files", "manifests", "partitions", "entries", "data_files", "delete_files", "position_deletes",
})  # fmt: skip
_PROPERTIES = "properties"
#: Bounds come in Iceberg's binary form; the readable ones are in a struct with a field for each column.
_BOUNDS = (
    "to_json(map_filter(transform_values(from_json(to_json(`readable_metrics`),"
    " 'MAP<STRING, STRUCT<lower_bound: STRING, upper_bound: STRING>>'), (k, v) -> v.{0}), (k, v) -> v IS NOT NULL))"
    " AS `{0}s`"
)
#: What the functions show, where it is not all that Iceberg has. A table without partitions has no such column.
_SHOWN = {
    "files": (
        "`file_path`, `file_format`, `record_count`, `file_size_in_bytes`, to_json(`column_sizes`) AS `column_sizes`,"
        " to_json(`value_counts`) AS `value_counts`, to_json(`null_value_counts`) AS `null_value_counts`,"
        " coalesce(get_json_object(to_json(struct(*)), '$.partition'), '{}') AS `partition`, "
        + ", ".join(_BOUNDS.format(bound) for bound in ("lower_bound", "upper_bound"))
    ),
    "history": "`made_current_at`, `snapshot_id`, `parent_id`, `is_current_ancestor`",
    "refs": "`name`, `type`, `snapshot_id`, `max_reference_age_in_ms` AS `max_ref_age_ms`",
    "snapshots": "`committed_at`, `snapshot_id`, `parent_id`, `operation`, `manifest_list`, `summary`",
    "manifests": "*",
    "partitions": "*",
}
METADATA_FUNCTIONS = frozenset(f"table_{name}" for name in _SHOWN)
_NAME_PARTS = 2


def full_path(table: exp.Table, context: Context) -> list[str]:
    """Catalog, schema and name of a table."""
    owners = [folded(part) for part in (table.args.get("catalog"), table.args.get("db")) if part is not None]
    return _completed([*owners, folded(table.this)], context)


def _completed(parts: list[str], context: Context) -> list[str]:
    *owners, name = parts
    catalog, *schema = [*[context.catalog, context.schema][: max(0, 2 - len(owners))], *owners]
    return [catalog, ".".join(schema), name]


def metadata_table(table: exp.Table, name: exp.Identifier, context: Context) -> None:
    """`"t$files"`, `"ns"."t$files"`, `"ns.t$files"`, `cat.ns."t$files"`; an unknown suffix is part of the name."""
    base, dollar, suffix = folded(name).rpartition("$")
    branch = suffix.startswith("branch_")
    kind = suffix if branch else suffix.lower()
    if not dollar or not base or not (branch or kind in METADATA_TABLES or kind == _PROPERTIES):
        return
    parts = [folded(part) for part in (table.args.get("catalog"), table.args.get("db")) if part is not None]
    if not parts and "." in base:
        *parts, base = base.split(".")
    path = _completed([*parts, base], context)
    if table.args.get("version") is not None and not branch:
        _check_version(table, name, [*path, kind], context)
    if kind == _PROPERTIES:
        _read_properties(table, name, path, context)
        return
    catalog, schema, owner = (_quoted(part, name) for part in path)
    table.set("this", exp.Dot(this=owner, expression=_quoted(kind, name)))
    table.set("db", schema)
    table.set("catalog", catalog)


def _check_version(table: exp.Table, name: exp.Identifier, path: list[str], context: Context) -> None:
    """Refuse a version where it means nothing, and one that there is not: Iceberg would find no rows in it."""
    if path[-1] not in _OF_A_SNAPSHOT:
        raise SqlSemanticError(
            f"{folded(name)} has no earlier versions: it tells of the table as a whole",
            hint=f"such are {', '.join(sorted(_OF_A_SNAPSHOT))}",
            position=position_of(name, context.sql),
        )
    version = table.args["version"].args.get("expression")
    if context.lookup is None or not isinstance(version, exp.Literal) or version.is_string:
        return
    source = ".".join("`" + part.replace("`", "``") + "`" for part in [*path[:-1], "snapshots"])
    asked = f"SELECT CAST(snapshot_id AS STRING) FROM {source} WHERE snapshot_id = {int(version.name)}"  # noqa: S608 - quoted
    if not context.lookup.texts(asked, 1):
        raise SqlSemanticError(
            f"Cannot find snapshot with ID {version.name}", position=position_of(version, context.sql)
        )


def _read_properties(table: exp.Table, name: exp.Identifier, path: list[str], context: Context) -> None:
    catalog, schema, owner = path
    token = f"{context.query_id}/{len(context.virtual)}"
    wanted = {"table_schema": schema, "table_name": owner}
    context.virtual.append(VirtualTable(token, TABLE_PROPERTIES, catalog, wanted))
    if not table.alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(folded(name), quoted=True)))
    table.set("this", call("sqe_local", text(token), like=name))
    table.set("db", None)
    table.set("catalog", None)


def blame_metadata(error: SqeError, sql: str) -> None:
    """Say of a missing table what `$` after its name may be followed by, and name it as it was written."""
    if error.condition != "TABLE_OR_VIEW_NOT_FOUND" or not error.about:
        return
    owner, _, kind = error.about.rpartition(".")
    if kind in METADATA_TABLES and f"${kind}" in sql.lower():
        error.message = f"there is no table {owner}"
    elif "$" in kind:
        error.hint = f"known after a $: {', '.join(sorted({*METADATA_TABLES, _PROPERTIES}))}"


def metadata_function(table: exp.Table, function: exp.Anonymous, name: str, context: Context) -> None:
    """`table_files('ns', 't')`; the schema may carry its catalog, `'cat.ns'`."""
    arguments = function.expressions
    if len(arguments) != _NAME_PARTS or not all(isinstance(part, exp.Literal) and part.is_string for part in arguments):
        raise SqlSemanticError(
            f"{name} takes a schema and a table, both in quotes",
            hint=f"such as {name}('shop', 'orders') or {name}('iceberg.shop', 'orders')",
            position=position_of(function, context.sql),
        )
    schema, owner = (str(part.this) for part in arguments)
    kind = name.removeprefix("table_")
    path = [*_completed([*schema.split("."), owner], context), kind]
    source = ".".join("`" + part.replace("`", "``") + "`" for part in path)
    if not table.alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
    table.set("this", exp.Var(this=f"(SELECT {_SHOWN[kind]} FROM {source})"))  # noqa: S608 - names are quoted


def _quoted(name: str, like: exp.Identifier) -> exp.Identifier:
    made = exp.to_identifier(name, quoted=True)
    made.meta.update(like.meta)
    return made
