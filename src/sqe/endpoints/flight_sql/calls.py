"""Facts of a call: what its headers say, and whether its client is still there."""

from __future__ import annotations

import base64
import binascii
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from pyarrow import flight

from sqe.auth.credentials import BearerToken, Credentials, NoCredentials, Password
from sqe.core.errors import SqeError, UnauthenticatedError
from sqe.endpoints.flight_sql.wire_errors import to_flight

#: The request header that names one of the client's sessions.
SESSION_HEADER = "x-sqe-session"
#: The cookie that does the same for clients that keep cookies.
SESSION_COOKIE = "arrow_flight_session_id"
#: The folder of the client that relative paths of files start from, percent-encoded.
FOLDER_HEADER = "x-sqe-folder"
#: The trailer with the ids of the queries that the call has started.
QUERY_TRAILER = "x-sqe-query-id"
_MIDDLEWARE = "sqe"
_POLL_SECS = 0.2
_COOKIE = re.compile(rf"(?:^|;)\s*{SESSION_COOKIE}=\"?([^;\"\s]*)")
_NAME = re.compile(r"[A-Za-z0-9._~-]{1,128}")

Headers = Mapping[str, Sequence[str | bytes]]
#: Logs in with what a handshake brought; answers the token for later calls.
Handshake = Callable[[Credentials], str]
#: Raises when the credentials are not good.
Verify = Callable[[Credentials], object]


@dataclass(frozen=True)
class CallFacts:
    """What the headers of one call say."""

    #: Empty when the client names none.
    session_name: str = ""
    folder: str = ""
    credentials: Credentials = field(default_factory=NoCredentials)

    @classmethod
    def of(cls, headers: Headers) -> CallFacts:
        """Read the headers. Raises `UnauthenticatedError` for credentials that cannot be read."""
        folder = unquote(_first(headers, FOLDER_HEADER), errors="replace")
        return cls(_session_name(headers), folder, _credentials(headers))


def _first(headers: Headers, name: str) -> str:
    value = next(iter(headers.get(name) or []), "")
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _session_name(headers: Headers) -> str:
    """A name that cannot be one of ours is no name."""
    named = _first(headers, SESSION_HEADER)
    if not named:
        cookie = _COOKIE.search(_first(headers, "cookie"))
        named = cookie.group(1) if cookie else ""
    return named if _NAME.fullmatch(named) else ""


def _credentials(headers: Headers) -> Credentials:
    sent = {value.decode(errors="replace") if isinstance(value, bytes) else value for value in _authorizations(headers)}
    if not sent:
        token = _first(headers, "auth-token-bin")
        return BearerToken(token) if token else NoCredentials()
    if len(sent) > 1:
        # Whoever stands between client and server may look at another one than we do.
        raise UnauthenticatedError("invalid credentials")
    scheme, _, rest = sent.pop().partition(" ")
    if scheme.lower() == "bearer" and rest.strip():
        return BearerToken(rest.strip())
    if scheme.lower() == "basic":
        return basic(rest.strip())
    raise UnauthenticatedError("invalid credentials")


def _authorizations(headers: Headers) -> Sequence[str | bytes]:
    return headers.get("authorization") or ()


