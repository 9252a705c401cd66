"""Statements and their rows as text: tests/sql/rows/*.txt.

A case is one or more statements, each ended with `;`, a line `----`, and what the last one answers as CSV with a
header (NULL is `∅`); `error: …` instead is a part of the message. `{s}` is a schema of the case's own, `{f}` the
folder tests/sql/files. Cases are separated by blank lines, comments begin with `#`. Nothing else is needed to add one.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from sqe.core.errors import SqeError
from sqe.sql.split import split

from .support import Client, public, table

_FOLDER = Path(__file__).parents[1] / "sql" / "rows"
_FILES = _FOLDER.parent / "files"


def _cases() -> list[Any]:
    cases = []
    for file in sorted(_FOLDER.glob("*.txt")):
        for number, block in enumerate(file.read_text(encoding="utf-8").split("\n\n")):
            lines = [line for line in block.split("\n") if not line.startswith("#")]
            statements, mark, expected = "\n".join(lines).strip().partition("\n----\n")
            if mark:
                cases.append(pytest.param(statements, expected, id=f"{file.stem}-{number}"))
    return cases


@pytest.mark.parametrize(("statements", "expected"), _cases())
def test_rows(session: Client, schema: str, statements: str, expected: str) -> None:
    filled = statements.replace("{s}", schema).replace("{f}", str(_FILES))
    *before, last = [statement.text for statement in split(filled)]
    for statement in before:
        table(session, statement)
    if expected.startswith("error:"):
        with pytest.raises(SqeError) as caught:
            table(session, last)
        assert expected.removeprefix("error:").strip() in caught.value.message
        public(caught.value, last)
        return
    found = table(session, last)
    values = zip(*(column.to_pylist() for column in found.columns), strict=True)
    lines = [found.column_names, *([_shown(value) for value in row] for row in values)]
    assert lines == list(csv.reader(io.StringIO(expected)))


def _shown(value: Any) -> str:
    if value is None:
        return "∅"
    return str(value).lower() if isinstance(value, bool) else str(value)
