"""What stands after FROM: tables of Iceberg's metadata, files, UNNEST, samples."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError, SqlSemanticError, SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.history import changes_between, read_changes
from sqe.sql.rules.computed_values import computed_rows
from sqe.sql.rules.files import read_path
from sqe.sql.rules.identifiers import folded
from sqe.sql.rules.metadata_tables import full_path, metadata_table
from sqe.sql.rules.table_functions import table_function
from sqe.sql.scopes import named_queries
from sqe.sql.tokens import CALL_MARK
from sqe.sql.trees import call, number, position_of, text
from sqe.sql.virtual import VirtualTable, filters_on, virtual_name

#: Percent.
_ALL = 100


def translate_relations(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite every relation that Spark names or writes differently."""
    if context.write_branch is not None and isinstance(tree, exp.Insert | exp.Update | exp.Delete | exp.Merge):
        _write_to_branch(tree, context.write_branch)
    queries = named_queries(tree)
    for table in list(tree.find_all(exp.Table)):
        _join_levels(table)
        _table(table, queries, context)
        _split_levels(table, context)
    for unnest in list(tree.find_all(exp.Unnest)):
        _unnest(unnest, context)
    for values in list(tree.find_all(exp.Values)):
        _rows(values)
        tree = computed_rows(values, tree)
    for sample in list(tree.find_all(exp.TableSample)):
        _sample(sample, context)
    for merge in tree.find_all(exp.Merge):
        _merge_source(merge)
    return tree


def _write_to_branch(change: exp.Expr, branch: str) -> None:
    """The target of a change, unless it names a branch itself."""
    target = change.this.this if isinstance(change.this, exp.Schema) else change.this
    name = target.this if isinstance(target, exp.Table) else None
    if isinstance(name, exp.Identifier) and "$branch_" not in folded(name):
        name.set("this", f"{folded(name)}$branch_{branch}")
        name.set("quoted", True)


def _merge_source(merge: exp.Merge) -> None:
    """Spark takes no names of columns after the alias of a source: they go one level down."""
    source = merge.args["using"]
    alias = source.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        inner = exp.Select(expressions=[exp.Star()]).from_(source.copy())
        source.replace(exp.Subquery(this=inner, alias=exp.TableAlias(this=alias.this.copy())))


def _join_levels(table: exp.Table) -> None:
    """`catalog.a.b.t` is the table t of the schema `"a.b"`, as Trino has it."""
    name, schema = table.this, table.args.get("db")
    parts = list(name.flatten()) if isinstance(name, exp.Dot) else []
    names = [part for part in parts if isinstance(part, exp.Identifier)]
    if isinstance(schema, exp.Identifier) and names and len(names) == len(parts):
        *levels, last = names
        joined = exp.to_identifier(".".join(folded(part) for part in [schema, *levels]), quoted=True)
        joined.meta.update(schema.meta)
        table.set("db", joined)
        table.set("this", last)


def _split_levels(table: exp.Table, context: Context) -> None:
    """Spark wants each level of a schema by itself, and the catalog too, lest the first one be taken for it."""
    schema = table.args.get("db")
    levels = folded(schema).split(".") if isinstance(schema, exp.Identifier) else []
    if schema is None or not all(levels):
        return
    if table.args.get("catalog") is None and isinstance(table.this, exp.Identifier):
        table.set("catalog", exp.to_identifier(context.catalog, quoted=True))
    if len(levels) < 2:
        return
    parts = [exp.to_identifier(level, quoted=True) for level in levels]
    for part in parts:
        part.meta.update(schema.meta)
    table.set("db", exp.Dot.build(parts))


def _table(table: exp.Table, queries: set[str], context: Context) -> None:
    name = table.this
    if isinstance(name, exp.Anonymous):
        table_function(table, name, context)
        return
    if not isinstance(name, exp.Identifier):
        return
    start = name.meta.get("start")
    if start is not None and context.sql[start] == "'" and not table.args.get("db"):
        read_path(table, name, context)
        return
    between = changes_between(table)
    if between is not None:
        parts = full_path(table, context)
        read_changes(table, ".".join("`" + part.replace("`", "``") + "`" for part in parts), between)
    elif not _virtual_table(table, name, context):
        owners = [folded(part) for part in (table.args.get("catalog"), table.args.get("db")) if part is not None]
        catalog, schema = [context.catalog, context.schema][: 2 - len(owners)] + owners
        if owners or folded(name) not in queries:
            context.read.add((catalog, schema, folded(name)))
        metadata_table(table, name, context)


