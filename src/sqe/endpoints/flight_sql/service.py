"""The Flight SQL service: decode a command, call the pipeline, stream batches out."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from google.protobuf.message import DecodeError
from pyarrow import flight

from sqe.core.errors import CanceledError, InternalError, NotFoundError, NotSupportedError, SqeError, UserError
from sqe.core.identity import Identity
from sqe.endpoints.flight_sql import messages
from sqe.endpoints.flight_sql.calls import MIDDLEWARE, ClientWatch, folder_of, session_id_of
from sqe.endpoints.flight_sql.wire_errors import to_flight
from sqe.observe.logs import get_logger
from sqe.query.pipeline import Pipeline
from sqe.query.result import ResultStream
from sqe.query.sessions import Session, SessionStore

_log = get_logger(__name__)
#: A result that nobody fetches is given up after this time.
_UNCLAIMED_SECS = 300
_PRESENCE_SECS = 0.25

#: Answers an action beyond the protocol; gets the call's session id.
Action = Callable[[str], dict[str, Any]]


class FlightSqlService(flight.FlightServerBase):
    """Serves statements of one identity; sessions are told apart by a header."""

    def __init__(
        self,
        location: str,
        pipeline: Pipeline,
        sessions: SessionStore,
        identity: Identity,
        actions: dict[str, Action] | None = None,
    ) -> None:
        super().__init__(location, middleware=MIDDLEWARE)
        self._pipeline = pipeline
        self._sessions = sessions
        self._identity = identity
        self._actions: dict[str, Action] = {
            "sqe.progress": self._progress,
            "sqe.cancel": self._cancel_current,
        }
        self._actions |= actions or {}
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[ResultStream, float]] = {}
        self._watch = ClientWatch()
        self._closing = threading.Event()
        #: When the last call came in; what an idle time-out looks at.
        self.last_call = time.monotonic()

    def get_flight_info(
        self, context: flight.ServerCallContext, descriptor: flight.FlightDescriptor
    ) -> flight.FlightInfo:
        """Run a statement; the ticket in the answer leads to its rows."""
        with _answering():
            result = self._run(context, self._command(descriptor, "CommandStatementQuery").query)
            with self._lock:
                self._waiting[result.query_id] = (result, time.monotonic())
            if context.is_cancelled() or self._sessions.find(result.query.session_id) is None:
                # Whoever asked has left meanwhile.
                self._forget(lambda waiting: waiting is result)
                raise CanceledError("the session is closed")
            ticket = messages.pack("TicketStatementQuery", statement_handle=result.query_id.encode())
            return flight.FlightInfo(result.schema, descriptor, [flight.FlightEndpoint(ticket, [])], -1, -1)

    def do_get(self, context: flight.ServerCallContext, ticket: flight.Ticket) -> flight.FlightDataStream:
        """The rows of a statement, once."""
        with _answering():
            result = self._claim(_decoded(ticket.ticket, "TicketStatementQuery").statement_handle.decode())
            return flight.GeneratorStream(result.schema, self._rows(context, result))

    def do_put(
        self,
        context: flight.ServerCallContext,
        descriptor: flight.FlightDescriptor,
        reader: flight.MetadataRecordBatchReader,  # noqa: ARG002 - an update brings no rows
        writer: flight.FlightMetadataWriter,
    ) -> None:
        """Run a statement whose rows are of no interest; the count of changed rows is not known (-1)."""
        with _answering():
            for _ in self._run(context, self._command(descriptor, "CommandStatementUpdate").query):
                pass
            writer.write(messages.message("DoPutUpdateResult", record_count=-1).SerializeToString())

    def do_action(self, context: flight.ServerCallContext, action: flight.Action) -> Iterator[bytes]:
        """Cancel, close a session, and what the embedded shell asks."""
        with _answering():
            name = action.type
            if name == "CancelFlightInfo":
                return iter([self._cancel_info(action.body.to_pybytes())])
            if name == "CloseSession":
                self._end(session_id_of(context))
                return iter([])
            if name == "sqe.attach":
                return self._presence(context, self._session(context))
            if name not in self._actions:
                raise NotSupportedError(f"no action {name}")
            answer = json.dumps(self._actions[name](session_id_of(context))).encode()
            return iter([answer])

    def list_actions(self, context: flight.ServerCallContext) -> list[flight.ActionType]:  # type: ignore[override]  # noqa: ARG002 - the stubs name another class
        """The actions of `do_action`."""
        return [flight.ActionType(name, "") for name in ("CancelFlightInfo", "CloseSession", *self._actions)]

    def close(self) -> None:
        """Stop serving; what runs is canceled by its owner."""
        self._closing.set()
        self.shutdown()
        self._watch.close()

    def _run(self, context: flight.ServerCallContext, sql: str) -> ResultStream:
        session = self._session(context)
        with self._watch.watching(context, lambda: _cancel(session)):
            return self._pipeline.run(session, sql)

    def _rows(self, context: flight.ServerCallContext, result: ResultStream) -> Iterator[pa.RecordBatch]:
        with _answering(), self._watch.watching(context, result.query.cancel):
            yield from result
        self.last_call = time.monotonic()

    def _presence(self, context: flight.ServerCallContext, session: Session) -> Iterator[bytes]:
        """A call that lasts as long as its client: when the client goes, however it goes, so does the session."""
        yield b"{}"
        while not self._closing.wait(_PRESENCE_SECS) and self._sessions.find(session.id) is session:
            if context.is_cancelled():
                self._end(session.id)

    def _end(self, session_id: str) -> None:
        """The client has left: its session goes, and so do results that it has not fetched."""
        self._sessions.close_session(session_id, for_good=True)
        self._forget(lambda result: result.query.session_id == session_id)

    def _forget(self, which: Callable[[ResultStream], bool]) -> None:
        with self._lock:
            keys = [key for key, (result, _) in self._waiting.items() if which(result)]
            results = [self._waiting.pop(key)[0] for key in keys]
        for result in results:
            result.query.cancel()
            result.close()

    def _session(self, context: flight.ServerCallContext) -> Session:
        self.last_call = time.monotonic()
        return self._sessions.open(session_id_of(context), self._identity, folder_of(context))

    def _command(self, descriptor: flight.FlightDescriptor, expected: str) -> Any:  # noqa: ANN401 - see messages
        return _decoded(descriptor.command or b"", expected)

    def _claim(self, query_id: str) -> ResultStream:
        with self._lock:
            found = self._waiting.pop(query_id, None)
        if found is None:
            raise NotFoundError("this result was fetched already or given up")
        return found[0]

    def give_up_unclaimed(self) -> None:
        """Cancel results that nobody came for."""
        oldest = time.monotonic() - _UNCLAIMED_SECS
        with self._lock:
            late = {id(result) for result, since in self._waiting.values() if since < oldest}
        self._forget(lambda result: id(result) in late)

    def _cancel_info(self, body: bytes) -> bytes:
        info = flight.FlightInfo.deserialize(messages.parse("CancelFlightInfoRequest", body).info)
        handle = _decoded(info.endpoints[0].ticket.ticket, "TicketStatementQuery").statement_handle.decode()
        done = self._pipeline.tracker.cancel(handle, self._identity)
        status = messages.CANCELLED if done else messages.NOT_CANCELLABLE
        return bytes(messages.message("CancelFlightInfoResult", status=status).SerializeToString())

    def _progress(self, session_id: str) -> dict[str, Any]:
        session = self._sessions.find(session_id)
        return {} if session is None else self._pipeline.progress(session)

    def _cancel_current(self, session_id: str) -> dict[str, Any]:
        session = self._sessions.find(session_id)
        return {"canceled": session is not None and _cancel(session)}


def _cancel(session: Session) -> bool:
    return session.current is not None and session.current.cancel()


def _decoded(data: bytes, expected: str) -> Any:  # noqa: ANN401 - see messages
    try:
        name, message = messages.unpack(data)
    except DecodeError as error:
        raise UserError("this is no Flight SQL message") from error
    if name != expected:
        raise NotSupportedError(f"{name or 'an unnamed message'} is not supported here")
    return message


class _answering:  # noqa: N801 - reads as a verb in a with statement
    """Turns our errors into Flight's; anything else is a fault of ours and goes to the log."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SqeError):
            raise to_flight(error) from error
        if isinstance(error, Exception) and not isinstance(error, flight.FlightError):
            _log.exception("call failed")
            raise to_flight(InternalError("the call failed in a way we did not foresee")) from error
