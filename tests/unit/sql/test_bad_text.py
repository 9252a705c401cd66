"""Whatever text comes, the answer is a translation or an error of the user's, soon."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.core.errors import ErrorKind, SqeError, code_of
from sqe.sql.context import Context
from sqe.sql.translate import translate

_WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "(", ")", ",", "*", "+", "-", "/", "'x'", "1", "1.5", "a", "b.c",
    '"Q"', "CAST", "AS", "INTEGER", "ARRAY", "[", "]", "MAP", "ROW", "x", "->", "JOIN", "ON", "UNION", "VALUES", "IN",
    "NOT", "NULL", "CASE", "WHEN", "THEN", "END", "OVER", "PARTITION BY", "count", "FILTER", "INTERVAL", "DATE", ";",
    "CREATE", "TABLE", "ALTER", "DROP", "CALL", "SHOW", "MERGE", "INTO", "USING", "MATCHED", "UPDATE", "SET", "::",
    "UNNEST", "LATERAL", "WITH", "RECURSIVE", "FETCH", "FIRST", "ROWS", "TIES", "FOR", "VERSION", "OF", "$", "@", "{",
    "}", ":", "=", "<", ">", "--", "/*", "*/", "'", '"', "`", "\\", "EXTRACT", "TRIM", "EXISTS", "ALL", "ANY",
)  # fmt: skip


def check(text: str) -> None:
    error: SqeError | None = None
    try:
        translate(Context(text))
    except SqeError as raised:
        error = raised
    if error is not None:
        assert error.kind in {ErrorKind.USER, ErrorKind.NOT_FOUND}
        assert error.message


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(_WORDS), max_size=25).map(" ".join))
def test_words_in_any_order(text: str) -> None:
    check(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check(text)
    check("SELECT " + text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * 1000 + "1" + ")" * 1000,
        "SELECT " + "ARRAY[" * 1000 + "1" + "]" * 1000,
        "SELECT " + "ROW(" * 300 + "1" + ")" * 300,
        "SELECT " + "NOT " * 1000 + "a",
        "SELECT " + "- " * 1000 + "1",
        "SELECT " + "CASE WHEN a THEN " * 1000 + "1" + " END" * 1000,
        "SELECT a" + "[1]" * 300,
        "SELECT CAST(a AS " + "ARRAY(" * 300 + "INTEGER" + ")" * 300 + ")",
        "SELECT " + " + ".join(["a"] * 5000),
        "SELECT " + " OR ".join(["a = 1"] * 5000),
        "SELECT a IN (" + ", ".join(map(str, range(20000))) + ")",
        "SELECT '" + "x" * 1_000_000 + "'",
        "SELECT 'not closed",
        'SELECT "not closed',
        "SELECT 1 /* not closed",
    ],
    ids=lambda text: text[:24],
)
def test_large_and_deep(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("SELECT 1,\n  no_such(2)", 2, 3),
        ("SELECT a FROM\nt WHERE )", 2, 9),
        ("CREATE TABLE t (a nosuchtype(1))", 1, 19),
    ],
)
def test_errors_have_a_place(text: str, line: int, column: int) -> None:
    with pytest.raises(SqeError) as caught:
        translate(Context(text))
    assert caught.value.position is not None
    assert (caught.value.position.line, caught.value.position.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT " + " - ".join(["1"] * 20000), "STATEMENT_TOO_COMPLEX"),
        ("SELECT " + " || ".join(["'a'"] * 20000), "STATEMENT_TOO_COMPLEX"),
        ("SELECT " + " / ".join(["1"] * 60), "STATEMENT_TOO_COMPLEX"),
        ("SELECT 1 \x00", "SYNTAX_ERROR"),
        ("SELECT a\x00b FROM t", "SYNTAX_ERROR"),
    ],
    ids=["minus", "texts", "divided", "sign", "name"],
)
def test_refused_before_the_engine_sees_it(text: str, code: str) -> None:
    with pytest.raises(SqeError) as caught:
        translate(Context(text))
    assert code_of(caught.value) == code


@pytest.mark.parametrize("sign", [" - ", " + ", " || "])
def test_long_rows_of_operators_pass(sign: str) -> None:
    assert sign.strip() in translate(Context("SELECT " + sign.join(["a"] * 2000))).text


def test_calls_that_double_are_bounded() -> None:
    def nested(depth: int) -> str:
        return "SELECT " + "nullif(" * depth + "k" + "".join(f", {n})" for n in range(depth)) + " FROM t"

    translate(Context(nested(10)))
    with pytest.raises(SqeError) as refused:
        translate(Context(nested(11)))
    assert code_of(refused.value) == "STATEMENT_TOO_COMPLEX"
