"""A Flight SQL connection as the shell uses it: statements, progress, cancel."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from pyarrow import flight

from sqe.core.errors import ErrorKind, SqeError, SqlSyntaxError, kind_of
from sqe.core.progress import Progress
from sqe.endpoints.flight_sql import messages
from sqe.endpoints.flight_sql.calls import FOLDER_HEADER, SESSION_HEADER
from sqe.endpoints.flight_sql.wire_errors import ErrorReaders, from_flight

#: Why no connection is to be had; asked when one has failed.
WhyAway = Callable[[], SqeError]


class FlightResult:
    """The rows of one statement."""

    def __init__(
        self,
        client: flight.FlightClient,
        options: flight.FlightCallOptions,
        info: flight.FlightInfo,
        errors: ErrorReaders,
        why_away: WhyAway | None = None,
    ) -> None:
        self._why_away = why_away
        self._client = client
        self._errors = errors
        self._options = options
        self._tickets = [endpoint.ticket for endpoint in info.endpoints]
        self._reader: flight.FlightStreamReader | None = None
        self.schema: pa.Schema = info.schema
        self.query_id: str = _query_id(info)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The batches in order. Raises `SqeError`."""
        try:
            for ticket in self._tickets:
                self._reader = self._client.do_get(ticket, self._options)
                for chunk in self._reader:
                    if chunk.data is not None:
                        yield chunk.data
        except (flight.FlightError, pa.ArrowException) as error:
            raise from_flight(error, self._why_away, self._errors.last()) from error

    def close(self) -> None:
        """Stop reading; the engine notices and cancels what still runs."""
        if self._reader is not None:
            self._reader.cancel()


class FlightConnection:
    """A session with a Flight SQL server."""

    def __init__(
        self,
        location: str,
        *,
        token: Callable[[], str] | None = None,
        folder: str = "",
        why_away: WhyAway | None = None,
        **tls: Any,  # noqa: ANN401 - TLS options of pyarrow
    ) -> None:
        """Connect; nothing is sent before the first statement.

        Args:
            location: Where the server is.
            token: Gives the token of a login, and a fresh one when that login is over.
            folder: Where relative paths in statements begin; for an engine on this machine.
            why_away: Finds out why the server cannot be reached.
            tls: How to trust it.
        """
        self._why_away = why_away
        self._token = token
        self._folder = folder
        self._errors = ErrorReaders()
        self._client = flight.FlightClient(location, middleware=[self._errors], **tls)
        self._options = self._call_options()
        self._presence: Iterator[flight.Result] | None = None
        self._has_worked = False

    def _call_options(self) -> flight.FlightCallOptions:
        """The headers of the calls of one session."""
        headers = {SESSION_HEADER: os.urandom(16).hex()}
        token = self._token() if self._token is not None else ""
        if token:
            headers["authorization"] = f"Bearer {token}"
        if self._folder:
            headers[FOLDER_HEADER] = quote(os.fsencode(self._folder))
        # The stubs say text, pyarrow takes bytes.
        encoded: Any = [(name.encode(), value.encode()) for name, value in headers.items()]
        return flight.FlightCallOptions(headers=encoded)

    def execute(self, sql: str) -> FlightResult:
        """Run a statement; blocks until its columns are known. Raises `SqeError`."""
        try:
            result = self._execute(sql)
        except SqeError as error:
            # Somebody who comes back to the shell after a pause has nothing to log in with but what they gave before.
            if self._token is None or not self._has_worked or kind_of(error) is not ErrorKind.UNAUTHENTICATED:
                raise
            self._has_worked = False
            self._options, self._presence = self._call_options(), None
            result = self._execute(sql)
        self._has_worked = True
        return result

    def _execute(self, sql: str) -> FlightResult:
        try:
            self._attach()
            command = messages.pack("CommandStatementQuery", query=sql)
            info = self._client.get_flight_info(flight.FlightDescriptor.for_command(command), self._options)
        except UnicodeEncodeError as error:
            raise SqlSyntaxError("the statement is not valid Unicode text") from error
        except (flight.FlightError, pa.ArrowException) as error:
            raise from_flight(error, self._why_away, self._errors.last()) from error
        return FlightResult(self._client, self._options, info, self._errors, self._why_away)

    def _attach(self) -> None:
        """Open the session with a call that stays open: a server of ours notices when this process is gone."""
        if self._presence is None:
            self._presence = iter(self._client.do_action(flight.Action("sqe.attach", b""), self._options))
            try:
                next(self._presence)
            except flight.FlightUnavailableError:
                self._presence = None
                raise
            except (flight.FlightError, pa.ArrowException):
                # A server of somebody else: it keeps sessions its own way.
                return

    def progress(self) -> Progress | None:
        """How far the running statement is."""
        answer = self.action("sqe.progress")
        return Progress(**answer) if answer else None

    def cancel(self) -> None:
        """Stop the running statement."""
        self.action("sqe.cancel")

    def action(self, name: str) -> dict[str, Any]:
        """Call an action that answers JSON. Raises `SqeError`."""
        try:
            answers = list(self._client.do_action(flight.Action(name, b""), self._options))
        except (flight.FlightError, pa.ArrowException) as error:
            raise from_flight(error, trailer=self._errors.last()) from error
        return dict(json.loads(answers[0].body.to_pybytes())) if answers else {}

    def close(self) -> None:
        """End the session; an engine that is gone has ended it already."""
        if self._presence is not None:
            with suppress(flight.FlightError, pa.ArrowException):
                list(self._client.do_action(flight.Action("CloseSession", b""), self._options))
        self._client.close()


def _query_id(info: flight.FlightInfo) -> str:
    """The id of the query, which our server tells beside the result; another one may tell something else there."""
    told = info.app_metadata or b""
    return told if isinstance(told, str) else told.decode(errors="replace")


def basic_login(location: str, user: str, password: str, why_away: WhyAway, **tls: Any) -> str:  # noqa: ANN401 - see above
    """Log in with user and password; answers the session's token. Raises `SqeError`."""
    try:
        with flight.FlightClient(location, **tls) as client:
            _, header = client.authenticate_basic_token(user, password)
    except (flight.FlightError, pa.ArrowException) as error:
        if not getattr(error, "extra_info", b"") and not isinstance(error, flight.FlightUnauthenticatedError):
            # Nobody who speaks Flight: gRPC has many words for that.
            raise why_away() from error
        failure = from_flight(error, why_away)
        if kind_of(failure) is ErrorKind.UNAUTHENTICATED:
            failure.hint = failure.hint or "the login was refused: look at the user and the password"
        raise failure from error
    # The stubs say text, pyarrow answers bytes.
    text = header.decode() if isinstance(header, bytes) else str(header)
    return text.removeprefix("Bearer ")
