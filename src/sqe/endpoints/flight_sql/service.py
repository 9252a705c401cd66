"""The Flight SQL service: let the caller in, decode a command, have it done, stream batches out."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pyarrow import flight

from sqe.core.errors import InternalError, NotSupportedError, SqeError, UserError
from sqe.endpoints.flight_sql import messages
from sqe.endpoints.flight_sql.access import Access, Visitor
from sqe.endpoints.flight_sql.actions import Action, Actions
from sqe.endpoints.flight_sql.calls import CallMiddlewareFactory, HandshakeHandler, middleware
from sqe.endpoints.flight_sql.metadata import LISTINGS, Ask
from sqe.endpoints.flight_sql.statements import Statements
from sqe.endpoints.flight_sql.wire_errors import to_flight
from sqe.observe.logs import get_logger
from sqe.query.pipeline import Pipeline

_log = get_logger(__name__)
#: No command of the protocol is longer, but for a statement, which has a limit of its own.
_LONGEST_COMMAND = 64 << 20

#: Actions of those who look whether an engine is at work: they do not keep it from being idle.
_LOOKING = frozenset({"sqe.status"})

Call = flight.ServerCallContext


@dataclass(frozen=True)
class Tls:
    """Certificates, in PEM."""

    certificate: bytes
    key: bytes = field(repr=False)
    #: Clients must show a certificate that one of these has signed.
    client_roots: bytes | None = None
    #: The name in a client's certificate says who they are. Flight then offers no handshake.
    clients_are_their_certificates: bool = False


class FlightSqlService(flight.FlightServerBase):
    """Serves whoever is let in."""

    def __init__(
        self,
        location: str,
        pipeline: Pipeline,
        access: Access,
        actions: dict[str, Action] | None = None,
        tls: Tls | None = None,
    ) -> None:
        by_certificate = tls is not None and tls.clients_are_their_certificates
        # What a certificate says is not known yet when headers are read.
        factory = CallMiddlewareFactory(access.handshake, None if by_certificate else access.verify)
        super().__init__(location, middleware=middleware(factory), **_security(access, factory, tls))
        self._pipeline = pipeline
        self._access = access
        self._statements = Statements(pipeline, access)
        self._closing = threading.Event()
        self._actions = Actions(pipeline, access, self._statements, self._closing, actions or {})
        #: When the last call came in; what an idle time-out looks at.
        self.last_call = time.monotonic()

    def get_flight_info(self, context: Call, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        """Run a statement, or look a listing up; the ticket in the answer leads to the rows."""
        with self._answering(context) as visitor:
            name, command = _decoded(descriptor.command)
            if name in LISTINGS:
                endpoint = flight.FlightEndpoint(descriptor.command or b"", [])
                return flight.FlightInfo(LISTINGS[name].schema(command), descriptor, [endpoint], -1, -1)
            if name == "CommandStatementQuery":
                return self._statements.query_info(context, visitor, command, descriptor)
            if name == "CommandPreparedStatementQuery":
                return self._statements.prepared_info(context, visitor, command, descriptor)
            raise _not_here(name)

    def get_schema(  # type: ignore[override] # the stubs say Schema
        self, context: Call, descriptor: flight.FlightDescriptor
    ) -> flight.SchemaResult:
        """The columns of what `get_flight_info` would answer; nothing is run."""
        with self._answering(context, foreign=True) as visitor:
            name, command = _decoded(descriptor.command)
            if name in LISTINGS:
                return flight.SchemaResult(LISTINGS[name].schema(command))
            if name in {"CommandStatementQuery", "CommandPreparedStatementQuery"}:
                return flight.SchemaResult(self._statements.schema_of(visitor, name, command))
            raise _not_here(name)

    def do_get(self, context: Call, ticket: flight.Ticket) -> flight.FlightDataStream:
        """The rows of a statement, once, or of a listing."""
        with self._answering(context) as visitor:
            name, command = _decoded(ticket.ticket)
            if name in LISTINGS:
                self._pipeline.admission.count_metadata(visitor.identity.user)
                ask = Ask(self._access.session(visitor), self._pipeline.max_sql_bytes)
                return flight.RecordBatchStream(LISTINGS[name].rows(command, ask))
            if name != "TicketStatementQuery":
                raise _not_here(name)
            result = self._statements.tickets.claim(command.statement_handle, visitor.identity)
            rows = self._streamed(context, self._statements.rows(context, result))
            # A client that leaves before the first row is asked for: nobody else would notice.
            weakref.finalize(rows, result.close).atexit = False
            return flight.GeneratorStream(result.schema, rows)

    def do_put(
        self,
        context: Call,
        descriptor: flight.FlightDescriptor,
        reader: flight.MetadataRecordBatchReader,
        writer: flight.FlightMetadataWriter,
    ) -> None:
        """Run a statement for its effect, bind parameters, or take rows."""
        with self._answering(context) as visitor:
            name, command = _decoded(descriptor.command)
            statements = self._statements
            if name == "CommandPreparedStatementQuery":
                statements.bind(visitor, command, reader)
                same = {"prepared_statement_handle": command.prepared_statement_handle}
                writer.write(messages.message("DoPutPreparedStatementResult", **same).SerializeToString())
                return
            if name == "CommandStatementUpdate":
                count = statements.update(context, visitor, command)
            elif name == "CommandPreparedStatementUpdate":
                count = statements.prepared_update(context, visitor, command, reader)
            elif name == "CommandStatementIngest":
                count = statements.ingest(context, visitor, command, reader)
            else:
                raise _not_here(name)
            writer.write(messages.message("DoPutUpdateResult", record_count=count).SerializeToString())

    def do_action(self, context: Call, action: flight.Action) -> Iterator[bytes]:
        """Cancel, prepare, session options, and what the embedded shell asks."""
        looks = action.type in _LOOKING
        with self._answering(context, looks=looks) as visitor:
            answers = self._actions.answer(context, visitor, action.type, action.body.to_pybytes())
        return self._streamed(context, answers, looks=looks)

    def list_actions(self, context: Call) -> list[flight.ActionType]:  # type: ignore[override] # the stubs name another class
        """The actions of `do_action`."""
        with self._answering(context):
            return [flight.ActionType(name, description) for name, description in self._actions.listed()]

    def list_flights(self, context: Call, criteria: str) -> Iterator[flight.FlightInfo]:
        """There are none but those that `get_flight_info` makes."""
        with self._answering(context):
            del criteria
            return iter(())

    def do_exchange(
        self,
        context: Call,
        descriptor: flight.FlightDescriptor,
        reader: flight.MetadataRecordBatchReader,
        writer: flight.MetadataRecordBatchWriter,
    ) -> None:
        """Not a part of Flight SQL."""
        with self._answering(context):
            del descriptor, reader, writer
            raise NotSupportedError("DoExchange is not offered")

    def give_up_unclaimed(self) -> None:
        """Cancel results that nobody came for; whoever runs the service calls this from time to time."""
        self._statements.tidy_up()

    def close(self) -> None:
        """Stop serving; what runs is canceled by its owner."""
        self._closing.set()
        self.shutdown()
        self._statements.close()

    @contextmanager
    def _answering(self, context: Call, *, foreign: bool = False, looks: bool = False) -> Iterator[Visitor]:
        """Lets the caller in, and turns errors into Flight's."""
        with _told(context, foreign=foreign):
            if not looks:
                self.last_call = time.monotonic()
            yield self._access.enter(context)

    def _streamed(self, context: Call, items: Iterator[Any], *, looks: bool = False) -> Iterator[Any]:
        """The same for what comes after a method has returned."""
        with _told(context):
            yield from items
        if not looks:
            self.last_call = time.monotonic()


