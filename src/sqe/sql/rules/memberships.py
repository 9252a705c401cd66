"""`x IN (SELECT …)` that is not just a condition: whether it is unknown must be told from false.

Spark answers such an IN by a join, which knows found and not found only. Under WHERE, ON and HAVING both unknown and
false mean the same, as long as nothing but AND, OR and NOT stands between. Everywhere else NULL is worked out.
"""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.context import Context

_CONNECTIVES = (exp.Paren, exp.And, exp.Or, exp.Not)
_CONDITIONS = (exp.Where, exp.Having, exp.Qualify, exp.Filter)


def translate_memberships(tree: exp.Expr, context: Context) -> exp.Expr:
    """Rewrite those of one value, inner ones first."""
    del context
    for member in reversed(list(tree.find_all(exp.In))):
        query = member.args.get("query") or _values(member)
        if query is not None and not isinstance(member.this, exp.Tuple) and not _is_condition(member):
            member.replace(_with_unknown(member, query))
    return tree


def _values(member: exp.In) -> exp.Expr | None:
    """`IN (VALUES 1, 2)` becomes `IN (SELECT * FROM VALUES 1, 2)`; to the parser it is a list of one."""
    only = member.expressions[0] if len(member.expressions) == 1 else None
    if not isinstance(only, exp.Values):
        return None
    query = exp.Subquery(this=exp.Select(expressions=[exp.Star()]).from_(only.copy()))
    member.set("query", query)
    member.set("expressions", None)
    return query


def _is_condition(member: exp.Expr) -> bool:
    node = member
    while isinstance(node.parent, _CONNECTIVES):
        node = node.parent
    parent = node.parent
    if isinstance(parent, exp.Join):
        return parent.args.get("on") is node
    if isinstance(parent, exp.If):
        # WHEN … THEN; with a value after CASE it is compared, not just asked.
        case = parent.parent
        return parent.this is node and isinstance(case, exp.Case) and case.this is None
    return isinstance(parent, _CONDITIONS) or (isinstance(parent, exp.Merge | exp.When) and parent.this is not node)


def _with_unknown(member: exp.In, query: exp.Expr) -> exp.Expr:
    """True if it is found; false if there is nothing to find it in; unknown if it or a value there is NULL."""
    nothing = exp.Not(this=_exists(query, None))
    missing = exp.Is(this=exp.column(_name("v"), table=_name("_sqe_set")), expression=exp.Null())
    unknown = exp.Or(
        this=exp.Is(this=exp.paren(member.this.copy()), expression=exp.Null()), expression=_exists(query, missing)
    )
    cases = [
        exp.If(this=member.copy(), true=exp.Boolean(this=True)),
        exp.If(this=nothing, true=exp.Boolean(this=False)),
        exp.If(this=unknown, true=exp.Null()),
    ]
    return exp.Case(ifs=cases, default=exp.Boolean(this=False))


def _exists(query: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    inner = query.this if isinstance(query, exp.Subquery) else query
    alias = exp.TableAlias(this=_name("_sqe_set"), columns=[_name("v")])
    select = exp.Select(expressions=[exp.alias_(exp.Literal.number(1), _name("found"))])
    select = select.from_(exp.Subquery(this=inner.copy(), alias=alias))
    if condition is not None:
        select.set("where", exp.Where(this=condition))
    return exp.Exists(this=select)


def _name(text: str) -> exp.Identifier:
    return exp.to_identifier(text, quoted=True)
