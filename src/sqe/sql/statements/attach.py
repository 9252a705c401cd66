"""ATTACH, DETACH, CREATE SECRET, DROP SECRET."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import SqlSemanticError, SqlSyntaxError
from sqe.sql.commands import Attach, CreateSecret, Detach, DropSecret
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.names import check_new
from sqe.sql.tokens import position_of


def attach(cursor: Cursor) -> Attach:
    """`ATTACH 'location' AS name (TYPE kind, KEY [=] 'value', …, SECRET name)`."""
    cursor.word("DATABASE")
    exists = cursor.word("IF", "NOT", "EXISTS")
    location = cursor.text()
    cursor.expect("AS")
    name = _new_name(cursor)
    options = _options(cursor)
    kind = options.pop("type", "")
    if not kind:
        raise SqlSyntaxError("ATTACH needs a TYPE", hint="as in ATTACH '/data' AS x (TYPE sqlite)")
    return Attach(name, kind.lower(), location, options, options.pop("secret", None), if_not_exists=exists)


def _new_name(cursor: Cursor) -> str:
    """The name of a new catalog; it stands before dots."""
    (name,) = check_new([cursor.name()])
    if "." in name.text:
        raise SqlSemanticError(
            f"{name.text!r} cannot be the name of a catalog", hint="it holds no dot", position=position_of(name.token)
        )
    return name.text


def detach(cursor: Cursor) -> Detach:
    """`DETACH name`."""
    cursor.word("DATABASE")
    exists = cursor.word("IF", "EXISTS")
    name = cursor.name().text
    cursor.end()
    return Detach(name, if_exists=exists)


def create_secret(cursor: Cursor, *, replace: bool) -> CreateSecret:
    """`CREATE SECRET name (TYPE kind, KEY 'value', …)`."""
    exists = cursor.word("IF", "NOT", "EXISTS")
    name = cursor.name().text
    options = _options(cursor)
    kind = options.pop("type", "")
    if not kind:
        raise SqlSyntaxError("CREATE SECRET needs a TYPE", hint="bearer, basic or aws")
    return CreateSecret(name, kind.lower(), options, replace=replace, if_not_exists=exists)


def drop_secret(cursor: Cursor) -> DropSecret:
    """`DROP SECRET name`."""
    exists = cursor.word("IF", "EXISTS")
    name = cursor.name().text
    cursor.end()
    return DropSecret(name, if_exists=exists)


def _options(cursor: Cursor) -> dict[str, str]:
    """The keys in small letters; a value is a text, a number or a word."""
    cursor.need(TokenType.L_PAREN, "(")
    found: dict[str, str] = {}
    while True:
        key = cursor.name().text.lower()
        cursor.take(TokenType.EQ)
        tokens = cursor.until()
        if len(tokens) != 1:
            raise cursor.error(f"one value is expected for {key.upper()}")
        if key in found:
            raise cursor.error(f"{key.upper()} is given twice")
        found[key] = tokens[0].text
        if not cursor.take(TokenType.COMMA):
            break
    cursor.need(TokenType.R_PAREN, ")")
    cursor.end()
    return found
