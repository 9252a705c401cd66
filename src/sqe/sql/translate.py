"""From the text of a user to the text that Spark gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot.tokenizer_core import Token

from sqe.core.errors import SqeError
from sqe.sql.anchors import SourceMap
from sqe.sql.context import Context
from sqe.sql.dialect import WRITE
from sqe.sql.parse import deeply, parse
from sqe.sql.rules import RULES
from sqe.sql.select_items import select_items
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.route import SPARKS_OWN, as_query
from sqe.sql.tokens import tokenize
from sqe.sql.virtual import VirtualTable


@dataclass(frozen=True)
class Translation:
    """A statement for Spark, and the way back to what was written."""

    text: str
    places: SourceMap | None = None
    virtual: Sequence[VirtualTable] = ()
    asked_for: tuple[str, str, str | None] | None = None

    def blame(self, error: SqeError) -> SqeError:
        """The error, pointing into the user's text."""
        if error.position is not None and self.places is not None:
            error.position = self.places.user_position(error.position)
        return error


def translate(context: Context) -> Translation:
    """Translate one statement. Raises errors of the user's with their place."""
    return deeply(lambda: _translate(context))


def _translate(context: Context) -> Translation:
    tokens = tokenize(context.sql)
    query = as_query(Cursor(tokens, context.sql), context)
    if query is SPARKS_OWN:
        return Translation(context.sql)
    if query is not None:
        made = _of_query(tokenize(query), replace(context, sql=query))
        return Translation(made.text, None, made.virtual, context.asked_for)
    return _of_query(tokens, context)


def _of_query(tokens: list[Token], context: Context) -> Translation:
    context.items = select_items(tokens)
    tree = parse(tokens, context.sql)
    for rule in RULES:
        tree = rule(tree, context)
    generated = WRITE.generate(tree, copy=False, normalize_functions=False, comments=False)
    text, places = context.anchors.taken_out(generated)
    return Translation(text, SourceMap(context.sql, text, places), context.virtual)