def _virtual_table(table: exp.Table, name: exp.Identifier, context: Context) -> bool:
    owners = [part for part in (table.args.get("catalog"), table.args.get("db")) if isinstance(part, exp.Identifier)]
    found = virtual_name([folded(part).lower() for part in [*owners, name]], context.catalog)
    if found is None:
        return False
    if _is_changed(table):
        raise NotSupportedError(
            f"{found[0]} is filled by the engine and can only be read", position=position_of(name, context.sql)
        )
    virtual = VirtualTable(f"{context.query_id}/{len(context.virtual)}", *found, *filters_on(table))
    context.virtual.append(virtual)
    if not table.alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(folded(name).lower(), quoted=True)))
    table.set("this", call("sqe_local", text(virtual.token), like=name))
    table.set("db", None)
    table.set("catalog", None)
    return True


def _is_changed(table: exp.Table) -> bool:
    """Whether the table is the target of a change."""
    owner = table.parent.parent if isinstance(table.parent, exp.Schema) else table.parent
    target = owner.this if isinstance(owner, exp.Insert | exp.Update | exp.Delete | exp.Merge) else None
    return target is table or (isinstance(target, exp.Schema) and target.this is table)


def _unnest(unnest: exp.Unnest, context: Context) -> None:
    """UNNEST in Trino's sense: several arrays side by side, the shorter ones filled with NULL; maps give two columns.

    It becomes a LATERAL subquery over a generator of ours, which knows whether an argument is an array or a map.
    """
    if isinstance(unnest.parent, exp.In):
        raise NotSupportedError(
            "IN UNNEST is not offered",
            hint="contains(array, value) tells whether a value is in an array",
            position=position_of(unnest, context.sql) or position_of(unnest.parent, context.sql),
        )
    alias = unnest.args.get("alias")
    columns = list(alias.args.get("columns") or []) if alias else []
    offset = unnest.args.get("offset")
    name = "sqe_unnest_ordinality" if offset else "sqe_unnest"
    if offset and isinstance(offset, exp.Identifier):
        columns.append(offset)
    made = call(name, *unnest.expressions, like=unnest)
    table_alias = exp.TableAlias(this=alias.this if alias else None, columns=columns)
    parent = unnest.parent
    lateral = exp.Table(this=made, alias=table_alias)
    if isinstance(parent, exp.Join) and not _is_cross(parent):
        raise NotSupportedError(
            "UNNEST can be joined with CROSS JOIN or LEFT JOIN … ON TRUE", position=position_of(unnest, context.sql)
        )
    unnest.replace(exp.Lateral(this=made, alias=table_alias) if isinstance(parent, exp.Join) else lateral)


def _rows(values: exp.Values) -> None:
    """`VALUES ROW(1, 2)` has two columns, as `VALUES (1, 2)` has."""
    for row in values.expressions:
        only = row.expressions[0] if isinstance(row, exp.Tuple) and len(row.expressions) == 1 else None
        name = getattr(only, "name", "")
        if isinstance(only, exp.Anonymous) and name.lower() == CALL_MARK + "row":
            row.set("expressions", only.expressions)


def _is_cross(join: exp.Join) -> bool:
    condition = join.args.get("on")
    always = condition is None or (isinstance(condition, exp.Boolean) and condition.this)
    return always and not join.args.get("using")


def _sample(sample: exp.TableSample, context: Context) -> None:
    method = str(sample.args.get("method") or "").upper()
    if method not in {"", "BERNOULLI", "SYSTEM"}:
        raise SqlSyntaxError("a sample is BERNOULLI or SYSTEM", position=position_of(sample, context.sql))
    sample.set("method", None)
    if sample.args.get("size") is not None:
        # So many rows, as Spark and DuckDB have it.
        return
    percent = sample.args.get("percent") or number(100)
    if isinstance(percent, exp.Literal) and not percent.is_string and float(percent.name) > _ALL:
        raise SqlSemanticError(
            "a sample is of at least 0 and at most 100 percent", position=position_of(percent, context.sql)
        )
    sample.set("percent", percent)
