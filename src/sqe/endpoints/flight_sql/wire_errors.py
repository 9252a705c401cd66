"""Our errors on the Flight wire: the kind picks the status, the rest travels as JSON in the extra info."""

from __future__ import annotations

import json

import pyarrow as pa
from pyarrow import flight

from sqe.core.errors import (
    CanceledError,
    EngineUnavailableError,
    ErrorKind,
    InternalError,
    RemoteError,
    SqeError,
)

_STATUS: dict[ErrorKind, type[flight.FlightError]] = {
    ErrorKind.UNAUTHENTICATED: flight.FlightUnauthenticatedError,
    ErrorKind.DENIED: flight.FlightUnauthorizedError,
    ErrorKind.CANCELED: flight.FlightCancelledError,
    ErrorKind.INTERNAL: flight.FlightInternalError,
}


def to_flight(error: SqeError) -> flight.FlightError:
    """The exception that a Flight method raises for this error."""
    status = _STATUS.get(error.kind, flight.FlightServerError)
    return status(error.message, json.dumps(error.to_dict()).encode())


def from_flight(error: Exception, away: SqeError | None = None) -> SqeError:
    """What a Flight client's exception means; `away` is the error for a server that cannot be reached."""
    info = getattr(error, "extra_info", b"")
    if info:
        try:
            return RemoteError(json.loads(info))
        except (ValueError, TypeError):
            return InternalError(_first_line(error))
    if isinstance(error, flight.FlightUnavailableError):
        gone = EngineUnavailableError(
            "the engine went away",
            hint="the next statement starts a new one; look whether a change was made before you repeat it",
        )
        return away or gone
    if isinstance(error, flight.FlightCancelledError | pa.ArrowCancelled):
        return CanceledError("the statement was canceled")
    return InternalError(_first_line(error))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
