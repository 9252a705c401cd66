"""What happens to the tokens before the parser sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotSupportedError, Position, SqlSyntaxError, StatementTooComplexError
from sqe.sql.dialect import READ
from sqe.sql.history import branches, incremental
from sqe.sql.json_clauses import plain_json_calls
from sqe.sql.moments import zoned

#: Stands before the name of a function call, so that the parser takes every call as it is written: what a name means
#: is for the function table to say, not for the parser's own knowledge of other engines.
CALL_MARK = "\uf8ff"
#: The same before a name in quotes, which keeps its case.
QUOTED_CALL_MARK = "\uf8fe"
#: Begins the name that the place of a parameter has until it has its value; see parameters.py.
PARAMETER_MARK = "\uf8fc"

_MAX_DEPTH = 400
#: Calls whose arguments have a syntax of their own; the parser knows them.
_OWN_SYNTAX = frozenset({
    "cast", "try_cast", "extract", "trim", "position", "substring", "overlay", "normalize", "listagg", "exists",
    "grouping", "group",
})  # fmt: skip
#: Keywords that also name functions. Types are among them: `date(x)`, `char(65)`, `map(k, v)`; left to the parser,
#: each call nested in another one of these would double its work.
_CALLABLE = frozenset({
    TokenType.VAR, TokenType.FILTER, TokenType.FORMAT, TokenType.LEFT, TokenType.RIGHT, TokenType.MERGE,
    TokenType.REPLACE, TokenType.SEQUENCE, TokenType.TRUNCATE, TokenType.FIRST, TokenType.RANGE,
    TokenType.CURRENT_CATALOG, TokenType.CURRENT_SCHEMA, TokenType.ARRAY, TokenType.MAP, TokenType.STRUCT,
    TokenType.UUID, TokenType.DATE, TokenType.TIME, TokenType.TIMESTAMP, TokenType.CHAR, TokenType.VARCHAR,
    TokenType.TEXT, TokenType.INT, TokenType.BIGINT, TokenType.SMALLINT, TokenType.TINYINT, TokenType.BOOLEAN,
    TokenType.DOUBLE, TokenType.FLOAT, TokenType.DECIMAL, TokenType.JSON, TokenType.BINARY, TokenType.VARBINARY,
})  # fmt: skip
_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
#: Words with a bracket after them that are no calls, by what stands before them.
_AFTER_STAR = frozenset({"exclude", "except", "replace", "rename"})
_SAMPLES = frozenset({"bernoulli", "system"})
_ABOUT_NULLS = frozenset({"include", "exclude"})
_PIVOTS = frozenset({TokenType.PIVOT, TokenType.UNPIVOT})
_QUERIES = frozenset({TokenType.SELECT, TokenType.FROM, TokenType.VALUES, TokenType.TABLE})
_ENDS = frozenset({TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH})
_PREFIX = frozenset({TokenType.NOT, TokenType.DASH, TokenType.TILDE, TokenType.PLUS})
_QUANTIFIERS = frozenset({TokenType.ALL, TokenType.ANY, TokenType.SOME})
#: Words that say which JOIN it is.
_BEFORE_JOIN = frozenset({"INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "NATURAL", "ASOF", "SEMI", "ANTI"})
_SIZES = {TokenType.TIME: "3", TokenType.TIMESTAMP: "3", TokenType.CHAR: "1"}
_CASTS = frozenset({"cast", "try_cast"})


def tokenize(sql: str) -> list[Token]:
    """The tokens of a statement. Raises for quotes and comments that do not end, and for absurd nesting."""
    try:
        tokens = READ.tokenize(sql)
    except TokenError as error:
        raise SqlSyntaxError("a quote or a comment does not end", position=_opening(sql)) from error
    _refuse_depth(tokens)
    _refuse_patterns(tokens)
    if "\x00" in sql:
        _refuse_null_signs(tokens)
    return tokens


def prepared(tokens: Sequence[Token]) -> list[Token]:
    """The tokens as the parser shall see them."""
    result = list(tokens)
    for rule in _RULES:
        result = rule(result)
    return result


def respelled(token: Token, kind: TokenType, text: str) -> Token:
    """A token of another kind in the same place."""
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


def position_of(token: Token) -> Position:
    """Where a token stands."""
    length = token.end - token.start + 1
    return Position(token.line, max(1, token.col - length + 1), length)


def _opening(sql: str) -> Position | None:
    """The place of the last quote or comment that opens: what follows it was never closed."""
    places = [sql.rfind(mark) for mark in ("'", '"', "`", "/*")]
    last = max(places)
    return Position.of_offset(sql, last, last) if last >= 0 else None


def _refuse_null_signs(tokens: Sequence[Token]) -> None:
    """The sign with the number 0 can stand in a text; elsewhere it would be a part of some name that nobody sees."""
    for token in tokens:
        if "\x00" in token.text and token.token_type is not TokenType.STRING:
            raise SqlSyntaxError("syntax error near a NUL character", position=position_of(token))


def _refuse_patterns(tokens: Sequence[Token]) -> None:
    """`MATCH_RECOGNIZE (…)`: Spark has no such relation, and the parser stumbles somewhere inside of it."""
    for number, token in enumerate(tokens):
        after = tokens[number + 1] if number + 1 < len(tokens) else None
        if token.token_type is TokenType.MATCH_RECOGNIZE and after and after.token_type is TokenType.L_PAREN:
            raise NotSupportedError(
                "MATCH_RECOGNIZE is not supported",
                hint="window functions such as lag, lead and first_value see the rows around",
                position=position_of(token),
            )


def _refuse_depth(tokens: Sequence[Token]) -> None:
    """The parser goes down one level of calls for each level of nesting; so does everybody after it."""
    depth = prefixes = 0
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPEN) - (kind in _CLOSE)
        prefixes = prefixes + 1 if kind in _PREFIX else 0
        if depth > _MAX_DEPTH or prefixes > _MAX_DEPTH:
            raise StatementTooComplexError(
                f"the statement is nested more than {_MAX_DEPTH} levels deep", position=position_of(token)
            )


def _values_as_query(tokens: list[Token]) -> list[Token]:
    """`> ALL (VALUES 1, 2)` is `> ALL (SELECT * FROM VALUES 1, 2)`; so is `(VALUES 1, 2) AS t TABLESAMPLE …`."""
    sampled = _sampled_values(tokens)
    result: list[Token] = []
    for number, token in enumerate(tokens):
        before = tokens[max(0, number - 2) : number]
        quantified = len(before) == 2 and before[0].token_type in _QUANTIFIERS
        if token.token_type is TokenType.VALUES and (quantified or number in sampled):
            result += [
                respelled(token, TokenType.SELECT, "SELECT"),
                respelled(token, TokenType.STAR, "*"),
                respelled(token, TokenType.FROM, "FROM"),
            ]
        result.append(token)
    return result


def _sampled_values(tokens: list[Token]) -> set[int]:
    """Where the word VALUES stands right after a bracket of which a sample is taken: the parser forgets which one."""
    if not any(token.token_type is TokenType.TABLE_SAMPLE for token in tokens):
        return set()
    found: set[int] = set()
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            opened.append(number)
        elif token.token_type is TokenType.R_PAREN and opened:
            first = opened.pop() + 1
            if tokens[first].token_type is TokenType.VALUES and _sample_follows(tokens, number + 1):
                found.add(first)
    return found


def _sample_follows(tokens: list[Token], at: int) -> bool:
    """Whether TABLESAMPLE comes next, perhaps after an alias with or without names of columns."""
    kinds = [token.token_type for token in tokens[at:]]
    if kinds[:1] == [TokenType.ALIAS]:
        kinds = kinds[1:]
    if kinds[:1] not in ([TokenType.TABLE_SAMPLE], [TokenType.R_PAREN]):
        kinds = kinds[1:]
    if kinds[:1] == [TokenType.L_PAREN] and TokenType.R_PAREN in kinds:
        kinds = kinds[kinds.index(TokenType.R_PAREN) + 1 :]
    return kinds[:1] == [TokenType.TABLE_SAMPLE]


def _pivots_as_sources(tokens: list[Token]) -> list[Token]:
    """`PIVOT t ON … ORDER BY …` as a statement is `SELECT * FROM (PIVOT t ON …) ORDER BY …`."""
    depth, first, last = 0, None, len(tokens)
    for number, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth == 0 and first is None and kind in _QUERIES:
            return tokens
        if depth == 0 and first is None and kind in _PIVOTS:
            first = number
        elif depth == 0 and first is not None and (kind in _ENDS or kind is TokenType.SEMICOLON):
            last = number
            break
    if first is None:
        return tokens
    begin = tokens[first]
    opened = [(TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"), (TokenType.L_PAREN, "(")]
    source = [*(respelled(begin, kind, text) for kind, text in opened), *tokens[first:last]]
    return [*tokens[:first], *source, respelled(tokens[last - 1], TokenType.R_PAREN, ")"), *tokens[last:]]


def _inner_joins(tokens: list[Token]) -> list[Token]:
    """`a JOIN b` is `a INNER JOIN b`: to the parser a JOIN without any word is the same as a comma."""
    result: list[Token] = []
    for token in tokens:
        before = result[-1] if result else None
        if token.token_type is TokenType.JOIN and before and before.text.upper() not in _BEFORE_JOIN:
            result.append(respelled(token, TokenType.INNER, "INNER"))
        result.append(token)
    return result


def _drop_array_words(tokens: list[Token]) -> list[Token]:
    """`ARRAY[1, 2]` is `[1, 2]`: the parser would first try the word as a type, anew on each level."""
    return [
        token
        for token, after in zip(tokens, [*tokens[1:], None], strict=True)
        if not (token.token_type is TokenType.ARRAY and after and after.token_type is TokenType.L_BRACKET)
    ]


def _join_numbers(tokens: list[Token]) -> list[Token]:
    """`1_000`, `0b101`, `0o17` come as a number with a word behind it, `0x1F` comes as bytes."""
    result: list[Token] = []
    for token in tokens:
        before = result[-1] if result else None
        digits = token.text.replace("_", "")
        if token.token_type is TokenType.HEX_STRING and token.end - token.start + 1 == len(token.text) + 2:
            result.append(respelled(token, TokenType.NUMBER, str(int(digits, 16))))
        elif before is not None and _goes_on(before, token):
            base = {"b": 2, "o": 8}.get(digits[:1].lower())
            text = str(int(digits[1:], base)) if base else before.text + digits
            place = (before.line, before.col, before.start, token.end)
            result[-1] = Token(TokenType.NUMBER, text, *place, token.comments)
        else:
            result.append(token)
    return result


def _goes_on(number: Token, word: Token) -> bool:
    """Whether a word belongs to the number right before it."""
    if number.token_type is not TokenType.NUMBER or word.start != number.end + 1:
        return False
    based = number.text == "0" and re.fullmatch(r"[bB]_?[01][01_]*|[oO]_?[0-7][0-7_]*", word.text)
    return bool(based or re.fullmatch(r"(_\d+)+", word.text))


def _whole_timestamps(tokens: list[Token]) -> list[Token]:
    """`TIMESTAMP '2024-01-01 UTC'` and `'… 10:00 UTC'`: the parser sees a zone only after a whole time."""
    result: list[Token] = []
    for token in tokens:
        literal = token.token_type is TokenType.STRING and result and result[-1].token_type is TokenType.TIMESTAMP
        found = zoned(token.text) if literal else None
        result.append(respelled(token, TokenType.STRING, found[0]) if found else token)
    return result


def _mark_calls(tokens: list[Token]) -> list[Token]:
    result: list[Token] = []
    types = _TypePlaces()
    for number, token in enumerate(tokens):
        before = tokens[number - 1] if number else None
        after = tokens[number + 1] if number + 1 < len(tokens) else None
        in_type = types.next(before, token)
        is_call = not in_type and after is not None and after.token_type is TokenType.L_PAREN
        result.append(_marked(before, token) if is_call else token)
        if in_type and not (after and after.token_type is TokenType.L_PAREN):
            result += _size(before, token)
    return result


def _size(before: Token | None, token: Token) -> list[Token]:
    """A cast to `timestamp` means `timestamp(3)`; a literal of that type has the digits that it shows."""
    size = _SIZES.get(token.token_type)
    if size is None or (before is not None and before.text.lower() == "with"):
        return []
    parts = ((TokenType.L_PAREN, "("), (TokenType.NUMBER, size), (TokenType.R_PAREN, ")"))
    return [respelled(token, kind, text) for kind, text in parts]


def _marked(before: Token | None, token: Token) -> Token:
    """The token with a mark if it names a function."""
    if token.token_type is TokenType.IDENTIFIER:
        return respelled(token, TokenType.IDENTIFIER, QUOTED_CALL_MARK + token.text)
    if token.token_type not in _CALLABLE or _is_clause(before, token):
        return token
    return respelled(token, TokenType.IDENTIFIER, CALL_MARK + token.text)


def _is_clause(before: Token | None, token: Token) -> bool:
    """Whether the word begins a clause: `count(x) FILTER (…)`, `* EXCLUDE (…)`, `TABLESAMPLE BERNOULLI (…)`."""
    word = token.text.lower()
    if before is not None:
        kind = before.token_type
        if kind is TokenType.R_PAREN and token.token_type is TokenType.FILTER:
            return True
        if kind is TokenType.STAR and word in _AFTER_STAR:
            return True
        if kind is TokenType.R_PAREN and word == "replace":
            # After `* EXCLUDE (…)`; no call can stand there.
            return True
        if kind is TokenType.TABLE_SAMPLE and word in _SAMPLES:
            return True
        if word == "nulls" and before.text.lower() in _ABOUT_NULLS:
            return True
    return word in _OWN_SYNTAX


class _TypePlaces:
    """Follows the tokens and knows which of them name types: after AS in a cast, and after `::`."""

    def __init__(self) -> None:
        #: For each open bracket: whether a type is written in it, and whether it is that of a cast.
        self._frames: list[list[bool]] = []

    def next(self, before: Token | None, token: Token) -> bool:
        """Whether this token, the next one, belongs to a type."""
        kind = token.token_type
        after_colons = before is not None and before.token_type is TokenType.DCOLON
        here = after_colons or bool(self._frames and self._frames[-1][0])
        if kind in (TokenType.L_PAREN, TokenType.L_BRACKET):
            is_cast = before is not None and before.text.lower() in _CASTS
            self._frames.append([here or self._opens_type(before), is_cast])
        elif kind in (TokenType.R_PAREN, TokenType.R_BRACKET) and self._frames:
            self._frames.pop()
        elif kind is TokenType.ALIAS and self._frames and self._frames[-1][1]:
            self._frames[-1][0] = True
        self._colons_type = after_colons
        return here

    _colons_type = False

    def _opens_type(self, before: Token | None) -> bool:
        """`x::decimal(10, 2)`: the bracket after the word that followed the colons."""
        return self._colons_type and before is not None


_RULES: tuple[Callable[[list[Token]], list[Token]], ...] = (
    branches,
    incremental,
    _pivots_as_sources,
    _inner_joins,
    plain_json_calls,
    _drop_array_words,
    _join_numbers,
    _whole_timestamps,
    _values_as_query,
    _mark_calls,
)
