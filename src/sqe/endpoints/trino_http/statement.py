"""One statement of a client: run in threads of a pool, its rows waiting as pages until the client takes them.

A thread works on it only while there is something to do: once a page is full, the thread is free for somebody else, and
taking the page sets the next one to work. So a client that is slow holds one page and no thread.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqe.core.errors import CanceledError, InternalError, SqeError
from sqe.core.ids import new_query_id
from sqe.endpoints.trino_http.fragments import fragments
from sqe.endpoints.trino_http.type_signatures import columns_of
from sqe.observe.logs import get_logger
from sqe.query.lifecycle import Query, QueryState
from sqe.query.result import ResultStream

_log = get_logger(__name__)
#: How long an answer with a few rows waits for more of them.
_FILL_SECS = 0.05


class Work(Protocol):
    """What a statement does, told by whoever knows sessions and the pipeline."""

    def run(self, query_id: str, admitted: Callable[[Query], None]) -> ResultStream:
        """Run it; answers when the columns are known. Raises `SqeError`."""
        ...

    def done(self) -> list[tuple[str, str]]:
        """All rows are there: the headers that tell the client what has changed."""
        ...

    def close(self) -> None:
        """Let go of what it holds; nothing more comes."""
        ...

    def progress(self, query: Query) -> dict[str, Any]:
        """How far the engine is; asks the engine."""
        ...


@dataclass(frozen=True)
class Taken:
    """What was ready when a client asked."""

    pieces: list[bytes]
    #: Nothing follows: the statement is over and all its rows were taken.
    last: bool
    error: SqeError | None = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(eq=False)
class Statement:
    """Its state is shared by the event loop, which answers clients, and the threads that work on it."""

    sql: str
    user: str
    work: Work = field(repr=False)
    pool: ThreadPoolExecutor = field(repr=False)
    page_bytes: int
    id: str = field(default_factory=new_query_id)
    slug: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    created: float = field(default_factory=time.time)
    query: Query | None = field(default=None, repr=False)
    columns: list[dict[str, Any]] | None = None
    error: SqeError | None = None
    over: bool = False

    def __post_init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._lock = threading.Lock()
        self._pieces: list[bytes] = []
        self._working = False
        self._source: Iterator[bytes] | None = None
        self._result: ResultStream | None = None
        self._stop_reason: CanceledError | None = None
        self._headers: tuple[tuple[str, str], ...] = ()

    def start(self) -> None:
        """Have it run."""
        self._working = True
        self.pool.submit(self._guarded, self._begin)

    def cancel(self, reason: CanceledError) -> None:
        """Stop it; blocks for as long as the engine needs to hear of it."""
        with self._lock:
            if self.over:
                return
            self._stop_reason = self._stop_reason or reason
            query, idle = self.query, not self._working
            self._working = True
        if query is not None:
            query.cancel(reason)
        if idle:
            self._guarded(self._give_up)

    async def wait(self, secs: float) -> None:
        """Until there is a page, or the end, or the time is over."""
        deadline = self._loop.time() + secs
        while not self._tells_something():
            if not await self._changed(deadline):
                return
        fill = min(deadline, self._loop.time() + _FILL_SECS)
        while not self._full() and await self._changed(fill):
            pass

    async def end(self, secs: float) -> None:
        """Until it is over, or the time is."""
        deadline = self._loop.time() + secs
        while not self.over and await self._changed(deadline):
            pass

    def take(self) -> Taken:
        """What is ready; sets the work on the next page going."""
        with self._lock:
            pieces, self._pieces = self._pieces, []
            if self.over:
                return Taken(pieces, last=True, error=self.error, headers=self._headers)
            go_on = not self._working and self._source is not None
            self._working = self._working or go_on
        if go_on:
            self.pool.submit(self._guarded, self._produce)
        return Taken(pieces, last=False)

    @property
    def state(self) -> str:
        """QUEUED, RUNNING, FINISHED or FAILED."""
        if self.over:
            return "FAILED" if self.error else "FINISHED"
        query = self.query
        return "QUEUED" if query is None or query.state is QueryState.QUEUED else "RUNNING"

    def _begin(self) -> None:
        if self._stop_reason is not None:
            raise self._stop_reason
        result = self.work.run(self.id, self._admitted)
        with self._lock:
            self._result = result
            self.columns = columns_of(result.schema)
            self._source = fragments(result, self.page_bytes)
        self._produce()

    def _admitted(self, query: Query) -> None:
        with self._lock:
            self.query = query
            reason = self._stop_reason
        if reason is not None:
            query.cancel(reason)

    def _produce(self) -> None:
        for piece in self._source or ():
            with self._lock:
                self._pieces.append(piece)
                self._working = self._stop_reason is None and not self._holds_page()
                going_on, stopped = self._working, self._stop_reason is not None
                self._working = self._working or stopped
            self._tell()
            if stopped:
                self._give_up()
            if not going_on:
                return
        self._end(None, tuple(self.work.done()))

    def _give_up(self) -> None:
        """Close a result that nobody wants any more."""
        if self._source is not None:
            close = getattr(self._source, "close", None)
            if close is not None:
                close()
        if self._result is not None:
            self._result.close()
        raise self._stop_reason or CanceledError("the statement was canceled")

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except SqeError as error:
            self._end(error)
        except Exception:  # noqa: BLE001 - a thread of a pool: an error that nobody sees would leave the client waiting
            _log.exception("statement failed", query_id=self.id)
            self._end(InternalError("the statement failed in a way we did not foresee"))

    def _end(self, error: SqeError | None, headers: tuple[tuple[str, str], ...] = ()) -> None:
        with self._lock:
            if self.over:
                return
            self.error, self._headers, self.over = error, headers, True
            self._source = self._result = None
            if error is not None:
                self._pieces = []
        try:
            self.work.close()
        except SqeError as failure:
            _log.warning("a session did not close", query_id=self.id, error=failure.message)
        self._tell()

    def _tell(self) -> None:
        # A loop that has closed has nobody to tell.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._event.set)

    async def _changed(self, deadline: float) -> bool:
        """Wait for news; False when the time is over."""
        left = deadline - self._loop.time()
        if left <= 0:
            return False
        try:
            await asyncio.wait_for(self._event.wait(), left)
        except TimeoutError:
            return False
        self._event.clear()
        return True

    def _tells_something(self) -> bool:
        with self._lock:
            return self.over or bool(self._pieces)

    def _full(self) -> bool:
        with self._lock:
            return self.over or self._holds_page()

    def _holds_page(self) -> bool:
        return sum(map(len, self._pieces)) >= self.page_bytes
