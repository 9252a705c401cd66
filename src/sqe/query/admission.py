"""Who may run now: so many statements at once, the others wait in turn, and nobody asks too often."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from functools import cached_property
from typing import TYPE_CHECKING

from sqe.core.errors import TooManyRequestsError
from sqe.observe.rate_limit import RateLimitSettings
from sqe.query.lifecycle import Query
from sqe.query.settings import QuerySettings

if TYPE_CHECKING:
    from sqe.query.rates import Rates


class Admission:
    """A fixed number of places. People take turns at a free one; the statements of one person keep their order."""

    def __init__(self, settings: QuerySettings, rates: RateLimitSettings | None = None) -> None:
        self._places = settings.max_concurrent_queries
        self._patience_secs = settings.queue_timeout_secs
        self._rate_settings = rates or RateLimitSettings()
        self._lock = threading.Lock()
        self._running: set[str] = set()
        #: By person, whoever is next first; nobody is in it without a statement.
        self._waiting: OrderedDict[str, deque[tuple[Query, threading.Event]]] = OrderedDict()

    def admit(self, query: Query) -> None:
        """Wait until the query may run; its place is free again when it ends, however it ends.

        Raises `TooManyRequestsError`, or the reason when the query is stopped meanwhile.
        """
        if self._rate_settings.enabled:
            self._rates.statement(query.identity.user)
        if not self._places:
            return
        query.listeners = (*query.listeners, self)
        turn = threading.Event()
        with self._lock:
            if len(self._running) < self._places and not self._waiting:
                self._running.add(query.id)
                return
            self._waiting.setdefault(query.identity.user, deque()).append((query, turn))
        # A stop must not wait for its turn.
        query.on_stop(turn.set)
        try:
            turn.wait(self._patience_secs)
            query.refuse_if_stopped()
        finally:
            granted = self._leave_queue(query)
        if not granted:
            raise TooManyRequestsError(
                f"{self._places} statements run already, and none ended within {self._patience_secs} s",
                hint="run the statement again later; query.max_concurrent_queries sets how many run at once",
            )

    def count_metadata(self, user: str) -> None:
        """One more question of a person about catalogs, schemas or tables. Raises `TooManyRequestsError`."""
        if self._rate_settings.enabled:
            self._rates.metadata(user)

    def query_changed(self, query: Query) -> None:
        """Gives the place of a query that ended to whoever is next."""
        if not query.state.ended:
            return
        with self._lock:
            if query.id in self._running:
                self._running.discard(query.id)
                self._call_next()

    @property
    def running(self) -> int:
        """How many places are taken."""
        with self._lock:
            return len(self._running)

    @property
    def waiting(self) -> int:
        """How many statements wait."""
        with self._lock:
            return sum(map(len, self._waiting.values()))

    @cached_property
    def _rates(self) -> Rates:
        # Imported here: the embedded engine counts nothing, and should not wait for the library that does.
        from sqe.query.rates import Rates

        return Rates(self._rate_settings)

    def _leave_queue(self, query: Query) -> bool:
        """Whether the query has a place; if not, it waits no longer."""
        user = query.identity.user
        with self._lock:
            if query.id in self._running:
                return True
            left = deque(entry for entry in self._waiting.get(user, ()) if entry[0] is not query)
            if left:
                self._waiting[user] = left
            else:
                self._waiting.pop(user, None)
            return False

    def _call_next(self) -> None:
        """The first statement of the first person gets the free place; then the person is last."""
        if not self._waiting:
            return
        user, entries = next(iter(self._waiting.items()))
        query, turn = entries.popleft()
        self._running.add(query.id)
        if entries:
            self._waiting.move_to_end(user)
        else:
            del self._waiting[user]
        turn.set()
