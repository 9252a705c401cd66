"""Our errors on the Flight wire: the kind picks the status, the rest travels as JSON beside it.

Flight's own exceptions carry that JSON as extra info. They know no status for a bad request, a missing thing or one
that is not offered: those are other exceptions, which carry nothing, and the JSON goes into the trailers of the call.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
from pyarrow import flight

from sqe.core.errors import (
    CanceledError,
    EngineUnavailableError,
    ErrorKind,
    InternalError,
    NotSupportedError,
    QueryTimeoutError,
    RemoteError,
    SqeError,
    UnauthenticatedError,
)

#: The trailer with the error as JSON.
ERROR_TRAILER = "x-sqe-error"
#: gRPC lets headers and trailers have 8 kB together, and the message is among them several times.
_LONGEST = 800


class _Untraced(Exception):  # noqa: N818 - a part of the three below
    """Keeps Arrow from sending a stack trace to the client.

    For an exception that is not Flight's, Arrow sends what `traceback.format_exception` makes of it. That looks at
    `__cause__`; when it fails, Arrow sends the name of the class alone.
    """

    @property
    def __cause__(self) -> BaseException | None:  # type: ignore[override]
        raise RuntimeError("not for others")


class InvalidArgument(_Untraced, ValueError):  # noqa: N818 - the client sees the name: that of the status
    """INVALID_ARGUMENT."""


class NotFound(_Untraced, KeyError):  # noqa: N818 - see above
    """NOT_FOUND."""

    def __str__(self) -> str:
        """The message without the quotes of a KeyError."""
        return str(self.args[0])


class Failed(_Untraced, RuntimeError):  # noqa: N818 - see above
    """UNKNOWN."""


class Unimplemented(_Untraced, NotImplementedError):  # noqa: N818 - see above
    """UNIMPLEMENTED."""


_STATUS: dict[ErrorKind, type[Exception]] = {
    ErrorKind.USER: InvalidArgument,
    ErrorKind.NOT_FOUND: NotFound,
    ErrorKind.UNAUTHENTICATED: flight.FlightUnauthenticatedError,
    ErrorKind.DENIED: flight.FlightUnauthorizedError,
    # There is none that gives RESOURCE_EXHAUSTED; this one says as well that it may work later.
    ErrorKind.EXHAUSTED: flight.FlightUnavailableError,
    ErrorKind.EXTERNAL: flight.FlightUnavailableError,
    ErrorKind.CANCELED: flight.FlightCancelledError,
    ErrorKind.INTERNAL: flight.FlightInternalError,
}


def to_flight(error: SqeError, context: flight.ServerCallContext | None = None, *, foreign: bool = False) -> Exception:
    """The exception that a Flight method raises for this error; `foreign`: none of Flight's own, for GetSchema.

    There Flight takes its own exceptions for unknown ones, and sends a stack trace.
    """
    facts = error.to_dict()
    facts["message"] = _cut(error.message)
    facts["hint"] = error.hint and _cut(error.hint)
    extra = json.dumps(facts)
    # A client that does not know the JSON shows nothing but this.
    text = facts["message"] + (f" ({facts['hint']})" if error.hint else "")
    status = _status(error)
    if issubclass(status, flight.FlightError):
        if not foreign:
            return status(text, extra.encode())
        status = Failed
    if context is not None:
        context.add_trailer(ERROR_TRAILER, extra)
    return status(text)


def _status(error: SqeError) -> type[Exception]:
    if isinstance(error, NotSupportedError):
        return Unimplemented
    if isinstance(error, QueryTimeoutError):
        return flight.FlightTimedOutError
    return _STATUS[error.kind]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"


class _ErrorReader(flight.ClientMiddleware):
    """Notes the error that comes with the end of a call."""

    def __init__(self, noted: threading.local) -> None:
        self._noted = noted

    def received_headers(self, headers: Mapping[str, list[Any]]) -> None:
        """The headers first, the trailers at the end."""
        found = next(iter(headers.get(ERROR_TRAILER, [])), None)
        if found is not None:
            self._noted.error = str(found)


class ErrorReaders(flight.ClientMiddlewareFactory):
    """Reads the errors in the trailers of a client's calls. A call and its end are in one thread."""

    def __init__(self) -> None:
        self._noted = threading.local()

    def start_call(self, info: flight.CallInfo) -> _ErrorReader:  # noqa: ARG002 - as Flight calls it
        """Called by Flight before each call."""
        self._noted.error = ""
        return _ErrorReader(self._noted)

    def last(self) -> str:
        """The error of this thread's last call as JSON; empty when there was none."""
        return str(getattr(self._noted, "error", ""))


def from_flight(error: Exception, why_away: Callable[[], SqeError] | None = None, trailer: str = "") -> SqeError:
    """What a Flight client's exception means; `why_away` finds out why a server cannot be reached."""
    info = getattr(error, "extra_info", b"") or trailer
    if info:
        try:
            return RemoteError(json.loads(info))
        except (ValueError, TypeError):
            return InternalError(_first_line(error))
    if isinstance(error, flight.FlightUnavailableError):
        return _gone() if why_away is None else why_away()
    if isinstance(error, flight.FlightCancelledError | pa.ArrowCancelled):
        return CanceledError("the statement was canceled")
    unknown = isinstance(error, flight.FlightUnauthenticatedError)
    return (UnauthenticatedError if unknown else InternalError)(_first_line(error))


def _gone() -> EngineUnavailableError:
    return EngineUnavailableError(
        "the engine went away",
        hint="the next statement starts a new one; look whether a change was made before you repeat it",
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
