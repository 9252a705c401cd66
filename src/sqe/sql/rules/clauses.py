"""Clauses of other engines that the parser knows: what nobody here translates is refused, never dropped."""

from __future__ import annotations

from sqlglot import exp

from sqe.core.errors import NotSupportedError, Position, SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.trees import position_of

_OF_QUERIES = {
    "into": "SELECT … INTO",
    "kind": "SELECT AS STRUCT or VALUE",
    "operation_modifiers": "a modifier after SELECT",
    "connect": "CONNECT BY",
    "match": "MATCH_RECOGNIZE",
    "prewhere": "PREWHERE",
    "locks": "a lock such as FOR UPDATE",
    "settings": "SETTINGS",
    "format": "FORMAT",
    "options": "OPTION",
    "for_": "FOR XML or FOR JSON",
}
#: What has its own LIMIT.
_LIMITED = (exp.Query, exp.Values, exp.Update, exp.Delete)
_RETURNING = {"returning": "RETURNING"}
_ENDS_OF_CHANGES = {"order": "ORDER BY at the end of a change", "limit": "LIMIT at the end of a change"}
#: By kind of node: arguments that the parser fills and nobody translates, and what a person calls them.
_REFUSED: dict[type[exp.Expr], dict[str, str]] = {
    # A sample of a subquery is TABLESAMPLE after it.
    exp.Select: {**_OF_QUERIES, "sample": "USING SAMPLE"},
    exp.SetOperation: {
        **_OF_QUERIES,
        "sample": "USING SAMPLE",
        "side": "a side of a set operation",
        "kind": "CORRESPONDING",
    },
    exp.Subquery: _OF_QUERIES,
    exp.Join: {
        "global_": "GLOBAL JOIN",
        "hint": "a hint beside JOIN",
        "match_condition": "MATCH_CONDITION",
        "directed": "DIRECTED",
    },
    exp.Table: {
        "hints": "WITH (…) after a table",
        "only": "ONLY",
        "partition": "PARTITION after a table",
        "pattern": "PATTERN",
        "rows_from": "ROWS FROM",
        "indexed": "INDEXED BY",
        "when": "AT or BEFORE after a table",
    },
    exp.Limit: {"expressions": "LIMIT … BY", "limit_options": "LIMIT … PERCENT"},
    exp.LimitOptions: {"percent": "FETCH FIRST … PERCENT"},
    exp.Ordered: {"with_fill": "WITH FILL"},
    exp.Order: {"siblings": "ORDER SIBLINGS BY"},
    exp.Group: {"totals": "WITH TOTALS"},
    exp.With: {"search": "SEARCH", "cycle": "CYCLE", "udfs": "a function in WITH"},
    exp.CTE: {"key_expressions": "USING KEY"},
    exp.Star: {"ilike": "* ILIKE"},
    exp.TableSample: {
        "expressions": "this kind of sample",
        "bucket_numerator": "BUCKET",
        "bucket_field": "BUCKET",
        "seed": "REPEATABLE",
    },
    exp.Insert: {
        **_RETURNING,
        "conflict": "ON CONFLICT",
        "alternative": "INSERT OR …",
        "ignore": "INSERT IGNORE",
        "exists": "IF EXISTS after INSERT",
        "where": "REPLACE WHERE",
        "default": "DEFAULT VALUES",
        "settings": "SETTINGS",
    },
    exp.Update: {**_RETURNING, **_ENDS_OF_CHANGES, "options": "OPTION"},
    exp.Delete: {**_RETURNING, **_ENDS_OF_CHANGES, "tables": "several tables after DELETE"},
    exp.Merge: {**_RETURNING, "using_cond": "USING (…) in MERGE"},
    exp.In: {"field": "IN without brackets", "is_global": "GLOBAL IN"},
}
_found: dict[type[exp.Expr], dict[str, str]] = {}


def refuse_clauses(tree: exp.Expr, context: Context) -> exp.Expr:
    """Raise for the first clause that has no translation."""
    for node in tree.walk():
        _check(node, context)
        if isinstance(node, exp.HavingMax) or (isinstance(node, exp.Limit) and not isinstance(node.parent, _LIMITED)):
            raise NotSupportedError("LIMIT and HAVING in a call are not supported", position=_place(node, context))
        if isinstance(node, exp.Join):
            _joined(node, context)
    return tree


def _refused(kind: type[exp.Expr]) -> dict[str, str]:
    """What a kind of node may not have, found once; most may have all."""
    found = _found.get(kind)
    if found is None:
        found = {}
        for known, entries in _REFUSED.items():
            if issubclass(kind, known):
                found |= entries
        _found[kind] = found
    return found


def _check(node: exp.Expr, context: Context) -> None:
    for key, words in _refused(type(node)).items():
        if node.args.get(key):
            raise NotSupportedError(f"{words} is not supported", position=_place(node, context))


def _place(node: exp.Expr, context: Context) -> Position | None:
    return position_of(node, context.sql) or (position_of(node.parent, context.sql) if node.parent else None)


def _joined(join: exp.Join, context: Context) -> None:
    """A JOIN says how, unless it is one of those that need no word about it."""
    method, kind = str(join.args.get("method") or "").upper(), str(join.args.get("kind") or "").upper()
    said = bool(join.args.get("on") or join.args.get("using"))
    free = kind in {"CROSS", "STRAIGHT_JOIN"} or method == "NATURAL"
    if free and said:
        raise SqlSyntaxError("CROSS JOIN and NATURAL JOIN take no ON or USING", position=position_of(join, context.sql))
    if (kind or join.args.get("side")) and not free and not said:
        raise SqlSyntaxError(
            "a JOIN needs ON or USING",
            hint="CROSS JOIN gives all pairs of rows",
            position=position_of(join, context.sql),
        )
    if kind == "INNER":
        # The tokens say INNER where nobody wrote it; see `_inner_joins` in tokens.py.
        join.set("kind", None)
