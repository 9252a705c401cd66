"""Parameters of prepared statements: a `?` stands for a value, and the value is put into the tree, never into the text.

The tokens of a statement are numbered first, because a tree does not remember in which order its parts were written;
after parsing, each numbered place gets its value.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import SqlSemanticError, SqlSyntaxError
from sqe.sql.parse import parse
from sqe.sql.tokens import PARAMETER_MARK, position_of, respelled, tokenize
from sqe.sql.trees import place_of
from sqe.sql.trees import position_of as node_position

#: What the parser notes about places.
_PLACE = ("line", "col", "start", "end")


def numbered(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a name of its own for each `?`."""
    result: list[Token] = []
    count = 0
    for token in tokens:
        if token.token_type is TokenType.PLACEHOLDER:
            result.append(respelled(token, TokenType.IDENTIFIER, f"{PARAMETER_MARK}{count}"))
            count += 1
        else:
            result.append(token)
    return result


def count_of(sql: str) -> int:
    """How many parameters a statement has."""
    return sum(token.token_type is TokenType.PLACEHOLDER for token in tokenize(sql))


def bound(tree: exp.Expr, parameters: Sequence[exp.Expr], sql: str) -> exp.Expr:
    """The tree of a numbered statement with values in their places. Raises when there are too few of them."""
    if PARAMETER_MARK not in _names(tree):
        return tree
    for column in list(tree.find_all(exp.Column)):
        name = column.this
        if isinstance(name, exp.Identifier) and name.name.startswith(PARAMETER_MARK) and not column.args.get("table"):
            column.replace(_value(name, parameters, sql))
    for fetch in tree.find_all(exp.Fetch):
        name = fetch.args.get("count")
        if isinstance(name, exp.Identifier) and name.name.startswith(PARAMETER_MARK):
            name.replace(_value(name, parameters, sql))
    for left in tree.find_all(exp.Identifier):
        if left.name.startswith(PARAMETER_MARK):
            raise SqlSyntaxError("a parameter stands for a value", position=node_position(left, sql))
    return tree


def check_count(expected: int, found: int) -> None:
    """Raise when a statement gets fewer or more values than it has parameters."""
    if expected != found:
        raise SqlSemanticError(f"incorrect number of parameters: expected {expected} but found {found}")


def constants(tokens: Sequence[Token], sql: str) -> list[exp.Expr]:
    """The values of a USING list. Raises for what is not known without a table."""
    return [_constant(part, sql) for part in _parts(tokens)]


def _names(tree: exp.Expr) -> set[str]:
    """The first signs of all names."""
    return {node.name[:1] for node in tree.find_all(exp.Identifier)}


def _value(place: exp.Identifier, parameters: Sequence[exp.Expr], sql: str) -> exp.Expr:
    number = int(place.name[len(PARAMETER_MARK) :])
    if number >= len(parameters):
        error = SqlSemanticError(
            f"incorrect number of parameters: expected {count_of(sql)} but found {len(parameters)}",
            hint="EXECUTE … USING gives values to the parameters of a prepared statement",
            position=node_position(place, sql),
        )
        raise error
    value = parameters[number].copy()
    for node in value.walk():
        # They tell of places in another text.
        for key in _PLACE:
            node.meta.pop(key, None)
    made = value if isinstance(value, exp.Literal | exp.Null | exp.Boolean) else exp.Paren(this=value)
    made.meta.update(place_of(place))
    return made


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPEN) - (kind in _CLOSE)
        if kind is TokenType.COMMA and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})


def _constant(tokens: list[Token], sql: str) -> exp.Expr:
    if not tokens:
        raise SqlSyntaxError("a value is missing after USING")
    tree = parse([respelled(tokens[0], TokenType.SELECT, "SELECT"), *tokens], sql)
    items = tree.expressions if isinstance(tree, exp.Select) else []
    if len(items) != 1 or isinstance(items[0], exp.Alias | exp.Star) or tree.args.get("from_"):
        raise SqlSyntaxError("a value is expected", position=position_of(tokens[0]))
    value: exp.Expr = items[0]
    for part in value.walk():
        named = isinstance(part, exp.Column) and part.find_ancestor(exp.Lambda) is None
        if named or isinstance(part, exp.Query | exp.Star):
            what = "column references" if named else "subqueries"
            raise SqlSemanticError(
                f"a constant expression cannot contain {what}",
                position=node_position(part, sql) or position_of(tokens[0]),
            )
    return value
