"""Facts of a call: the session its headers name, and whether its client is still there."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from pyarrow import flight

#: The request header that names the client's session; without it each call is a session of its own.
SESSION_HEADER = "x-sqe-session"
#: The folder of the client that relative paths of files start from, percent-encoded.
FOLDER_HEADER = "x-sqe-folder"
_MIDDLEWARE = "sqe"
_POLL_SECS = 0.2


class CallFacts(flight.ServerMiddleware):
    """What the headers of one call say."""

    def __init__(self, session_id: str, folder: str) -> None:
        self.session_id = session_id
        self.folder = folder


class CallFactsFactory(flight.ServerMiddlewareFactory):
    """Reads the headers of each call."""

    def start_call(self, info: flight.CallInfo, headers: dict[str, list[str] | list[bytes]]) -> CallFacts:  # noqa: ARG002
        """Called by Flight before each method."""
        named, folder = (str(next(iter(headers.get(name) or []), "")) for name in (SESSION_HEADER, FOLDER_HEADER))
        return CallFacts(named or os.urandom(16).hex(), unquote(folder, errors="replace"))


MIDDLEWARE: dict[str, flight.ServerMiddlewareFactory] = {_MIDDLEWARE: CallFactsFactory()}


def session_id_of(context: flight.ServerCallContext) -> str:
    """The session of this call."""
    facts = context.get_middleware(_MIDDLEWARE)
    return facts.session_id if isinstance(facts, CallFacts) else os.urandom(16).hex()


def folder_of(context: flight.ServerCallContext) -> str:
    """The folder that the client of this call works in; empty when it does not tell."""
    facts = context.get_middleware(_MIDDLEWARE)
    return facts.folder if isinstance(facts, CallFacts) else ""


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
