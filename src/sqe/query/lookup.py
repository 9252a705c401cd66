"""What a translation asks the engine while it runs."""

from __future__ import annotations

from sqe.query.lifecycle import Query
from sqe.query.sessions import Session


class SessionLookup:
    """Asks in the name of one statement of a session; a cancel of the statement reaches what is asked."""

    def __init__(self, session: Session, query: Query) -> None:
        self._session = session
        self._query = query

    def columns(self, table: tuple[str, str, str]) -> list[str] | None:
        """The columns of a table by catalog, schema and name; None when there is no such table."""
        catalog, schema, name = table
        (facts,) = self._session.spark.describe(catalog, schema, {name: "TABLE"}, properties=False)
        return None if facts is None else [column[0] for column in facts["columns"]]

    def texts(self, query: str, most: int) -> list[str]:
        """The values of a query of Spark's with one column of texts; at most one more than `most`."""
        statement = self._session.spark.statement(self._query.id, f"SELECT * FROM ({query}) LIMIT {most + 1}")  # noqa: S608 - the statement's own text
        self._query.on_stop(statement.cancel)
        try:
            statement.analyze()
            return [str(value) for batch in statement.batches() for value in batch.column(0).to_pylist()]
        finally:
            statement.close()

    def output(self, query: str, groups: frozenset[str]) -> list[str]:
        """The names of the columns of a query of Spark's that needs these groups of jars."""
        self._session.need(groups)
        statement = self._session.spark.statement(self._query.id, query)
        self._query.on_stop(statement.cancel)
        try:
            return list(statement.analyze().names)
        finally:
            statement.close()
