"""What each function takes and answers, for those who look: SHOW FUNCTIONS."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sqe.sql.functions.table import function_table


@dataclass(frozen=True)
class Signature:
    """One way to call a function; what is not known is None."""

    name: str
    returns: str | None
    takes: str | None
    kind: str | None
    deterministic: bool | None


@cache
def signatures() -> tuple[Signature, ...]:
    """All functions in order: Trino's with their types, then those of Spark's that are passed on, by name alone."""
    file = files("sqe.sql.functions").joinpath("signatures.tsv")
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    known = [Signature(name, returns, takes, kind, flag == "true") for name, returns, takes, kind, flag in rows]
    told = {found.name for found in known}
    table = function_table()
    others = [
        Signature(name, None, None, "scalar" if name in table.scalars else None, None)
        for name in table.names
        if name not in told
    ]
    return tuple(sorted([*known, *others], key=lambda found: (found.name, found.returns or "", found.takes or "")))
