"""The JSON functions of the SQL standard, with their clauses, become plain calls before the parser sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import Position, SqlSyntaxError
from sqe.sql.dialect import READ

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})
_QUOTED = frozenset({TokenType.STRING, TokenType.IDENTIFIER})
#: What is JSON already, when it is a member of json_object or json_array.
_MAKERS = frozenset({"JSON_OBJECT", "JSON_ARRAY", "JSON_QUERY"})
#: Words that end a list of values or a type.
_CLAUSES = frozenset({
    "RETURNING", "NULL", "ERROR", "TRUE", "FALSE", "UNKNOWN", "EMPTY", "DEFAULT", "WITH", "WITHOUT", "KEEP", "OMIT",
    "FORMAT", "ABSENT", "COLUMNS",
})  # fmt: skip


def plain_json_calls(tokens: list[Token]) -> list[Token]:
    """`JSON_VALUE(x, 'lax $.a' RETURNING integer)` and the like as calls of functions of ours."""
    result: list[Token] = []
    at = 0
    while at < len(tokens):
        made = _FORMS.get(_word(tokens, at)) if _word(tokens, at + 1) == "(" else None
        if made is None:
            result.append(tokens[at])
            at += 1
            continue
        end = _closing(tokens, at + 1)
        result += made(_Clause(tokens[at], tokens[at + 2 : end]))
        at = end + 1
    return result


def _word(tokens: Sequence[Token], at: int) -> str:
    """A token as a word in capitals; empty for texts and names in quotes, and after the end."""
    if at >= len(tokens) or tokens[at].token_type in _QUOTED:
        return ""
    return tokens[at].text.upper()


def _closing(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for at in range(start, len(tokens)):
        depth += (tokens[at].token_type in _OPEN) - (tokens[at].token_type in _CLOSE)
        if depth == 0:
            return at
    raise SqlSyntaxError("a bracket does not close", position=_place(tokens[start]))


def _place(token: Token) -> Position:
    length = token.end - token.start + 1
    return Position(token.line, max(1, token.col - length + 1), length)


@dataclass
class _Clause:
    """What stands in the brackets of one call, read from left to right."""

    head: Token
    tokens: list[Token]
    at: int = 0
    names: list[str] = field(default_factory=list)
    passed: list[list[Token]] = field(default_factory=list)

    def word(self, ahead: int = 0) -> str:
        return _word(self.tokens, self.at + ahead)

    def take(self, *words: str) -> bool:
        """Skip these words if they come next."""
        found = all(self.word(number) == word for number, word in enumerate(words))
        self.at += len(words) if found else 0
        return found

    def until(self, *words: str) -> list[Token]:
        """The tokens before the next of these words that stands in no bracket."""
        start = self.at
        while self.at < len(self.tokens) and (self.at == start or self.word() not in words):
            is_open = self.tokens[self.at].token_type in _OPEN
            self.at = _closing(self.tokens, self.at) + 1 if is_open else self.at + 1
        return self.tokens[start : self.at]

    def done(self) -> None:
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            raise SqlSyntaxError(f"syntax error near {token.text!r}", position=_place(token))

    def document_and_path(self) -> list[Token]:
        """The first two arguments; bytes are decoded."""
        document = self.until(",", "FORMAT")
        if self.take("FORMAT", "JSON") and self.take("ENCODING"):
            self.at += 1
            document = self.call("from_utf8", plain_json_calls(document))
        if not self.take(","):
            raise SqlSyntaxError(f"{self.head.text.lower()} needs a path", position=_place(self.head))
        path = self.until("PASSING", *_CLAUSES)
        self._passing()
        return [*plain_json_calls(document), *self.made(","), *path]

    def _passing(self) -> None:
        if not self.take("PASSING"):
            return
        while True:
            value = self.until("AS", "FORMAT")
            self.take("FORMAT", "JSON")
            self.take("AS")
            name = self.tokens[self.at] if self.at < len(self.tokens) else self.head
            self.at += 1
            self.passed.append(plain_json_calls(value))
            self.names.append(name.text if name.token_type is TokenType.IDENTIFIER else name.text.upper())
            if not self.take(","):
                return

    def returning(self) -> list[Token]:
        if not self.take("RETURNING"):
            return []
        kind = self.until(*_CLAUSES)
        if self.take("FORMAT", "JSON") and self.take("ENCODING"):
            self.at += 1
        return kind

    def behavior(self, last: str) -> tuple[str, list[Token]]:
        """`DEFAULT 1 ON EMPTY`: a word for it and the tokens of a default; nothing when it is for the other case."""
        start = self.at
        wish = self.until("ON")
        if self.take("ON", last):
            word = _word(wish, 0)
            return (_word(wish, 1) if word == "EMPTY" else word), plain_json_calls(wish[1:])
        self.at = start
        return "", []

    def made(self, text: str) -> list[Token]:
        """Tokens of our own, standing where the call stands."""
        head = self.head
        return [
            Token(token.token_type, token.text, head.line, head.col, head.start, head.end, [])
            for token in READ.tokenize(text)
        ]

    def text(self, value: str) -> list[Token]:
        head = self.head
        return [Token(TokenType.STRING, value, head.line, head.col, head.start, head.end, [])]

    def call(self, name: str, *arguments: list[Token]) -> list[Token]:
        inner: list[Token] = []
        for number, argument in enumerate(arguments):
            inner += [*(self.made(",") if number else []), *argument]
        return [*self.made(name), *self.made("("), *inner, *self.made(")")]

    def options(self, *words: str) -> list[Token]:
        return self.text(";".join([*words, *self.names]))


def _exists(clause: _Clause) -> list[Token]:
    source = clause.document_and_path()
    wish, _ = clause.behavior("ERROR")
    clause.done()
    return clause.call("_json_exists", source, clause.options("", wish or "FALSE", "", ""), *clause.passed)


def _query(clause: _Clause) -> list[Token]:
    source = clause.document_and_path()
    kind = clause.returning()
    wrapper = ""
    if clause.word() in {"WITH", "WITHOUT"}:
        words = {token.text.upper() for token in clause.until("WRAPPER")}
        clause.take("WRAPPER")
        wrapper = "" if "WITHOUT" in words else "CONDITIONAL" if "CONDITIONAL" in words else "UNCONDITIONAL"
    quotes = clause.word() if clause.word() in {"KEEP", "OMIT"} else ""
    if quotes:
        clause.until("QUOTES")
        clause.take("QUOTES")
        clause.take("ON", "SCALAR")
        clause.take("TEXT")
        clause.take("STRING")
    empty, _ = clause.behavior("EMPTY")
    error, _ = clause.behavior("ERROR")
    clause.done()
    options = clause.options(empty or "NULL", error or "NULL", wrapper, quotes)
    return _returned(clause, clause.call("_json_query", source, options, *clause.passed), kind)


def _returned(clause: _Clause, made: list[Token], kind: list[Token]) -> list[Token]:
    """JSON text in the type that RETURNING asks for."""
    if not kind:
        return made
    return [*clause.made("CAST("), *made, *clause.made("AS"), *kind, *clause.made(")")]


def _value(clause: _Clause) -> list[Token]:
    source = clause.document_and_path()
    kind = clause.returning() or clause.made("varchar")
    empty, at_empty = clause.behavior("EMPTY")
    error, at_error = clause.behavior("ERROR")
    clause.done()
    options = clause.options(empty or "NULL", error or "NULL", "", "")
    item = clause.call("_json_item", source, options, *clause.passed)
    cast = "CAST(" if error == "ERROR" else "TRY_CAST("
    value = [*clause.made(cast), *item, *clause.made("AS"), *kind, *clause.made(")")]
    if empty in {"", "NULL"} and error in {"", "NULL", "ERROR"}:
        return value
    nothing = clause.made("NULL")
    # An item that is there and has no value after the cast does not fit the type.
    return [
        *clause.made("(CASE"), *clause.call("_json_state", source, options, *clause.passed),
        *clause.made("WHEN 1 THEN"), *(at_empty or nothing), *clause.made("WHEN 2 THEN"), *(at_error or nothing),
        *clause.made("ELSE CASE WHEN"), *item, *clause.made("IS NOT NULL AND"), *value,
        *clause.made("IS NULL THEN"), *(at_error or nothing), *clause.made("ELSE"), *value, *clause.made("END END)"),
    ]  # fmt: skip


def _is_made(value: Sequence[Token]) -> bool:
    return _word(value, 0) in _MAKERS and _word(value, 1) == "(" and _closing(value, 1) == len(value) - 1


def _members(clause: _Clause, *, keys: bool) -> tuple[list[list[Token]], str]:
    """The arguments, and for each value whether it is JSON (`r`) or not (`v`)."""
    found: list[list[Token]] = []
    forms = ""
    ends = (",", "FORMAT", "NULL", "ABSENT", "WITH", "WITHOUT", "RETURNING")
    while clause.at < len(clause.tokens):
        if clause.word() in {"ABSENT", "RETURNING"} or (clause.word(), clause.word(1)) == ("NULL", "ON"):
            break
        if keys:
            clause.take("KEY")
            found.append(plain_json_calls(clause.until(":", "VALUE")))
            clause.at += 1
        value = clause.until(*ends)
        raw = clause.take("FORMAT", "JSON") or _is_made(value)
        if clause.take("ENCODING"):
            clause.at += 1
            value = clause.call("from_utf8", value)
        found.append(plain_json_calls(value))
        forms += "r" if raw else "v"
        if not clause.take(","):
            break
    return found, forms


def _object(clause: _Clause) -> list[Token]:
    members, forms = _members(clause, keys=True)
    absent = _absent(clause, default=False)
    if clause.take("WITH", "UNIQUE") or clause.take("WITHOUT", "UNIQUE"):
        clause.take("KEYS")
    kind = clause.returning()
    clause.done()
    return _returned(clause, clause.call("_json_object", clause.text(f"{absent};{forms}"), *members), kind)


def _array(clause: _Clause) -> list[Token]:
    members, forms = _members(clause, keys=False)
    absent = _absent(clause, default=True)
    kind = clause.returning()
    clause.done()
    return _returned(clause, clause.call("_json_array", clause.text(f"{absent};{forms}"), *members), kind)


def _absent(clause: _Clause, *, default: bool) -> str:
    if clause.take("ABSENT", "ON", "NULL"):
        return "ABSENT"
    if clause.take("NULL", "ON", "NULL"):
        return "NULL"
    return "ABSENT" if default else "NULL"


def _table(clause: _Clause) -> list[Token]:
    """A subquery: the items that the path finds, and a value of each item for each column."""
    source = clause.document_and_path()
    if not (clause.take("COLUMNS") and clause.take("(")):
        clause.done()
    columns: list[Token] = []
    while True:
        columns += [*(clause.made(",") if columns else []), *_column(clause)]
        if not clause.take(","):
            break
    if not clause.take(")"):
        clause.done()
    wish, _ = clause.behavior("ERROR")
    clause.done()
    items = clause.call("_json_items", source, clause.options("", wish or "EMPTY", "", ""), *clause.passed)
    return [
        *clause.made("LATERAL (SELECT"), *columns, *clause.made("FROM UNNEST("), *items,
        *clause.made(") WITH ORDINALITY AS sqe_items(sqe_item, sqe_number))"),
    ]  # fmt: skip


def _column(clause: _Clause) -> list[Token]:
    if clause.at >= len(clause.tokens):
        raise SqlSyntaxError("JSON_TABLE needs COLUMNS (…)", position=_place(clause.head))
    name = clause.tokens[clause.at]
    if clause.word() == "NESTED":
        raise SqlSyntaxError("NESTED PATH is not supported in JSON_TABLE", position=_place(name))
    clause.at += 1
    named = [*clause.made("AS"), name]
    if clause.take("FOR", "ORDINALITY"):
        return [*clause.made("sqe_number"), *named]
    kind = clause.until("PATH", "FORMAT", ",", ")", "DEFAULT", "NULL", "ERROR")
    is_query = clause.take("FORMAT", "JSON")
    has_path = clause.take("PATH")
    path = [clause.tokens[clause.at]] if has_path else clause.text(f'lax $."{name.text}"')
    clause.at += has_path
    rest = clause.until(",", ")") if clause.word() not in {",", ")", ""} else []
    inner = [*clause.made("sqe_item,"), *path, *clause.made("RETURNING"), *kind, *rest]
    return [*(_query if is_query else _value)(_Clause(clause.head, inner)), *named]


_FORMS = {
    "JSON_TABLE": _table,
    "JSON_EXISTS": _exists,
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_OBJECT": _object,
    "JSON_ARRAY": _array,
}
