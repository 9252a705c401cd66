"""What becomes of a statement that is read here."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.sql.commands import Command


@dataclass(frozen=True)
class Outcome:
    """A query of the dialect, or statements of Spark's with marks, or a command, perhaps about such a statement."""

    query: str | None = None
    spark: tuple[str, ...] = ()
    command: Command | None = None
