"""Functions that give tables."""

from __future__ import annotations

import difflib

from sqlglot import exp

from sqe.core.errors import SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.files import READERS, read_function
from sqe.sql.rules.identifiers import folded
from sqe.sql.rules.metadata_tables import METADATA_FUNCTIONS, metadata_function
from sqe.sql.trees import call, cast, position_of

#: Spark's own, harmless ones.
_PASSED = frozenset({
    "range", "explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack",
    "json_tuple", "variant_explode", "variant_explode_outer",
})  # fmt: skip
_SERIES = frozenset({"generate_series", "sequence"})


def table_function(table: exp.Table, function: exp.Anonymous, context: Context) -> None:
    """Rewrite a call after FROM; TABLE(f(…)) is f(…)."""
    name = _name(function)
    if name == "table" and len(function.expressions) == 1 and isinstance(function.expressions[0], exp.Anonymous):
        function = function.expressions[0]
        table.set("this", function)
        name = _name(function)
    if name in _SERIES:
        bounds = [cast(bound, "BIGINT") for bound in _arguments(function, "start", "stop", "step")]
        table.set("this", call("explode", call("sequence", *bounds), like=function))
        _name_column(table, "generate_series" if name == "generate_series" else "sequential_number")
    elif name in READERS:
        read_function(table, function, name, context)
    elif name in METADATA_FUNCTIONS:
        metadata_function(table, function, name, context)
    elif name == "exclude_columns":
        _exclude_columns(table, function)
    elif name in _PASSED:
        function.set("this", name)
    else:
        near = difflib.get_close_matches(
            name, sorted({*_PASSED, *_SERIES, *READERS, *METADATA_FUNCTIONS, "exclude_columns"}), n=1
        )
        raise SqlSemanticError(
            f"there is no table function {name}",
            hint=f"did you mean {near[0]}?" if near else None,
            position=position_of(function, context.sql),
            condition="UNRESOLVED_ROUTINE",
        )


def _name(function: exp.Anonymous) -> str:
    this = function.this
    return folded(this).lower() if isinstance(this, exp.Identifier) else str(this).lower()


def _exclude_columns(table: exp.Table, function: exp.Anonymous) -> None:
    """`exclude_columns(input => TABLE(…), columns => DESCRIPTOR(a, b))`."""
    source, columns = _arguments(function, "input", "columns")
    inner = source.expressions[0]
    relation = exp.Subquery(this=inner) if isinstance(inner, exp.Query) else exp.Table(this=inner.this)
    if isinstance(inner, exp.Column):
        owners = [inner.args.get("db"), inner.args.get("table")]
        relation = exp.Table(this=inner.this, db=owners[1], catalog=owners[0])
    star = exp.Star(except_=[column.this for column in columns.expressions])
    chosen = exp.Select(expressions=[star]).from_(relation)
    table.replace(exp.Subquery(this=chosen, alias=table.args.get("alias")))


def _arguments(function: exp.Anonymous, *names: str) -> list[exp.Expr]:
    """The arguments in their order, whether they were named (`stop => 4`) or not."""
    named = {part.name.lower(): part.expression for part in function.expressions if isinstance(part, exp.Kwarg)}
    plain = [part for part in function.expressions if not isinstance(part, exp.Kwarg)]
    return plain + [named[name] for name in names[len(plain) :] if name in named]


def _name_column(table: exp.Table, name: str) -> None:
    """Columns that the user did not name have the function's name for them."""
    alias = table.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        return
    owner = alias.this if alias is not None else exp.to_identifier(name, quoted=True)
    table.set("alias", exp.TableAlias(this=owner, columns=[exp.to_identifier(name, quoted=True)]))
