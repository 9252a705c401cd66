"""The life of a query: one state machine that history, limits and every observer feed from.

QUEUED → RUNNING → FINISHED | FAILED | CANCELED
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from sqe.core.errors import CanceledError, InternalError, QueryTimeoutError, SqeError
from sqe.core.identity import Identity


class QueryState(Enum):
    """Where a query is in its life."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    CANCELED = "CANCELED"

    @property
    def ended(self) -> bool:
        """Whether nothing can follow."""
        return self in _ENDS


_ENDS = frozenset({QueryState.FINISHED, QueryState.FAILED, QueryState.CANCELED})
_NEXT = {
    QueryState.QUEUED: {QueryState.RUNNING, QueryState.FAILED, QueryState.CANCELED},
    QueryState.RUNNING: set(_ENDS),
}


class QueryListener(Protocol):
    """Somebody who is told of every change of state: audit, metrics, lineage, history."""

    def query_changed(self, query: Query) -> None:
        """Called after each change, in the thread that made it; must be quick and must not raise."""


@dataclass(eq=False)
class Query:
    """One statement of one person and what became of it."""

    id: str
    sql: str
    kind: str
    identity: Identity
    session_id: str
    listeners: tuple[QueryListener, ...] = ()
    state: QueryState = QueryState.QUEUED
    created: float = field(default_factory=time.time)
    started: float | None = None
    ended: float | None = None
    deadline: float | None = None
    rows: int = 0
    #: How many rows it has inserted, updated or deleted; None for one that does not, and when nobody can tell.
    changed_rows: int | None = None
    #: Where names without a catalog or a schema led when it ran.
    place: tuple[str, str] = ("default", "default")
    error: SqeError | None = None
    #: What the statement waits for; empty while it works.
    doing: str = ""
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _stop: Callable[[], None] | None = field(default=None, repr=False)
    _stop_reason: SqeError | None = field(default=None, repr=False)
    #: Turns a position in what the engine was given into one in `sql`.
    locate: Callable[[SqeError], SqeError] | None = field(default=None, repr=False)
    #: Prepared statements that came with it from a wire without sessions; None: those of its session count.
    prepared: Mapping[str, str] | None = field(default=None, repr=False)
    #: Keys that came with the statement and must not come out again.
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def elapsed_secs(self) -> float:
        """Seconds since the query came, or until it ended."""
        return (self.ended or time.time()) - self.created

    def start(self, timeout_secs: float) -> None:
        """The engine begins; a time-out of 0 is none."""
        if timeout_secs:
            self.deadline = time.monotonic() + timeout_secs
        self.started = time.time()
        self._change(QueryState.RUNNING)

    def finish(self) -> None:
        """The last row has left."""
        self._change(QueryState.FINISHED)

    def fail(self, error: SqeError) -> SqeError:
        """The query ends with an error; answers the error that its person is shown."""
        with self._lock:
            shown = self._stop_reason or (self.locate(error) if self.locate else error)
            shown.query_id = self.id
            self._hide_secrets(shown)
            if not self.state.ended:
                self.error = shown
                canceled = isinstance(shown, CanceledError)
                self._change(QueryState.CANCELED if canceled else QueryState.FAILED)
        return shown

    def on_stop(self, stop: Callable[[], None]) -> None:
        """Say how the engine's work is stopped; done at once when a stop was asked for already."""
        with self._lock:
            self._stop = stop
            asked = self._stop_reason is not None
        if asked:
            _attempt(stop)

    def cancel(self, reason: SqeError | None = None) -> bool:
        """Stop the query; False when it has ended. The first reason given is the one that is shown."""
        with self._lock:
            if self.state.ended:
                return False
            self._stop_reason = self._stop_reason or reason or CanceledError("the statement was canceled")
            stop = self._stop
        if stop is not None:
            _attempt(stop)
        return True

    def refuse_if_stopped(self) -> None:
        """Raise the reason when a stop was asked for."""
        if self._stop_reason is not None:
            raise self._stop_reason

    def check_deadline(self, now: float) -> None:
        """Cancel the query when its time is over."""
        if self.deadline is not None and now > self.deadline and not self.state.ended:
            limit = round(self.elapsed_secs)
            self.cancel(
                QueryTimeoutError(
                    f"the statement was stopped after {limit} s",
                    hint="query.timeout_secs sets how long it may run",
                )
            )

    def _hide_secrets(self, error: SqeError) -> None:
        """Whatever a storage says about a key that it was given, the key is not part of it."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            error.message = error.message.replace(secret, "[REDACTED]")
            error.hint = error.hint and error.hint.replace(secret, "[REDACTED]")

    def _change(self, state: QueryState) -> None:
        with self._lock:
            if state not in _NEXT.get(self.state, ()):
                raise InternalError(f"a query cannot go from {self.state.value} to {state.value}")
            self.state = state
            if state.ended:
                self.ended = time.time()
                # The history outlives what the engine made of it.
                self._stop = None
        for listener in self.listeners:
            listener.query_changed(self)


def _attempt(stop: Callable[[], None]) -> None:
    """Stop the engine's work; an engine that cannot be reached does none."""
    with suppress(SqeError):
        stop()
