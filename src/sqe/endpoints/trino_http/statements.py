"""All statements that clients have open: found by id, asked page by page, given up when nobody comes back."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from sqe.core.errors import CanceledError, DeniedError, ErrorKind, NotFoundError, SqeError, kind_of
from sqe.endpoints.trino_http.answers import answer
from sqe.endpoints.trino_http.error_codes import AbandonedError, error_header
from sqe.endpoints.trino_http.settings import TrinoSettings
from sqe.endpoints.trino_http.statement import Statement, Work
from sqe.observe.logs import get_logger

_log = get_logger(__name__)
#: How long the last answer is kept for a client that did not get it, of how many statements, and how much in all.
_KEEP_SECS = 60.0
_KEEP_STATEMENTS = 1000
_KEEP_BYTES = 64 << 20
#: How long statements may take to hear that the server stops.
_STOP_SECS = 5.0
_SWEEP_SECS = 1.0
#: A statement that is answered sooner is not worth a question to the engine.
_PROGRESS_AFTER_SECS = 0.5
_PROGRESS_SECS = 1.0


class GoneError(SqeError):
    """A page that was asked for too late, or too early."""

    code = "GONE"
    kind = ErrorKind.NOT_FOUND


@dataclass(frozen=True)
class Answer:
    """A body and the headers that belong to it."""

    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(eq=False)
class _Open:
    """A statement and where its client is."""

    statement: Statement
    #: One answer is made at a time; a client that repeats its question waits for the first one.
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    token: int = 0
    last: Answer | None = None
    ended: bool = False
    seen: float = field(default_factory=time.monotonic)
    asking: int = 0
    progress: dict[str, Any] = field(default_factory=dict)


class Statements:
    """The open statements; lives in one event loop."""

    def __init__(self, settings: TrinoSettings) -> None:
        self._settings = settings
        self._open: dict[str, _Open] = {}
        self._pool = ThreadPoolExecutor(settings.max_threads, thread_name_prefix="trino-statement")
        #: Short questions to the engine: they must not wait behind statements.
        self._asides = ThreadPoolExecutor(4, thread_name_prefix="trino-aside")
        self._sweeper: asyncio.Task[None] | None = None
        #: Those that are over and were told so, oldest first.
        self._told: OrderedDict[str, int] = OrderedDict()

    def begin(self, sql: str, user: str, work: Work) -> Statement:
        """A new statement, on its way to the engine."""
        self._sweeper = self._sweeper or asyncio.get_running_loop().create_task(self._sweep())
        statement = Statement(sql, user, work, self._pool, self._settings.page_bytes)
        self._open[statement.id] = _Open(statement)
        statement.start()
        return statement

    def find(self, query_id: str, user: str, slug: str | None = None) -> Statement:
        """A statement of this person. Raises `NotFoundError`, or `DeniedError` when it is somebody else's."""
        found = self._open.get(query_id)
        if found is None or (slug is not None and not _equal(slug, found.statement.slug)):
            raise NotFoundError("no such query")
        if found.statement.user != user:
            raise DeniedError("this query belongs to somebody else")
        return found.statement

    async def ask(self, statement: Statement, token: int, base: str, wait_secs: float) -> Answer:
        """The answer of this number: the next one, or the one before once more. Raises `GoneError`."""
        found = self._open.get(statement.id)
        if found is None:
            raise GoneError("this query is over")
        found.asking += 1
        try:
            async with found.turn:
                if found.last is not None and token == found.token - 1:
                    return found.last
                if found.ended or token != found.token:
                    raise GoneError("this page is gone")
                return await self._next(found, base, wait_secs)
        finally:
            found.asking -= 1
            found.seen = time.monotonic()

    async def cancel(self, statement: Statement, reason: CanceledError | None = None) -> None:
        """Stop a statement; it is forgotten after a while."""
        loop = asyncio.get_running_loop()
        why = reason or CanceledError("the statement was canceled by its client")
        await loop.run_in_executor(self._asides, statement.cancel, why)

    def forget(self, statement: Statement) -> None:
        """Nobody will ask for it."""
        self._open.pop(statement.id, None)
        self._told.pop(statement.id, None)

    def _keep(self, found: _Open, answered: Answer) -> None:
        """Keep a last answer for a while, within bounds; the first answer nobody can ask for again."""
        kept = answered if found.token > 1 else None
        found.last = kept
        self._told[found.statement.id] = len(kept.body) if kept else 0
        while len(self._told) > _KEEP_STATEMENTS or sum(self._told.values()) > _KEEP_BYTES:
            self._open.pop(self._told.popitem(last=False)[0], None)

    async def close(self) -> None:
        """Cancel everything and let go of the threads."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        stopping = CanceledError("the server is stopping")
        running = [found.statement for found in self._open.values() if not found.statement.over]
        await asyncio.gather(*(self.cancel(statement, stopping) for statement in running))
        for statement in running:
            await statement.end(_STOP_SECS)
        # A thread that an engine does not let go of ends with the engine.
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._asides.shutdown(wait=False)

    async def _next(self, found: _Open, base: str, wait_secs: float) -> Answer:
        statement = found.statement
        await statement.wait(wait_secs)
        if not statement.over and time.time() - statement.created > _PROGRESS_AFTER_SECS:
            found.progress = await self._progress(statement) or found.progress
        taken = statement.take()
        found.token += 1
        found.ended = taken.last
        told = taken.headers if taken.error is None else (*taken.headers, error_header(taken.error, statement.id))
        made = Answer(answer(statement, taken, base, found.token, found.progress), told)
        if taken.last:
            self._keep(found, made)
        else:
            found.last = made
        return made

    async def _progress(self, statement: Statement) -> dict[str, Any]:
        query = statement.query
        if query is None:
            return {}
        asking = asyncio.get_running_loop().run_in_executor(self._asides, statement.work.progress, query)
        try:
            return await asyncio.wait_for(asking, _PROGRESS_SECS)
        except (SqeError, TimeoutError):
            # An engine that cannot tell now may do so later.
            return {}

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECS)
            try:
                await self.look_after(time.monotonic())
            except SqeError as error:
                _log.warning("an abandoned statement was not canceled", error=error.message)

    async def look_after(self, now: float) -> None:
        """Cancel statements whose clients stay away, forget those that are over."""
        for found in list(self._open.values()):
            away = 0.0 if found.asking else now - found.seen
            if found.statement.over and found.ended:
                if away > _KEEP_SECS:
                    self.forget(found.statement)
            elif away > self._settings.client_timeout_secs:
                self.forget(found.statement)
                secs = self._settings.client_timeout_secs
                await self.cancel(found.statement, AbandonedError(f"the client did not come back for {secs} s"))
            elif found.statement.over and found.statement.error is not None and away > _KEEP_SECS:
                self.forget(found.statement)


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", errors="replace"), other.encode())


def status_of(error: SqeError) -> int:
    """The HTTP status of an error that is no answer to a statement."""
    return 410 if isinstance(error, GoneError) else _STATUS[kind_of(error)]


_STATUS = {
    ErrorKind.USER: 400,
    ErrorKind.UNAUTHENTICATED: 401,
    ErrorKind.DENIED: 403,
    ErrorKind.NOT_FOUND: 404,
    ErrorKind.EXTERNAL: 503,
    ErrorKind.EXHAUSTED: 429,
    ErrorKind.CANCELED: 410,
    ErrorKind.INTERNAL: 500,
}
