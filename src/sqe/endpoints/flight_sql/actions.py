"""Flight's actions: cancel, prepare, session options, and what the embedded shell asks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyarrow import flight

from sqe.core.errors import NotSupportedError, UserError
from sqe.endpoints.flight_sql import messages
from sqe.endpoints.flight_sql.access import Access, Visitor
from sqe.endpoints.flight_sql.session_options import get_options, set_options
from sqe.endpoints.flight_sql.statements import Statements, cancel_current
from sqe.endpoints.flight_sql.tickets import query_id_of
from sqe.query.pipeline import Pipeline
from sqe.query.sessions import Session

_PRESENCE_SECS = 0.25
_TRANSACTIONS = frozenset({"BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint"})
_DESCRIPTIONS = {
    "CancelFlightInfo": "Cancel a query",
    "CancelQuery": "Cancel a query",
    "RenewFlightEndpoint": "Let a result wait longer",
    "CreatePreparedStatement": "Prepare a statement",
    "ClosePreparedStatement": "Forget a prepared statement",
    "SetSessionOptions": "Set catalog, schema or time_zone of the session",
    "GetSessionOptions": "The options of the session",
    "CloseSession": "End the session",
}

#: Answers an action beyond the protocol; gets the call's session id.
Action = Callable[[str], dict[str, Any]]


class Actions:
    """Finds what an action means."""

    def __init__(
        self,
        pipeline: Pipeline,
        access: Access,
        statements: Statements,
        closing: threading.Event,
        more: dict[str, Action],
    ) -> None:
        self._pipeline = pipeline
        self._access = access
        self._statements = statements
        self._closing = closing
        self._more = more
        self._answers: dict[str, Callable[[Visitor, bytes], bytes | None]] = {
            "CancelFlightInfo": self._cancel_info,
            "CancelQuery": self._cancel_query,
            "RenewFlightEndpoint": self._renew,
            "CreatePreparedStatement": self._prepare,
            "ClosePreparedStatement": self._close_prepared,
            "SetSessionOptions": self._set_options,
            "GetSessionOptions": self._get_options,
            "CloseSession": self._close_session,
            "sqe.progress": self._progress,
            "sqe.cancel": self._cancel_current,
        }

    def listed(self) -> list[tuple[str, str]]:
        """Names and descriptions."""
        return [*_DESCRIPTIONS.items(), *((name, "") for name in ("sqe.progress", "sqe.cancel", *self._more))]

    def answer(self, context: flight.ServerCallContext, visitor: Visitor, name: str, body: bytes) -> Iterator[bytes]:
        """Do what an action says. Raises `SqeError`."""
        if name == "sqe.attach":
            return self._presence(context, self._access.session(visitor), visitor)
        if name in _TRANSACTIONS:
            raise NotSupportedError("there are no transactions", hint="each statement is committed when it ends")
        if name in self._more:
            return iter([json.dumps(self._more[name](visitor.session_id)).encode()])
        if name not in self._answers:
            raise NotSupportedError(f"there is no action {name[:80]}")
        answer = self._answers[name](visitor, body)
        return iter([] if answer is None else [answer])

    def _presence(self, context: flight.ServerCallContext, session: Session, visitor: Visitor) -> Iterator[bytes]:
        """A call that lasts as long as its client: when the client goes, however it goes, so does the session."""
        yield b"{}"
        while not self._closing.wait(_PRESENCE_SECS) and self._access.is_open(session.id):
            if context.is_cancelled():
                self._end(visitor)

    def _end(self, visitor: Visitor) -> None:
        """The client has left: its session goes, and so do results that it has not fetched."""
        gone = self._access.leave(visitor)
        self._statements.tickets.forget(lambda result: result.query.session_id in gone)
        for session_id in gone:
            self._statements.prepared.forget_session(session_id)

    def _close_session(self, visitor: Visitor, body: bytes) -> bytes:
        del body
        self._end(visitor)
        return bytes(messages.message("CloseSessionResult", status=messages.CLOSED).SerializeToString())

    def _cancel_info(self, visitor: Visitor, body: bytes) -> bytes:
        status = self._canceled(visitor, messages.parse("CancelFlightInfoRequest", body).info)
        return bytes(messages.message("CancelFlightInfoResult", status=status).SerializeToString())

    def _cancel_query(self, visitor: Visitor, body: bytes) -> bytes:
        request = _request("ActionCancelQueryRequest", body)
        return messages.pack("ActionCancelQueryResult", result=self._canceled(visitor, request.info))

    def _canceled(self, visitor: Visitor, encoded: bytes) -> int:
        try:
            endpoints = flight.FlightInfo.deserialize(encoded).endpoints
        except (pa.ArrowException, flight.FlightError, ValueError) as error:
            raise UserError("this is no FlightInfo") from error
        if not endpoints:
            raise UserError("there is no endpoint in this FlightInfo")
        query_id = query_id_of(_handle(endpoints[0].ticket.ticket))
        done = self._pipeline.tracker.cancel(query_id, visitor.identity)
        self._statements.tickets.forget(lambda result: result.query_id == query_id)
        return messages.CANCELLED if done else messages.NOT_CANCELLABLE

    def _renew(self, visitor: Visitor, body: bytes) -> bytes:
        encoded = messages.parse("RenewFlightEndpointRequest", body).endpoint
        try:
            endpoint = flight.FlightEndpoint.deserialize(encoded)
        except (pa.ArrowException, flight.FlightError, ValueError) as error:
            raise UserError("this is no FlightEndpoint") from error
        self._statements.tickets.renew(_handle(endpoint.ticket.ticket), visitor.identity)
        return bytes(encoded)

    def _prepare(self, visitor: Visitor, body: bytes) -> bytes:
        return self._statements.prepare(visitor, _request("ActionCreatePreparedStatementRequest", body))

    def _close_prepared(self, visitor: Visitor, body: bytes) -> None:
        handle = _request("ActionClosePreparedStatementRequest", body).prepared_statement_handle
        self._statements.prepared.close(handle, self._access.session(visitor).id)

    def _set_options(self, visitor: Visitor, body: bytes) -> bytes:
        return set_options(self._access.session(visitor), self._pipeline, body)

    def _get_options(self, visitor: Visitor, body: bytes) -> bytes:
        del body
        return get_options(self._access.session(visitor))

    def _progress(self, visitor: Visitor, body: bytes) -> bytes:
        del body
        session = self._access.find(visitor)
        return json.dumps({} if session is None else self._pipeline.progress(session)).encode()

    def _cancel_current(self, visitor: Visitor, body: bytes) -> bytes:
        del body
        session = self._access.find(visitor)
        return json.dumps({"canceled": session is not None and cancel_current(session)}).encode()


def _request(expected: str, body: bytes) -> Any:  # noqa: ANN401 - see messages
    name, request = messages.unpack(body)
    if name != expected or request is None:
        raise UserError(f"this is no {expected}")
    return request


def _handle(ticket: bytes) -> bytes:
    name, message = messages.unpack(ticket)
    if name != "TicketStatementQuery" or message is None:
        raise UserError("this ticket is not one of a query")
    return bytes(message.statement_handle)
