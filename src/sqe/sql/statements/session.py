"""USE, SET and RESET: the statements that change a session, and the settings that a person may change."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.core.session_settings import ENGINE_SETTINGS, ICEBERG_SETTINGS
from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.writing import literal, schema_text
from sqe.sql.tokens import position_of
from sqe.sql.virtual import Answer

SHOW_SESSION = Answer("show.session")


@dataclass(frozen=True)
class SessionProperty:
    """A setting of a session under a name of Trino's."""

    key: str
    type: str
    description: str


#: What `SET SESSION` takes.
SESSION_PROPERTIES = {
    "time_zone_id": SessionProperty("spark.sql.session.timeZone", "varchar", "Time zone of the session"),
    "join_max_broadcast_table_size": SessionProperty(
        "spark.sql.autoBroadcastJoinThreshold", "varchar", "Largest table that a join sends to all tasks"
    ),
    "task_concurrency": SessionProperty(
        "spark.sql.shuffle.partitions", "integer", "Number of partitions after a join, a grouping or a sort"
    ),
    "iceberg.compression_codec": SessionProperty(
        f"{ICEBERG_SETTINGS}compression-codec", "varchar", "Compression of the files that are written"
    ),
    "iceberg.compression_level": SessionProperty(
        f"{ICEBERG_SETTINGS}compression-level", "varchar", "Level of that compression"
    ),
    "iceberg.distribution_mode": SessionProperty(
        f"{ICEBERG_SETTINGS}distribution-mode", "varchar", "How rows are spread over writers: none, hash or range"
    ),
}
_REFUSED = {"AUTHORIZATION": "SET SESSION AUTHORIZATION", "ROLE": "SET ROLE", "PATH": "SET PATH"}
_UNITS = ("HOUR TO MINUTE", "HOUR", "MINUTE", "SECOND")


def use(cursor: Cursor, context: Context) -> list[str]:
    """`USE [catalog.]schema`."""
    for word in ("SCHEMA", "DATABASE", "NAMESPACE"):
        if cursor.left > 1 and not cursor.sees(word, "."):
            cursor.word(word)
    path = cursor.path()
    cursor.end()
    return [f"USE {schema_text(path, context)}"]


def set_value(cursor: Cursor) -> list[str] | Answer:
    """`SET TIME ZONE …`, `SET SESSION name = value`, `SET name = value`; `SET name` shows one, `SET` all."""
    if cursor.ended:
        return SHOW_SESSION
    if cursor.word("TIME", "ZONE"):
        return [f"SET TIME ZONE {_zone(cursor)}"]
    in_session = cursor.word("SESSION")
    for word, statement in _REFUSED.items():
        if cursor.word(word):
            raise NotSupportedError(f"{statement} is not supported")
    key = _key(cursor, in_session=in_session)
    if cursor.ended and not in_session:
        return [f"SET `{key}`"]
    cursor.need(TokenType.EQ, "=")
    value = _value(cursor)
    cursor.end()
    return [f"SET `{key}` = `{value.replace('`', '``')}`"]


def reset(cursor: Cursor, *, in_session: bool) -> list[str]:
    """`RESET SESSION name`, `RESET name`; `RESET` alone is for all that can be set."""
    if cursor.word("AUTHORIZATION"):
        raise NotSupportedError("RESET SESSION AUTHORIZATION is not supported")
    if cursor.ended and not in_session:
        return [f"RESET `{key}`" for key in sorted(ENGINE_SETTINGS)]
    key = _key(cursor, in_session=in_session)
    cursor.end()
    return [f"RESET `{key}`"]


def _zone(cursor: Cursor) -> str:
    """LOCAL, a name or an offset in quotes, or an interval."""
    if cursor.word("LOCAL"):
        zone = "LOCAL"
    elif cursor.word("INTERVAL"):
        sign = "-" if cursor.take(TokenType.DASH) else ""
        zone = f"INTERVAL {literal(sign + cursor.text())} {cursor.one_of(*_UNITS)}"
    else:
        zone = literal(cursor.text())
    cursor.end()
    return zone


def _key(cursor: Cursor, *, in_session: bool) -> str:
    """Spark's name of the setting that comes next."""
    tokens = _until_sign(cursor)
    if not tokens:
        raise cursor.error("the name of a setting is expected")
    quoted = len(tokens) == 1 and tokens[0].token_type is TokenType.IDENTIFIER
    name = tokens[0].text if quoted else cursor.written(tokens)
    known = SESSION_PROPERTIES.get(name.lower())
    if known is not None:
        return known.key
    if name in ENGINE_SETTINGS:
        return name
    choices = [*SESSION_PROPERTIES, *([] if in_session else ENGINE_SETTINGS)]
    near = difflib.get_close_matches(name, choices, n=1)
    raise SqlSemanticError(
        f"there is no setting {name} that a session may change",
        hint=f"did you mean {near[0]}?" if near else "SHOW SESSION lists those that there are",
        position=position_of(tokens[0]),
        condition="INVALID_SESSION_PROPERTY",
    )


def _until_sign(cursor: Cursor) -> list[Token]:
    """The tokens of a name: Spark's have dashes and dots in them."""
    taken: list[Token] = []
    while not cursor.ended and not cursor.next_is(TokenType.EQ):
        taken += cursor.any()
    return taken


def _value(cursor: Cursor) -> str:
    """A text in quotes, a number, or a word."""
    tokens: list[Token] = []
    while not cursor.ended:
        tokens += cursor.any()
    if len(tokens) == 1 and tokens[0].token_type in {TokenType.STRING, TokenType.IDENTIFIER}:
        return tokens[0].text
    value = cursor.written(tokens)
    if not value or any(character in value for character in " '\"`;()"):
        raise cursor.error("a value is expected: a text in quotes, a number or a word")
    return value
