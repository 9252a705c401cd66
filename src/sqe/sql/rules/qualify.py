"""QUALIFY: what a window function says decides which rows stay. Spark has no such clause.

The condition becomes a column of an inner query, beside what ORDER BY needs; the outer one keeps the rows for which it
is true, and only then come DISTINCT, ORDER BY and LIMIT.
"""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.context import Context
from sqe.sql.rules.identifiers import folded

_KEPT = "_sqe_kept"
_ORDER = "_sqe_order"
#: What belongs to the rows that are left.
_AFTER = ("distinct", "order", "limit", "offset")


def translate_grouping_sets(tree: exp.Expr, context: Context) -> exp.Expr:
    """`GROUP BY ROLLUP (g) HAVING grouping(g) = 1`: Spark knows `grouping` and `g` there only if they are selected."""
    del context
    for select in tree.find_all(exp.Select):
        group, having, order = (select.args.get(key) for key in ("group", "having", "order"))
        if group is None or group.find(exp.Rollup, exp.Cube, exp.GroupingSets) is None:
            continue
        if select.args.get("qualify") or select.args.get("distinct") or select.find(exp.Window):
            continue
        grouped = {folded(column.this) for column in group.find_all(exp.Column) if not column.is_star}
        asked = having is not None and having.find(exp.Grouping) is not None
        if asked or (order is not None and _needs_more(order, select, grouped)):
            select.set("having", None)
            select.set("qualify", exp.Qualify(this=having.this if having is not None else exp.Boolean(this=True)))
            select.args["qualify"].meta["grouped"] = grouped
    return tree


def _needs_more(order: exp.Order, select: exp.Select, grouped: set[str]) -> bool:
    """Whether an order names what is grouped by and not selected."""
    selected = {item.output_name.lower() for item in select.expressions}
    names = {folded(column.this) for column in order.find_all(exp.Column) if isinstance(column.this, exp.Identifier)}
    return order.find(exp.Grouping) is not None or bool((names & grouped) - selected)


def translate_qualify(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite every SELECT with QUALIFY, inner ones first."""
    del context
    for select in reversed(list(tree.find_all(exp.Select))):
        if select.args.get("qualify") is not None:
            made = _nested(select)
            if select is tree:
                tree = made
            else:
                select.replace(made)
    return tree


def _nested(select: exp.Select) -> exp.Select:
    aliases = {folded(item.args["alias"]): item.this for item in select.expressions if isinstance(item, exp.Alias)}
    qualify = select.args["qualify"]
    # In HAVING, a name that is grouped by means that; elsewhere the SELECT list comes first.
    grouped = qualify.meta.get("grouped", ())
    condition = _meant(qualify.this, {name: value for name, value in aliases.items() if name not in grouped})
    hidden = [_KEPT]
    added = [_named(condition, _KEPT)]
    after = {key: select.args.get(key) for key in _AFTER}
    if after["order"] is not None and after["distinct"] is None:
        for number, item in enumerate(after["order"].expressions):
            if not _is_ordinal(item.this):
                name = f"{_ORDER}{number}"
                hidden.append(name)
                added.append(_named(_meant(item.this, aliases), name))
                item.set("this", exp.column(exp.to_identifier(name, quoted=True)))
    for key in (*_AFTER, "qualify"):
        select.set(key, None)
    select.set("expressions", [*select.expressions, *added])
    source = exp.Subquery(this=select.copy(), alias=exp.TableAlias(this=exp.to_identifier("_sqe_rows", quoted=True)))
    star = exp.Star(except_=[exp.to_identifier(name, quoted=True) for name in hidden])
    outer = exp.Select(expressions=[star]).from_(source)
    outer.set("where", exp.Where(this=exp.column(exp.to_identifier(_KEPT, quoted=True))))
    for key, value in after.items():
        outer.set(key, value)
    return outer


def _named(value: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(exp.paren(value), exp.to_identifier(name, quoted=True))


def _meant(value: exp.Expr, aliases: dict[str, exp.Expr]) -> exp.Expr:
    """With the names of the SELECT list written out: it is not there yet where this is computed."""

    def written_out(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table and isinstance(node.this, exp.Identifier):
            found = aliases.get(folded(node.this))
            return exp.paren(found.copy()) if found is not None else node
        return node

    return value.copy().transform(written_out)


def _is_ordinal(value: exp.Expr) -> bool:
    return (isinstance(value, exp.Literal) and not value.is_string) or isinstance(value, exp.Var)
