"""What a command has at hand: the session, and statements of Spark's that are canceled with the query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.query.attachments import Attachments
from sqe.query.sessions import Session
from sqe.query.virtual.columns import table_of
from sqe.spark.session import SparkStatement

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Workbench:
    """For one command of one query."""

    session: Session
    #: The statement that the command is about; empty when there is none.
    text: str
    #: A statement that a cancel of the query reaches.
    statement: Callable[[str], SparkStatement]
    #: Statements that belong to the first one.
    after: tuple[str, ...]
    attachments: Attachments

    def run(self) -> None:
        """Run the statement and what follows it, for their effects."""
        for text in (self.text, *self.after):
            if text:
                self.done(text)

    def done(self, text: str) -> None:
        """Run a statement whose rows nobody wants."""
        statement = self.statement(text)
        try:
            statement.analyze()
        finally:
            statement.close()

    def rows(self, text: str) -> pa.Table:
        """The rows of a small query."""
        import pyarrow as pa

        statement = self.statement(text)
        try:
            schema = statement.analyze()
            return pa.Table.from_batches(list(statement.batches()), schema)
        finally:
            statement.close()


def nothing() -> pa.Table:
    """The answer of a command that only does something."""
    return table_of({}, [])
