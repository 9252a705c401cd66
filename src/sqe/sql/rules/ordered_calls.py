"""ORDER BY inside the call of an aggregate: `array_agg(v ORDER BY k DESC)`.

The rows are gathered with the keys before the value, sorted, and stripped of the keys; what the function makes of the
values comes after that. Of most aggregates the order changes nothing; any other call with an ORDER BY is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.core.errors import NotSupportedError, SqlSemanticError, SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.functions.table import function_table
from sqe.sql.trees import position_of

_GATHERED = "agg_collect_list("
_ROW = "named_struct('v', $1)"
#: Aggregates that answer the same in every order.
_UNORDERED = frozenset({
    "approx_distinct", "approx_most_frequent", "approx_percentile", "avg", "bitwise_and_agg", "bitwise_or_agg",
    "bitwise_xor_agg", "bool_and", "bool_or", "checksum", "corr", "count", "count_if", "covar_pop", "covar_samp",
    "every", "geometric_mean", "histogram", "kurtosis", "max", "max_by", "mean", "median", "min", "min_by",
    "numeric_histogram", "regr_intercept", "regr_slope", "skewness", "stddev", "stddev_pop", "stddev_samp", "sum",
    "var_pop", "var_samp", "variance",
})  # fmt: skip


def ordered_template(
    node: exp.Anonymous, name: str, arguments: Sequence[exp.Expr], order: exp.Order, *, distinct: bool, context: Context
) -> str | None:
    """A template for a call in which the order matters; its arguments become those of the call and the keys.

    None when the order does not matter: it is taken away from the call.
    """
    if isinstance(node.parent, exp.IgnoreNulls | exp.RespectNulls):
        raise NotSupportedError(
            "ORDER BY in a call and IGNORE NULLS beside it are not supported", position=position_of(node, context.sql)
        )
    if name in _UNORDERED:
        node.set("expressions", [*node.expressions[:-1], order.this])
        return None
    template = _template(name, len(arguments))
    if template is None:
        raise _not_ordered(node, name, context)
    keys = order.expressions
    if distinct and any(key.this not in arguments for key in keys):
        raise SqlSemanticError(
            "with DISTINCT, an aggregate can be ordered by its arguments only", position=position_of(node, context.sql)
        )
    values = [*arguments, *(key.this for key in keys)]
    node.set("expressions", [exp.Distinct(expressions=values)] if distinct else values)
    return _sorted(template, keys, len(arguments) + 1)


def _template(name: str, count: int) -> str | None:
    """What gathers the values of a function in an array."""
    table = function_table()
    template = table.rewrites.get(f"{name}/ordered{count}") or table.rewrite(name, count)
    return template if template is not None and template.count(_GATHERED) == 1 else None


def _not_ordered(node: exp.Anonymous, name: str, context: Context) -> SqlSyntaxError | NotSupportedError:
    place = position_of(node, context.sql)
    if name in function_table().scalars:
        return SqlSyntaxError(f"{name} is no aggregate: ORDER BY cannot stand in its call", position=place)
    return NotSupportedError(f"ORDER BY in the call of {name} is not supported", position=place)


def _sorted(template: str, keys: Sequence[exp.Expr], first: int) -> str:
    """The template with what it gathers in order; `$first` and those after it are the keys.

    Before each key stands whether it is NULL, because Spark knows only one place for NULLs. Keys of both directions
    need a comparison of their own.
    """
    before, value, after = _parts(template)
    # A row around the value is there already, and is taken away afterwards.
    in_row = value == _ROW
    fields, falling = [], [bool(key.args.get("desc")) for key in keys]
    for number, key in enumerate(keys):
        # In the order of Spark false comes before true, in the falling one after it.
        nulls_first = bool(key.args.get("nulls_first")) != falling[number]
        test = "IS NOT NULL" if nulls_first else "IS NULL"
        fields.append(f"'n{number}', ${number + first} {test}, 'k{number}', ${number + first}")
    gathered = f"{_GATHERED}named_struct({', '.join(fields)}, 'v', {'$1' if in_row else value}))"
    if len(set(falling)) == 1:
        in_order = f"sort_array({gathered}, {'false' if falling[0] else 'true'})"
    else:
        in_order = f"array_sort({gathered}, (a, b) -> {_comparison(falling)})"
    if in_row:
        return f"{before}{in_order}{after}"
    # What is NULL is not gathered without an order either.
    return f"{before}filter(transform({in_order}, r -> r.v), r -> r IS NOT NULL){after}"


def _parts(template: str) -> tuple[str, str, str]:
    """What stands before, in, and after the call that gathers."""
    before, _, rest = template.partition(_GATHERED)
    depth = 1
    for place, letter in enumerate(rest):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return before, rest[:place], rest[place + 1 :]
    return before, rest, ""


def _comparison(falling: list[bool]) -> str:
    tests: list[str] = []
    for number, down in enumerate(falling):
        below, above = ("1", "-1") if down else ("-1", "1")
        tests += [
            f"WHEN a.{field} < b.{field} THEN {below} WHEN a.{field} > b.{field} THEN {above}"
            for field in (f"n{number}", f"k{number}")
        ]
    return f"CASE {' '.join(tests)} ELSE 0 END"