def basic(encoded: str) -> Password:
    """User and password as HTTP Basic carries them. Raises `UnauthenticatedError`."""
    # Go's Flight client leaves the padding out.
    padded = encoded + "=" * (-len(encoded) % 4)
    try:
        user, colon, password = base64.b64decode(padded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise UnauthenticatedError("invalid credentials") from error
    if not colon:
        raise UnauthenticatedError("invalid credentials")
    return Password(user, password)


class CallMiddleware(flight.ServerMiddleware):
    """Carries the facts of a call to its method, and headers back to the client."""

    def __init__(self, facts: CallFacts, answer: dict[str, str] | None = None) -> None:
        self.facts = facts
        self._answer = answer or {}

    def sending_headers(self) -> dict[str, str]:  # type: ignore[override] # the stubs say bytes or lists
        """Called by Flight when the answer begins."""
        return self._answer


class CallMiddlewareFactory(flight.ServerMiddlewareFactory):
    """Reads the headers of each call; a handshake with credentials in its headers is done here."""

    def __init__(self, handshake: Handshake | None = None, verify: Verify | None = None) -> None:
        self._handshake = handshake
        self._verify = verify
        #: Threads whose handshake was done by headers: its second half comes without them. Python's own storage for
        #: threads does not last from one half to the other, as the threads are Flight's.
        self._greeted: set[int] = set()

    def start_call(self, info: flight.CallInfo, headers: dict[str, list[str] | list[bytes]]) -> CallMiddleware:
        """Called by Flight before each method."""
        try:
            facts = CallFacts.of(headers)
            if info.method == flight.FlightMethod.GET_SCHEMA and self._verify is not None:
                # The method itself cannot say that it refuses somebody: Flight forgets the status there.
                self._verify(facts.credentials)
            if info.method != flight.FlightMethod.HANDSHAKE or self._handshake is None:
                return CallMiddleware(facts)
            self._greeted.discard(threading.get_ident())
            if isinstance(facts.credentials, NoCredentials):
                return CallMiddleware(facts)
            token = self._handshake(facts.credentials)
        except SqeError as error:
            raise to_flight(error) from error
        self._greeted.add(threading.get_ident())
        cookie = f"{SESSION_COOKIE}={os.urandom(16).hex()}"
        return CallMiddleware(facts, {"authorization": f"Bearer {token}", "set-cookie": cookie})

    def greeted(self) -> bool:
        """Whether the handshake that runs in this thread is done."""
        return threading.get_ident() in self._greeted


class HandshakeHandler(flight.ServerAuthHandler):
    """The handshake of clients that send name and password as a message and get the token as one.

    Calls are not checked here, but where they are answered: this knows neither their headers nor where they come from.
    """

    def __init__(self, factory: CallMiddlewareFactory, handshake: Handshake) -> None:
        super().__init__()
        self._factory = factory
        self._handshake = handshake

    def authenticate(self, outgoing: Any, incoming: Any) -> None:  # noqa: ANN401 - Flight has no names for them
        """Called by Flight after the middleware."""
        if self._factory.greeted():
            return
        try:
            outgoing.write(self._handshake(_of_message(incoming)).encode())
        except SqeError as error:
            raise to_flight(error) from error

    def is_valid(self, token: bytes) -> bytes:  # type: ignore[override] # noqa: ARG002 - the stubs say bool
        """Called by Flight before each other method."""
        return b""


def _of_message(incoming: Any) -> Password:  # noqa: ANN401 - see above
    try:
        sent = flight.BasicAuth.deserialize(incoming.read())
        return Password(_text(sent.username), _text(sent.password))
    except (OSError, ValueError, TypeError, flight.FlightError) as error:
        raise UnauthenticatedError("log in first: no credentials were sent") from error


def _text(value: str | bytes | None) -> str:
    return value.decode() if isinstance(value, bytes) else value or ""


def facts_of(context: flight.ServerCallContext) -> CallFacts:
    """What the headers of this call say."""
    found = context.get_middleware(_MIDDLEWARE)
    return found.facts if isinstance(found, CallMiddleware) else CallFacts()


def middleware(factory: CallMiddlewareFactory) -> dict[str, flight.ServerMiddlewareFactory]:
    """As a server takes it."""
    return {_MIDDLEWARE: factory}


class ClientWatch:
    """Notices clients that leave while their statement runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[int, tuple[flight.ServerCallContext, Callable[[], object]]] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="client-watch", daemon=True)
        self._thread.start()

    @contextmanager
    def watching(self, context: flight.ServerCallContext, gone: Callable[[], object]) -> Iterator[None]:
        """Call `gone` once when the client of this call leaves before the block ends."""
        with self._lock:
            self._watched[id(context)] = (context, gone)
        try:
            yield
        finally:
            with self._lock:
                self._watched.pop(id(context), None)

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.wait(_POLL_SECS):
            # The lock is held while contexts are asked: they are only valid until their block ends.
            with self._lock:
                gone = [key for key, (context, _) in self._watched.items() if context.is_cancelled()]
                callbacks = [self._watched.pop(key)[1] for key in gone]
            for callback in callbacks:
                callback()
