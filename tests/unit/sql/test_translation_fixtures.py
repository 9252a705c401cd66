"""Translations as text: tests/sql/translations/*.txt holds statements and what Spark gets for them.

A case is a statement (which may take several lines), a line that begins with `=>` and goes on to the next blank line,
or `error:` and a part of the message. Nothing else is needed to add one. Every table has the columns `a`, `b` and `c`,
and every question for values is answered with `x` and `y`. The statements of `_PREPARED` are prepared.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.core.errors import SqeError
from sqe.sql.context import Context
from sqe.sql.translate import translate

_FOLDER = Path(__file__).parents[2] / "sql" / "translations"

_PREPARED = {
    "p": "SELECT ? + a AS n FROM t WHERE b IN (?, ?) LIMIT ?",
    "one": "INSERT INTO t VALUES (?)",
    "none": "SHOW SCHEMAS",
    "bad": "SELECT a FROM t AS ?",
    "named": "DROP TABLE ?",
}


class _Tables:
    def columns(self, table: tuple[str, str, str]) -> list[str] | None:
        return ["a", "b", "c"] if table[2] != "missing" else None

    def texts(self, query: str, most: int) -> list[str]:
        assert query.startswith("SELECT")
        return ["x", "y"][: most + 1]

    def output(self, query: str, groups: frozenset[str]) -> list[str]:
        assert query.startswith("SELECT")
        assert not groups
        return ["a", "b"]


def _cases() -> list[tuple[str, str, str]]:
    cases = []
    for file in sorted(_FOLDER.glob("*.txt")):
        for block in file.read_text(encoding="utf-8").split("\n\n"):
            lines = [line for line in block.split("\n") if not line.startswith("#")]
            text = "\n".join(lines).strip()
            for mark in ("=>", "error:"):
                statement, found, expected = text.partition(f"\n{mark}")
                if found:
                    cases.append((statement, mark, expected.strip()))
    return cases


@pytest.mark.parametrize(("statement", "mark", "expected"), _cases())
def test_translation(statement: str, mark: str, expected: str) -> None:
    if mark == "error:":
        with pytest.raises(SqeError) as caught:
            translate(Context(statement, lookup=_Tables(), prepared=_PREPARED))
        assert expected in caught.value.message
        return
    made = translate(Context(statement, lookup=_Tables(), prepared=_PREPARED))
    command = [repr(made.command)] if made.command is not None else []
    assert "\n".join([*command, made.text, *made.after]).strip() == expected
