"""Functions that give tables."""

from __future__ import annotations

import difflib

from sqlglot import exp

from sqe.core.errors import SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.files import READERS, read_function
from sqe.sql.rules.identifiers import folded
from sqe.sql.trees import call, position_of

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
        table.set("this", call("explode", call("sequence", *function.expressions), like=function))
        _name_column(table, "generate_series" if name == "generate_series" else "sequential_number")
    elif name in READERS:
        read_function(table, function, name, context)
    elif name in _PASSED:
        function.set("this", name)
    else:
        near = difflib.get_close_matches(name, sorted(_PASSED | _SERIES | set(READERS)), n=1)
        raise SqlSemanticError(
            f"there is no table function {name}",
            hint=f"did you mean {near[0]}?" if near else None,
            position=position_of(function, context.sql),
            condition="UNRESOLVED_ROUTINE",
        )


def _name(function: exp.Anonymous) -> str:
    this = function.this
    return folded(this).lower() if isinstance(this, exp.Identifier) else str(this).lower()


def _name_column(table: exp.Table, name: str) -> None:
    """Columns that the user did not name have the function's name for them."""
    alias = table.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        return
    owner = alias.this if alias is not None else exp.to_identifier(name, quoted=True)
    table.set("alias", exp.TableAlias(this=owner, columns=[exp.to_identifier(name, quoted=True)]))
