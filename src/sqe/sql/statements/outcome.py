"""What becomes of a statement that is read here."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.sql.commands import Command
from sqe.sql.virtual import Answer


@dataclass(frozen=True)
class Outcome:
    """A query of the dialect, an answer of ours, or statements of Spark's with marks, or a command about such a one."""

    query: str | None = None
    answer: Answer | None = None
    spark: tuple[str, ...] = ()
    command: Command | None = None