@contextmanager
def _told(context: Call, *, foreign: bool = False) -> Iterator[None]:
    """Turns our errors into Flight's; anything else is a fault of ours and goes to the log."""
    try:
        yield
    except SqeError as error:
        raise to_flight(error, context, foreign=foreign) from None
    except flight.FlightError:
        raise
    except Exception:  # noqa: BLE001 - whatever it is, the client gets an answer and the log gets the story
        _log.exception("call failed")
        fault = InternalError("the call failed in a way we did not foresee")
        raise to_flight(fault, context, foreign=foreign) from None


def _security(access: Access, factory: CallMiddlewareFactory, tls: Tls | None) -> dict[str, Any]:
    """What Flight needs to check its callers."""
    options: dict[str, Any] = {}
    by_certificate = tls is not None and tls.clients_are_their_certificates
    if access.handshake is not None and not by_certificate:
        # With a handler Flight does not tell the names in certificates.
        options["auth_handler"] = HandshakeHandler(factory, access.handshake)
    if tls is not None:
        options["tls_certificates"] = [(tls.certificate, tls.key)]
        if tls.client_roots is not None:
            options |= {"verify_client": True, "root_certificates": tls.client_roots}
    return options


def _decoded(data: bytes | None) -> tuple[str, Any]:
    if not data:
        raise UserError("there is no command")
    if len(data) > _LONGEST_COMMAND:
        raise UserError("the command is too long")
    name, command = messages.unpack(data)
    if command is None:
        raise NotSupportedError(f"{name[:80] or 'an unnamed message'} is not supported")
    return name, command


def _not_here(name: str) -> SqeError:
    return NotSupportedError(f"{name} is not supported here")
