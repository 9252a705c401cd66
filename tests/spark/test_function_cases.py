"""Functions and operators against what Trino 476 answered; see scripts/record_trino.py for how that was recorded."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.core.errors import ErrorKind, SqeError, kind_of

from .support import Client, table
from .trino_values import Case, difference, in_chunks, read_cases

_FOLDER = Path(__file__).parents[1] / "sql" / "functions"
#: Cases that are known to differ, each with the reason; docs/trino-functions.md is made from it.
_KNOWN = tomllib.loads((_FOLDER / "differences.toml").read_text(encoding="utf-8"))
_FILES = sorted(file.stem for file in _FOLDER.glob("*.cases"))
_AT_ONCE = 40
#: A failure that is a person's own to mend, as Trino's errors here are.
_FAIR = {ErrorKind.USER, ErrorKind.NOT_FOUND}


@pytest.mark.parametrize("name", _FILES)
def test_values_are_those_of_trino(session: Client, name: str) -> None:
    zone, cases = read_cases(_FOLDER / f"{name}.cases")
    table(session, f"SET TIME ZONE '{zone}'")
    wrong = _all_differences(session, cases)
    known = _KNOWN.get(name, {})
    unknown = {text: what for text, what in wrong.items() if text not in known}
    mended = [text for text in known if text not in wrong]
    shown = "\n".join(f"{text}\n    {what}" for text, what in unknown.items())
    assert not unknown, f"{len(unknown)} of {len(cases)} differ:\n{shown}"
    assert not mended, f"no longer different: {mended}"


def _all_differences(session: Client, cases: list[Case]) -> dict[str, str]:
    wrong: dict[str, str] = {}
    plain = [case for case in cases if not case.is_query and case.error is None]
    single = [case for case in cases if case.is_query or case.error is not None]
    for chunk in in_chunks(plain, _AT_ONCE):
        if not _together(session, chunk, wrong):
            single += chunk
    for case in single:
        what = _alone(session, case)
        if what is not None:
            wrong[case.text] = what
    return wrong


def _together(session: Client, cases: list[Case], wrong: dict[str, str]) -> bool:
    """Many expressions in one statement; False when one of them fails."""
    try:
        found = table(session, "SELECT " + ", ".join(f"({case.text}) AS c{i}" for i, case in enumerate(cases)))
    except SqeError:
        return False
    for number, case in enumerate(cases):
        what = difference(case, found.column(number))
        if what is not None:
            wrong[case.text] = what
    return True


def _alone(session: Client, case: Case) -> str | None:
    try:
        found: pa.Table = table(session, case.sql)
    except SqeError as error:
        if case.error is not None:
            return None if kind_of(error) in _FAIR else f"{error.kind.value} error: {error.message}"
        return f"error: {error.message}"
    if case.error is not None:
        return f"{found.column(0).to_pylist()} instead of the error {case.error}"
    return difference(case, found.column(0))
