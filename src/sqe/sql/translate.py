"""From the text of a user to the text that Spark gets."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.errors import ErrorLevel, UnsupportedError
from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotSupportedError, Position, SqeError, SqlSyntaxError
from sqe.sql.anchors import SourceMap
from sqe.sql.classify import statement_kind
from sqe.sql.commands import Attach, Command, CreateSecret, DescribeOutput
from sqe.sql.comments import without_comments
from sqe.sql.context import Context
from sqe.sql.dialect import WRITE
from sqe.sql.parameters import bound, numbered
from sqe.sql.parse import deeply, parse
from sqe.sql.places import place_of_name
from sqe.sql.rules import RULES
from sqe.sql.rules.metadata_tables import blame_metadata
from sqe.sql.rules.pivots import translate_pivots
from sqe.sql.select_items import aliases_of, select_items
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.outcome import Execution
from sqe.sql.statements.route import route
from sqe.sql.tokens import position_of, tokenize
from sqe.sql.view_columns import bind_by_name
from sqe.sql.virtual import Answer, VirtualTable

#: What the parser may answer; it takes a text that it does not know as a command of some engine's.
_BEGINNINGS = (
    "SELECT", "WITH", "VALUES", "TABLE", "FROM", "INSERT", "UPDATE", "DELETE", "MERGE", "PIVOT", "UNPIVOT",
)  # fmt: skip
_SHORTEST_SECRET = 4
_KNOWN = (exp.Query, exp.Values, exp.Insert, exp.Update, exp.Delete, exp.Merge)


@dataclass(frozen=True)
class Translation:
    """A statement for Spark, and the way back to what was written."""

    text: str
    #: None for a text that we made: a place in it means nothing to anybody.
    places: SourceMap | None = None
    #: What the person wrote.
    source: str = ""
    #: Statements that follow the first one and belong to it.
    after: tuple[str, ...] = ()
    virtual: Sequence[VirtualTable] = ()
    asked_for: tuple[str, str, str | None] | None = None
    #: Names that must be those of catalogs, and where they stand.
    catalogs: tuple[tuple[str, Position | None], ...] = ()
    #: What is done beside, or instead of, running the text.
    command: Command | None = None
    #: Keys that came with the statement, by the names that stand for them in its text.
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: Groups of jars that it needs.
    groups: frozenset[str] = frozenset()
    #: The statement that this one runs by its name or as a text.
    executed: str | None = None
    #: Where the session's changes of data go after this statement.
    write_branch: str | None = None

    @property
    def hidden(self) -> tuple[str, ...]:
        """What came with the statement and must not come out again."""
        found = self.command.hidden if isinstance(self.command, CreateSecret | Attach) else []
        # What is shorter would be found, and taken out, wherever its letters stand together.
        return tuple(value for value in found if len(value) >= _SHORTEST_SECRET)

    def blame(self, error: SqeError) -> SqeError:
        """The error, pointing into the user's text."""
        if error.position is not None:
            error.position = self.places.user_position(error.position) if self.places else None
        blame_metadata(error, self.source)
        if error.about:
            # What the engine blames may be the whole statement around it.
            error.position = place_of_name(self.source, error.about, error.position) or error.position
        return error


def translate(context: Context) -> Translation:
    """Translate one statement. Raises errors of the user's with their place."""
    return deeply(lambda: _translate(context))


def _translate(context: Context) -> Translation:
    context.sql = without_comments(context.sql)
    tokens = numbered(tokenize(context.sql))
    if all(token.token_type is TokenType.SEMICOLON for token in tokens):
        raise SqlSyntaxError("there is no statement")
    found = route(Cursor(tokens, context), context, lambda part: _query_text(part, context))
    if found is None:
        return _finished((_query_text(tokens, context),), context)
    if found.execution is not None:
        return _executed(found.execution, found.command, context)
    if found.answer is not None:
        return replace(_finished((_answer(found.answer, context),), context), asked_for=context.asked_for)
    if found.query is None:
        named = tuple((name.text, position_of(name.token)) for name in context.catalogs)
        return replace(_finished(found.spark or ("",), context), command=found.command, catalogs=named)
    inner = replace(context, sql=found.query)
    made = _finished((_query_text(tokenize(found.query), inner),), inner)
    return replace(made, places=None, source=context.sql, asked_for=context.asked_for, command=found.command)


