"""All queries of this process: those that run, and a bounded history of those that ended."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from sqe.core.errors import (
    DeniedError,
    EngineUnavailableError,
    NotFoundError,
    Position,
    SqeError,
    SqlSyntaxError,
    StatementTooLargeError,
)
from sqe.core.identity import Identity
from sqe.core.ids import new_query_id
from sqe.core.sizes import format_size
from sqe.query.lifecycle import Query, QueryListener
from sqe.query.settings import HistorySettings, QuerySettings

_WATCH_SECS = 0.25


class QueryTracker:
    """Admits queries, watches their deadlines, remembers them."""

    def __init__(
        self, settings: QuerySettings, history: HistorySettings, listeners: tuple[QueryListener, ...] = ()
    ) -> None:
        self._settings = settings
        self._history_settings = history
        self._listeners = (*listeners, self)
        self._lock = threading.Lock()
        self._running: dict[str, Query] = {}
        self._history: OrderedDict[str, Query] = OrderedDict()
        self._closed = threading.Event()
        self._ending = threading.Event()
        self._watch = threading.Thread(target=self._watch_deadlines, name="query-deadlines", daemon=True)
        self._watch.start()

    def admit(self, sql: str, kind: str, identity: Identity, session_id: str, query_id: str = "") -> Query:
        """A new query in the state QUEUED, with an id of its own unless one is given. Raises `SqeError`."""
        limit = self._settings.max_sql_bytes
        try:
            size = len(sql.encode())
        except UnicodeEncodeError as error:
            place = Position.of_offset(sql, error.start, error.start)
            raise SqlSyntaxError("the statement is not valid Unicode text", position=place) from error
        if limit and size > limit:
            raise StatementTooLargeError(
                f"the statement has {format_size(size)}, more than {format_size(limit)}",
                hint="query.max_sql_bytes sets the limit",
            )
        if self._closed.is_set() or self._ending.is_set():
            raise EngineUnavailableError("the engine is stopping", hint="run the statement again to start a new one")
        query = Query(query_id or new_query_id(), sql, kind, identity, session_id, self._listeners)
        with self._lock:
            self._running[query.id] = query
        return query

    def cancel(self, query_id: str, identity: Identity, reason: SqeError | None = None) -> bool:
        """Cancel a query of this person, or of anybody for an admin; False when it has ended.

        Raises `NotFoundError`, or `DeniedError` when it is somebody else's.
        """
        query = self.get(query_id)
        if query.identity.user != identity.user and not identity.admin:
            raise DeniedError("this query belongs to somebody else")
        return query.cancel(reason)

    def get(self, query_id: str) -> Query:
        """A query that runs or is remembered."""
        with self._lock:
            query = self._running.get(query_id) or self._history.get(query_id)
        if query is None:
            raise NotFoundError(f"no query {query_id}")
        return query

    def running(self) -> list[Query]:
        """The queries that have not ended, oldest first."""
        with self._lock:
            return list(self._running.values())

    def history(self) -> list[Query]:
        """The queries that ended, oldest first."""
        with self._lock:
            self._forget()
            return list(self._history.values())

    def query_changed(self, query: Query) -> None:
        """Moves a query that ended to the history."""
        if not query.state.ended:
            return
        with self._lock:
            self._running.pop(query.id, None)
            self._history[query.id] = query
            self._forget()

    def refuse_new(self) -> None:
        """Admit nothing from now on; what runs goes on."""
        self._ending.set()

    def close(self) -> None:
        """Cancel what runs and stop watching."""
        self._closed.set()
        self._watch.join()
        for query in self.running():
            query.cancel()

    def _forget(self) -> None:
        oldest = time.time() - self._history_settings.ttl_secs
        while self._history:
            first = next(iter(self._history.values()))
            too_many = len(self._history) > self._history_settings.max_entries
            if not too_many and (first.ended or 0) >= oldest:
                return
            self._history.popitem(last=False)

    def _watch_deadlines(self) -> None:
        while not self._closed.wait(_WATCH_SECS):
            for query in self.running():
                query.check_deadline(time.monotonic())
