"""Wrong statements and what they answer: tests/sql/errors.txt.

A case is a statement and a line `=> CODE at "text": a part of the message`; `at` and the text are the place in the
statement, and a case without them has none. A line `hint: …` is a part of the hint. `{s}` is the schema of all cases,
with the tables that `_BEFORE` makes; `{n}` is its name without the catalog. Cases are separated by blank lines,
comments begin with `#`. Nothing else is needed to add one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.core.errors import SqeError, code_of
from sqe.server.local import LocalEngine

from .support import Client, failure, open_client, public, rows

_FILE = Path(__file__).parents[1] / "sql" / "errors.txt"
_EXPECTED = re.compile(r'=> (?P<code>[A-Z_]+)(?: at "(?P<place>.*)")?: (?P<message>.+)')
_TOO_DEEP = 400
_NESTED_TYPES = ("ARRAY[{}]", "ROW({})")
_NAME = "wrong_statements"
_SCHEMA = f"iceberg.{_NAME}"
_BEFORE = (
    "CREATE SCHEMA {s}",
    "CREATE TABLE {s}.t (a INTEGER, b VARCHAR NOT NULL, c DECIMAL(10, 2), d TIMESTAMP, m MAP(VARCHAR, INTEGER),"
    " r ROW(x INTEGER, y VARCHAR), l ARRAY(INTEGER))",
    "INSERT INTO {s}.t VALUES (1, 'x', 1.5, TIMESTAMP '2020-01-01 00:00:00', MAP(ARRAY['a'], ARRAY[1]),"
    " ROW(1, 'q'), ARRAY[1, 2])",
    "CREATE TABLE {s}.o (a INTEGER)",
    "INSERT INTO {s}.o VALUES 1, 1, 2",
    "CREATE VIEW {s}.v AS SELECT a FROM {s}.o",
)


def _filled(text: str) -> str:
    return text.replace("{s}", _SCHEMA).replace("{n}", _NAME)


def _cases() -> list[Any]:
    cases = []
    for block in _FILE.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.strip().split("\n") if line and not line.startswith("#")]
        at = next((number for number, line in enumerate(lines) if line.startswith("=> ")), None)
        if at is not None:
            sql, hints = "\n".join(lines[:at]), [line.removeprefix("hint: ") for line in lines[at + 1 :]]
            cases.append(pytest.param(_filled(sql), _filled(lines[at]), [_filled(hint) for hint in hints], id=sql))
    return cases


@pytest.fixture(scope="module")
def wrong(engine: LocalEngine) -> Iterator[Client]:
    """A session with the tables that the cases name; no case changes them."""
    with open_client(engine) as client:
        for sql in _BEFORE:
            rows(client, _filled(sql))
        yield client


@pytest.mark.parametrize(("sql", "expected", "hints"), _cases())
def test_wrong_statement(wrong: Client, sql: str, expected: str, hints: list[str]) -> None:
    error = failure(wrong, sql)
    public(error, sql)
    found = _EXPECTED.fullmatch(expected)
    assert found is not None, f"not an expectation: {expected}"
    assert code_of(error) == found["code"]
    assert found["message"] in error.message
    assert _place(sql, error) == found["place"]
    assert all(hint in (error.hint or "") for hint in hints)


def _place(sql: str, error: SqeError) -> str | None:
    """The text that the error points to."""
    if error.position is None:
        return None
    line = sql.split("\n")[error.position.line - 1]
    start = error.position.column - 1
    return line[start : start + error.position.length]


@pytest.mark.parametrize("kind", ["ARRAY[{}]", "ROW({})", "({})", "abs({})", "CASE WHEN true THEN {} END", "- {}"])
@pytest.mark.parametrize("depth", [70, 1000])
def test_deep_statements(wrong: Client, kind: str, depth: int) -> None:
    before, after = kind.split("{}")
    sql = f"SELECT {before * depth}1{after * depth} AS x"
    if depth < _TOO_DEEP and kind not in _NESTED_TYPES:
        assert len(rows(wrong, sql)) == 1
        return
    error = failure(wrong, sql)
    public(error)
    assert error.code == "STATEMENT_TOO_COMPLEX"


def test_arguments_that_double_at_each_level(wrong: Client) -> None:
    error = failure(wrong, f"SELECT {'MAP(ARRAY[1], ARRAY[' * 30}1{'])' * 30} AS x")
    assert error.code == "STATEMENT_TOO_COMPLEX"


def test_names_of_columns_are_those_that_were_written(wrong: Client) -> None:
    sql = "SELECT CAST(ROW(1, 'a') AS ROW(x INTEGER, y VARCHAR)).x, abs(-1), r.y FROM {s}.t"
    (row,) = rows(wrong, _filled(sql))
    assert row == {"x": 1, "abs(-1)": 1, "y": "q"}


@pytest.mark.parametrize("form", ["", "EXTENDED", "FORMATTED", "COST"])
def test_plans_have_no_numbers_of_columns(wrong: Client, form: str) -> None:
    shown = repr(rows(wrong, f"EXPLAIN {form} SELECT abs(a), TRY_CAST(b AS INTEGER) FROM {_SCHEMA}.t WHERE a > 1"))
    assert "Filter" in shown
    assert not re.search(r"#\d|sqe_", shown)
