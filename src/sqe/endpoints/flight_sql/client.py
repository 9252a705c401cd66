"""A Flight SQL connection as the shell uses it: statements, progress, cancel."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from pyarrow import flight

from sqe.core.errors import SqeError, SqlSyntaxError
from sqe.core.progress import Progress
from sqe.endpoints.flight_sql import messages
from sqe.endpoints.flight_sql.calls import FOLDER_HEADER, SESSION_HEADER
from sqe.endpoints.flight_sql.wire_errors import ErrorReaders, from_flight


class FlightResult:
    """The rows of one statement."""

    def __init__(
        self,
        client: flight.FlightClient,
        options: flight.FlightCallOptions,
        info: flight.FlightInfo,
        errors: ErrorReaders,
    ) -> None:
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
            raise from_flight(error, trailer=self._errors.last()) from error

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
        token: str | None = None,
        folder: str = "",
        away: SqeError | None = None,
        **tls: Any,  # noqa: ANN401 - TLS options of pyarrow
    ) -> None:
        self._away = away
        self._errors = ErrorReaders()
        self._client = flight.FlightClient(location, middleware=[self._errors], **tls)
        headers = {SESSION_HEADER: os.urandom(16).hex()} | ({"authorization": f"Bearer {token}"} if token else {})
        if folder:
            headers[FOLDER_HEADER] = quote(os.fsencode(folder))
        # The stubs say text, pyarrow takes bytes.
        encoded: Any = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._options = flight.FlightCallOptions(headers=encoded)
        self._presence: Iterator[flight.Result] | None = None

    def execute(self, sql: str) -> FlightResult:
        """Run a statement; blocks until its columns are known. Raises `SqeError`."""
        try:
            self._attach()
            command = messages.pack("CommandStatementQuery", query=sql)
            info = self._client.get_flight_info(flight.FlightDescriptor.for_command(command), self._options)
        except UnicodeEncodeError as error:
            raise SqlSyntaxError("the statement is not valid Unicode text") from error
        except (flight.FlightError, pa.ArrowException) as error:
            raise from_flight(error, self._away, self._errors.last()) from error
        return FlightResult(self._client, self._options, info, self._errors)

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


def basic_login(location: str, user: str, password: str, away: SqeError, **tls: Any) -> str:  # noqa: ANN401 - see above
    """Log in with user and password; answers the session's token. Raises `SqeError`."""
    try:
        with flight.FlightClient(location, **tls) as client:
            _, header = client.authenticate_basic_token(user, password)
    except (flight.FlightError, pa.ArrowException) as error:
        raise from_flight(error, away) from error
    # The stubs say text, pyarrow answers bytes.
    text = header.decode() if isinstance(header, bytes) else str(header)
    return text.removeprefix("Bearer ")