def _executed(execution: Execution, command: Command | None, context: Context) -> Translation:
    """The translation of another statement; its errors point at what stands for it."""
    inner = replace(context, sql=execution.sql, parameters=execution.parameters)
    place = position_of(execution.place)
    try:
        made = _translate(inner)
    except SqeError as error:
        error.position = place
        raise
    if made.secrets and execution.parameters:
        raise NotSupportedError(
            "a statement that brings keys takes no parameters", hint="CREATE SECRET keeps them", position=place
        )
    if isinstance(command, DescribeOutput):
        if made.command is not None:
            raise NotSupportedError("DESCRIBE OUTPUT is for queries and changes of data", position=place)
        command = DescribeOutput(statement_kind(execution.sql), inner.aliases)
    where = SourceMap(context.sql, made.text, [(0, execution.place.start, execution.place.end)])
    return replace(
        made,
        places=where,
        command=command or made.command,
        catalogs=tuple((name, place) for name, _ in made.catalogs),
        executed=execution.sql,
    )


def _answer(answer: Answer, context: Context) -> str:
    token = f"{context.query_id}/{len(context.virtual)}"
    context.virtual.append(VirtualTable(token, answer.name, answer.catalog, answer.asked))
    condition = f" WHERE {answer.condition}" if answer.condition else ""
    return f"SELECT * FROM sqe_local('{token}'){condition}"  # noqa: S608 - made here


def _query_text(tokens: Sequence[Token], context: Context) -> str:
    """A query or a change of data in Spark's words, with marks."""
    _refuse_unknown(tokens)
    context.items = select_items(tokens)
    tree = bound(parse(tokens, context.sql), context.parameters, context.sql)
    context.aliases = aliases_of(tree)
    if not isinstance(tree, _KNOWN):
        raise NotSupportedError(f"{tokens[0].text.upper()} is not a statement here", position=position_of(tokens[0]))
    return _spark_text(translate_pivots(tree, context, lambda query, most: _asked(query, most, context)), context)


def _spark_text(tree: exp.Expr, context: Context) -> str:
    """A tree in Spark's words, with marks."""
    for rule in RULES:
        tree = rule(tree, context)
    if context.for_view is not None:
        tree = bind_by_name(tree, context, lambda query: _output(query, context))
    return _written(tree)


def _written(tree: exp.Expr) -> str:
    """The text of a translated tree. What the generator would leave out is refused."""
    # The generator moves each WITH of a tree without a parent to the top, where two may have one name.
    exp.Paren(this=tree)
    try:
        return WRITE.generate(
            tree, copy=False, normalize_functions=False, comments=False, unsupported_level=ErrorLevel.RAISE
        )
    except UnsupportedError as error:
        raise NotSupportedError(f"there is no translation for a part of the statement: {error}") from error


def _output(query: exp.Expr, context: Context) -> Sequence[str]:
    """The names of the columns of a translated query."""
    if context.lookup is None:
        raise NotSupportedError("the columns of a view cannot be found here", hint="write them instead of the star")
    text, places = context.anchors.taken_out(_written(query))
    try:
        return context.lookup.output(text, frozenset(context.groups))
    except SqeError as error:
        if error.position is not None:
            error.position = SourceMap(context.sql, text, places).user_position(error.position)
        raise


def _asked(query: exp.Select, most: int, context: Context) -> Sequence[str]:
    """What the engine answers to a query of the dialect with one column of texts."""
    inner = replace(context, virtual=[], secrets={}, for_view=None)
    text, places = inner.anchors.taken_out(_spark_text(query, inner))
    if context.lookup is None or inner.virtual or inner.secrets:
        raise NotSupportedError("PIVOT cannot ask for the values here", hint="name them: ON column IN ('a', 'b')")
    context.of_this_moment = True
    try:
        return context.lookup.texts(text, most)
    except SqeError as error:
        if error.position is not None:
            error.position = SourceMap(context.sql, text, places).user_position(error.position)
        raise


def _refuse_unknown(tokens: Sequence[Token]) -> None:
    """A statement that begins with another word is none, whatever the parser would make of it."""
    first = tokens[0] if tokens else None
    word = first.text.upper() if first else ""
    if first is None or first.token_type is TokenType.L_PAREN or word in _BEGINNINGS:
        return
    near = difflib.get_close_matches(word, _BEGINNINGS, n=1)
    raise SqlSyntaxError(
        f"syntax error near {first.text!r}: no statement begins with it",
        hint=f"did you mean {near[0]}?" if near else None,
        position=position_of(first),
    )


def _finished(texts: Sequence[str], context: Context) -> Translation:
    text, places = context.anchors.taken_out(texts[0])
    after = tuple(context.anchors.taken_out(other)[0] for other in texts[1:])
    places_back = SourceMap(context.sql, text, places)
    return Translation(
        text,
        places_back,
        context.sql,
        after,
        context.virtual,
        secrets=context.secrets,
        groups=frozenset(context.groups),
        write_branch=context.write_branch,
    )
