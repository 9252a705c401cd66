"""Statements of a call: run, describe, prepare, bind, ingest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import flight

from sqe.core.errors import CanceledError, NotSupportedError, UserError
from sqe.endpoints.flight_sql import messages
from sqe.endpoints.flight_sql.access import Access, Visitor
from sqe.endpoints.flight_sql.calls import QUERY_TRAILER, ClientWatch
from sqe.endpoints.flight_sql.parameters import collected, constants, execution
from sqe.endpoints.flight_sql.prepared import Prepared, PreparedStatements, parameter_schema
from sqe.endpoints.flight_sql.tickets import Tickets
from sqe.endpoints.flight_sql.uploads import Renamed, ingest_statements, plain_insert, received
from sqe.query.lifecycle import Query
from sqe.query.pipeline import Pipeline
from sqe.query.result import ResultStream
from sqe.query.sessions import Session
from sqe.sql.parameters import count_of

_NO_ROWS = pa.schema([])
#: The protocol has -1 for it. Arrow's JDBC driver takes that for a statement with rows, and runs it once more.
_UNKNOWN_COUNT = 0


class Statements:
    """What the commands with SQL in them, or behind them, do."""

    def __init__(self, pipeline: Pipeline, access: Access) -> None:
        self._pipeline = pipeline
        self._access = access
        self.tickets = Tickets()
        self.prepared = PreparedStatements()
        self.watch = ClientWatch()

    def query_info(
        self,
        context: flight.ServerCallContext,
        visitor: Visitor,
        command: Any,  # noqa: ANN401 - see messages
        descriptor: flight.FlightDescriptor,
    ) -> flight.FlightInfo:
        """Run a query; the ticket in the answer leads to its rows."""
        refuse_transaction(command)
        return self._info(context, visitor, command.query, descriptor)

    def prepared_info(
        self,
        context: flight.ServerCallContext,
        visitor: Visitor,
        command: Any,  # noqa: ANN401 - see messages
        descriptor: flight.FlightDescriptor,
    ) -> flight.FlightInfo:
        """The same for a prepared one with the parameters that were bound last."""
        prepared = self._found(visitor, command)
        values: list[list[str]] = [] if prepared.bound is None else list(constants(prepared.bound))
        if len(values) > 1:
            raise NotSupportedError("a query takes one row of parameters", hint="run it once for each")
        return self._info(context, visitor, execution(prepared.sql, values[0] if values else []), descriptor)

    def bind(self, visitor: Visitor, command: Any, reader: flight.MetadataRecordBatchReader) -> None:  # noqa: ANN401
        """Keep the parameters of a prepared query for its execution."""
        self._found(visitor, command).bound = collected(reader)

    def schema_of(self, visitor: Visitor, name: str, command: Any) -> pa.Schema:  # noqa: ANN401 - see messages
        """The columns that a statement will answer with."""
        if name == "CommandPreparedStatementQuery":
            return self._found(visitor, command).schema or _NO_ROWS
        refuse_transaction(command)
        return self._pipeline.describe(self._access.session(visitor), command.query) or _NO_ROWS

    def rows(self, context: flight.ServerCallContext, result: ResultStream) -> Iterator[pa.RecordBatch]:
        """The rows of a result; a client that leaves cancels the query."""
        with self.watch.watching(context, result.query.cancel):
            yield from result

    def update(self, context: flight.ServerCallContext, visitor: Visitor, command: Any) -> int:  # noqa: ANN401
        """Run a statement for its effect; answers how many rows it has changed."""
        refuse_transaction(command)
        return self._done(context, self._access.session(visitor), command.query)

    def prepared_update(
        self,
        context: flight.ServerCallContext,
        visitor: Visitor,
        command: Any,  # noqa: ANN401 - see messages
        reader: flight.MetadataRecordBatchReader,
    ) -> int:
        """The same for a prepared one, once for each row of parameters that comes with it."""
        sql, session = self._found(visitor, command).sql, self._access.session(visitor)
        if not reader.schema.names:
            return self._done(context, session, sql)
        names = tuple(f"p{number}" for number in range(len(reader.schema.names)))
        text = plain_insert(sql, names)
        if text is not None:
            with received(Renamed(reader, names), session.spark.uploads) as upload:
                self._done(context, session, text, upload.path)
            return upload.rows
        rows = list(constants(collected(reader)))
        return sum(self._done(context, session, execution(sql, values)) for values in rows)

    def ingest(
        self,
        context: flight.ServerCallContext,
        visitor: Visitor,
        command: Any,  # noqa: ANN401 - see messages
        reader: flight.MetadataRecordBatchReader,
    ) -> int:
        """Put the rows that come into a table; answers how many there were."""
        refuse_transaction(command)
        # Refused before a single row is taken, if it is.
        texts = ingest_statements(command, tuple(reader.schema.names))
        session = self._access.session(visitor)
        with received(reader, session.spark.uploads) as upload:
            for text in texts:
                self._done(context, session, text, upload.path)
        return upload.rows

    def prepare(self, visitor: Visitor, request: Any) -> bytes:  # noqa: ANN401 - see messages
        """Keep a statement; the answer has its handle and its columns, as far as they are known."""
        refuse_transaction(request)
        session = self._access.session(visitor)
        count = count_of(request.query)
        schema = self._columns(session, request.query, count)
        prepared = Prepared(request.query, session.id, schema, parameter_schema(session, request.query, count))
        return messages.pack(
            "ActionCreatePreparedStatementResult",
            prepared_statement_handle=self.prepared.add(prepared),
            dataset_schema=(schema or _NO_ROWS).serialize().to_pybytes(),
            parameter_schema=prepared.parameters.serialize().to_pybytes(),
        )

    def tidy_up(self) -> None:
        """Give up results that nobody came for, and the prepared statements of sessions that are closed."""
        self.tickets.forget_old()
        self.prepared.forget_closed(self._access.is_open)

    def close(self) -> None:
        """Stop watching clients."""
        self.watch.close()

    def _columns(self, session: Session, sql: str, parameters: int) -> pa.Schema | None:
        """The columns of a query, with nothing for its parameters; None when that does not tell them."""
        if not parameters:
            return self._pipeline.describe(session, sql)
        try:
            return self._pipeline.describe(session, sql, execution(sql, ["NULL"] * parameters))
        except UserError:
            # With values it may be a good one.
            return None

    def _found(self, visitor: Visitor, command: Any) -> Prepared:  # noqa: ANN401 - see messages
        return self.prepared.get(command.prepared_statement_handle, self._access.session(visitor).id)

    def _info(
        self, context: flight.ServerCallContext, visitor: Visitor, sql: str, descriptor: flight.FlightDescriptor
    ) -> flight.FlightInfo:
        session = self._access.session(visitor)
        result = self._run(context, session, sql)
        ticket = messages.pack("TicketStatementQuery", statement_handle=self.tickets.put(result))
        if context.is_cancelled() or not self._access.is_open(session.id):
            # Whoever asked has left meanwhile.
            self.tickets.forget(lambda waiting: waiting is result)
            raise CanceledError("the session is closed")
        endpoint = flight.FlightEndpoint(ticket, [])
        return flight.FlightInfo(
            result.schema, descriptor, [endpoint], -1, -1, ordered=True, app_metadata=result.query_id.encode()
        )

    def _done(self, context: flight.ServerCallContext, session: Session, sql: str, upload: Path | None = None) -> int:
        result = self._run(context, session, sql, upload)
        with self.watch.watching(context, result.query.cancel):
            for _ in result:
                pass
        return _UNKNOWN_COUNT if result.query.changed_rows is None else result.query.changed_rows

    def _run(
        self, context: flight.ServerCallContext, session: Session, sql: str, upload: Path | None = None
    ) -> ResultStream:
        own: list[Query] = []

        def admitted(query: Query) -> None:
            own.append(query)
            context.add_trailer(QUERY_TRAILER, query.id)

        # Others may use the session at the same time: whoever leaves stops what is theirs, not what came last.
        with self.watch.watching(context, lambda: [query.cancel() for query in own]):
            return self._pipeline.run(session, sql, upload=upload, admitted=admitted)


def cancel_current(session: Session) -> bool:
    """Stop the statement that a session runs."""
    return session.current is not None and session.current.cancel()


def refuse_transaction(command: Any) -> None:  # noqa: ANN401 - see messages
    """Each statement is a transaction of its own, and there are no others."""
    if messages.maybe(command, "transaction_id"):
        raise NotSupportedError("there are no transactions", hint="each statement is committed when it ends")
