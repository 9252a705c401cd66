"""Results that wait to be fetched."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqe.core.errors import DeniedError, NotFoundError
from sqe.core.identity import Identity
from sqe.query.result import ResultStream

#: A result that nobody fetches is given up after this time.
_UNCLAIMED_SECS = 300


@dataclass(frozen=True)
class _Waiting:
    result: ResultStream
    secret: str = field(repr=False)
    since: float


class Tickets:
    """Hands out a ticket for each result. Nobody can guess one, one of somebody else is refused, each holds once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, _Waiting] = {}

    def put(self, result: ResultStream) -> bytes:
        """Keep a result; answers its ticket, which begins with the id of the query."""
        secret = secrets.token_urlsafe(24)
        with self._lock:
            self._waiting[result.query_id] = _Waiting(result, secret, time.monotonic())
        return f"{result.query_id}.{secret}".encode()

    def claim(self, ticket: bytes, identity: Identity) -> ResultStream:
        """The result of a ticket, once. Raises `NotFoundError`, or `DeniedError` when it is somebody else's."""
        with self._lock:
            found = self._found(ticket, identity)
            del self._waiting[found.result.query_id]
        return found.result

    def renew(self, ticket: bytes, identity: Identity) -> None:
        """Let a result wait as long again. Raises as `claim` does."""
        with self._lock:
            found = self._found(ticket, identity)
            self._waiting[found.result.query_id] = replace(found, since=time.monotonic())

    def _found(self, ticket: bytes, identity: Identity) -> _Waiting:
        query_id, secret = _parts(ticket)
        found = self._waiting.get(query_id)
        if found is None or not hmac.compare_digest(found.secret, secret):
            raise NotFoundError("there is no such result, or it was fetched already or given up")
        if found.result.query.identity.user != identity.user:
            raise DeniedError("this result belongs to somebody else")
        return found

    def forget(self, which: Callable[[ResultStream], bool]) -> None:
        """Give results up."""
        self._give_up(lambda waiting: which(waiting.result))

    def forget_old(self) -> None:
        """Give up what nobody came for."""
        oldest = time.monotonic() - _UNCLAIMED_SECS
        self._give_up(lambda waiting: waiting.since < oldest)

    def _give_up(self, which: Callable[[_Waiting], bool]) -> None:
        with self._lock:
            keys = [key for key, waiting in self._waiting.items() if which(waiting)]
            results = [self._waiting.pop(key).result for key in keys]
        for result in results:
            result.query.cancel()
            result.close()


def query_id_of(ticket: bytes) -> str:
    """The query of a ticket; whoever asks may still not be its owner."""
    return _parts(ticket)[0]


def _parts(ticket: bytes) -> tuple[str, str]:
    query_id, _, secret = ticket.decode("ascii", errors="replace").partition(".")
    # Comparing in constant time takes ASCII only.
    return query_id, secret if secret.isascii() else ""
