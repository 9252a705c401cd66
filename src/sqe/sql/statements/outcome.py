"""What becomes of a statement that is read here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from sqe.sql.commands import Command
from sqe.sql.virtual import Answer


@dataclass(frozen=True)
class Execution:
    """Another statement to run, the values of its parameters, and what stands for it in the text."""

    sql: str
    parameters: Sequence[exp.Expr]
    place: Token


@dataclass(frozen=True)
class Outcome:
    """A query of the dialect, an answer of ours, or statements of Spark's with marks, or a command about such a one."""

    query: str | None = None
    answer: Answer | None = None
    spark: tuple[str, ...] = ()
    command: Command | None = None
    execution: Execution | None = None
