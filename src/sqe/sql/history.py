"""Tables as they were, and what changed: `t@branch`, `t FOR INCREMENTAL BETWEEN SNAPSHOT a AND SNAPSHOT b`.

The parser knows neither. On the tokens, the first becomes a version (or, for a write, the branch as part of the name)
and the second a version with a mark; on the tree, that one becomes Iceberg's table of changes.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import Position, SqlSyntaxError

CHANGES_MARK = "\uf8fd"
#: Columns of a table of changes that are there for those who ask by name.
_ABOUT_CHANGES = ("_change_type", "_change_ordinal", "_commit_snapshot_id")
_CLAUSE = ("FOR", "INCREMENTAL", "BETWEEN", "SNAPSHOT", None, "AND", "SNAPSHOT", None)
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_WRITES = frozenset({TokenType.INTO, TokenType.UPDATE, TokenType.TABLE, TokenType.OVERWRITE})


def branches(tokens: list[Token]) -> list[Token]:
    """`t@dev` read is `t FOR VERSION AS OF 'dev'`; written it is the table `t$branch_dev`."""
    if not any(token.token_type is TokenType.PARAMETER for token in tokens):
        return tokens
    result: list[Token] = []
    skip = False
    for number, token in enumerate(tokens):
        after = tokens[number + 1] if number + 1 < len(tokens) else None
        if skip:
            skip = False
        elif token.token_type is TokenType.PARAMETER and result and after and _is_name(result[-1], after):
            skip = True
            result += _branch(result, token, after)
        else:
            result.append(token)
    return result


def _is_name(before: Token, after: Token) -> bool:
    return before.token_type in _NAMES and after.token_type in _NAMES


def _branch(result: list[Token], sign: Token, name: Token) -> list[Token]:
    start = len(result) - 1
    while start >= 2 and result[start - 1].token_type is TokenType.DOT:
        start -= 2
    before = result[start - 1].token_type if start else None
    deleted = start >= 2 and before is TokenType.FROM and result[start - 2].token_type is TokenType.DELETE
    if before in _WRITES or deleted:
        table = result.pop()
        text = table.text if table.token_type is TokenType.IDENTIFIER else table.text.lower()
        return [_token(TokenType.IDENTIFIER, f"{text}$branch_{name.text}", table)]
    words = [(TokenType.FOR, "FOR"), (TokenType.VAR, "VERSION"), (TokenType.ALIAS, "AS"), (TokenType.VAR, "OF")]
    return [*(_token(kind, text, sign) for kind, text in words), _token(TokenType.STRING, name.text, name)]


def incremental(tokens: list[Token]) -> list[Token]:
    """The clause becomes a version that no table has."""
    if not any(token.text.upper() == "INCREMENTAL" for token in tokens):
        return tokens
    result: list[Token] = []
    at = 0
    while at < len(tokens):
        if _begins_clause(tokens, at):
            result += _version(tokens[at : at + len(_CLAUSE)])
            at += len(_CLAUSE)
        else:
            result.append(tokens[at])
            at += 1
    return result


def _begins_clause(tokens: list[Token], at: int) -> bool:
    part = tokens[at : at + len(_CLAUSE)]
    return len(part) == len(_CLAUSE) and all(
        word is None or token.text.upper() == word for word, token in zip(_CLAUSE, part, strict=True)
    )


def _version(clause: list[Token]) -> list[Token]:
    first, last = clause[4], clause[7]
    for token in (first, last):
        if token.token_type is not TokenType.NUMBER or not token.text.isdigit():
            raise SqlSyntaxError(
                "snapshots are given by their ids here",
                position=Position(token.line, max(1, token.col - len(token.text) + 1), len(token.text)),
            )
    words = [(TokenType.FOR, "FOR"), (TokenType.VAR, "VERSION"), (TokenType.ALIAS, "AS"), (TokenType.VAR, "OF")]
    mark = _token(TokenType.STRING, f"{CHANGES_MARK}{first.text}:{last.text}", first)
    return [*(_token(kind, text, clause[0]) for kind, text in words), mark]


def _token(kind: TokenType, text: str, like: Token) -> Token:
    return Token(kind, text, like.line, like.col, like.start, like.end, like.comments)


def changes_between(table: exp.Table) -> tuple[str, str] | None:
    """The two snapshots between which a table's changes are asked for."""
    version = table.args.get("version")
    literal = version.args.get("expression") if isinstance(version, exp.Version) else None
    text = str(literal.this) if isinstance(literal, exp.Literal) else ""
    if not text.startswith(CHANGES_MARK):
        return None
    first, _, last = text[1:].partition(":")
    return first, last


def read_changes(table: exp.Table, full_name: str, between: tuple[str, str]) -> None:
    """Read Iceberg's table of changes after the first snapshot (0: from the start) up to the last one."""
    first, last = between
    # Between a snapshot and itself nothing has changed, which Iceberg takes for a mistake.
    nothing = first == last
    start = f"'start-snapshot-id' = '{first}', " if first != "0" and not nothing else ""
    select = table.find_ancestor(exp.Select)
    if not table.alias:
        table.set("alias", exp.TableAlias(this=table.this.copy()))
    source = f"{full_name}.`changes` WITH ({start}'end-snapshot-id' = '{last}')"
    table.set("this", exp.Var(this=f"(SELECT * FROM {source} WHERE FALSE)" if nothing else source))  # noqa: S608 - quoted
    for part in ("version", "db", "catalog"):
        table.set(part, None)
    if select is not None:
        _hide_facts(select)


def _hide_facts(select: exp.Select) -> None:
    """The columns about changes are not part of `*`; the kind of change is written in small letters."""
    for item in select.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(star, exp.Star):
            hidden = [exp.to_identifier(name, quoted=True) for name in _ABOUT_CHANGES]
            star.set("except_", [*(star.args.get("except_") or []), *hidden])
    for column in list(select.find_all(exp.Column)):
        if column.name.lower() == _ABOUT_CHANGES[0]:
            lowered = exp.Anonymous(this="lower", expressions=[column.copy()])
            named = isinstance(column.parent, exp.Select)
            column.replace(exp.alias_(lowered, _ABOUT_CHANGES[0]) if named else lowered)
