"""A connection over Trino's HTTP protocol as the shell uses it: statements page by page, progress, cancel."""

from __future__ import annotations

import re
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pyarrow as pa

from sqe.core.errors import CanceledError, RemoteError, SqeError, SqlSyntaxError
from sqe.core.progress import Progress
from sqe.endpoints.trino_http.client_requests import Authorization, Page, Requests, WhyAway, error_told
from sqe.endpoints.trino_http.client_state import ClientState
from sqe.endpoints.trino_http.client_types import schema_of
from sqe.endpoints.trino_http.client_values import batch_of, checked_rows, zones_of

_KINDS = {"USER_ERROR": "user", "INTERNAL_ERROR": "internal", "INSUFFICIENT_RESOURCES": "exhausted"}
_CANCELED = frozenset({"USER_CANCELED", "ABANDONED_QUERY"})
_PLACE = re.compile(r"line \d+:\d+: ")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}\Z")


class TrinoResult:
    """The rows of one statement. One thread reads; `cancel` and `progress` come from others."""

    def __init__(self, requests: Requests, state: ClientState) -> None:
        self._requests = requests
        self._state = state
        self._lock = threading.Lock()
        self._next: str | None = None
        self._canceled = False
        self._rows: list[Any] = []
        self._columns: pa.Schema | None = None
        self._is_update = False
        self._stats: Mapping[str, Any] = {}
        self.query_id = ""
        self.schema: pa.Schema = pa.schema([])

    def start(self, sql: bytes) -> None:
        """Send the statement, and wait for its columns. Raises `SqeError`."""
        self._take(self._requests.post("/v1/statement", sql, self._state.headers()))
        while self._next is not None and not self._rows and not self._is_update:
            self._advance()
        # The zones of points in time are known with the first rows only.
        self.schema = zones_of(self._columns, self._rows) if self._columns is not None else pa.schema([])

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The batches in order, a page each. Raises `SqeError`."""
        while True:
            rows, self._rows = self._rows, []
            if rows and not self._is_update:
                yield batch_of(self.schema, rows)
            if self._next is None:
                return
            self._advance()

    def progress(self) -> Progress | None:
        """What the last page said."""
        stats = self._stats
        if not stats:
            return None
        return Progress(
            query_id=self.query_id,
            state=str(stats.get("state", "")),
            elapsed_secs=_number(stats, "elapsedTimeMillis") / 1000,
            tasks=_number(stats, "totalSplits"),
            tasks_done=_number(stats, "completedSplits"),
            rows=_number(stats, "processedRows"),
        )

    def cancel(self) -> None:
        """Stop the statement; one that the server has not answered yet is stopped as soon as it has."""
        with self._lock:
            self._canceled, address = True, self._next
        if address is not None:
            self._requests.delete(address)

    def close(self) -> None:
        """Stop reading; what still runs is canceled."""
        with self._lock:
            address, self._next = self._next, None
        if address is not None:
            with suppress(SqeError):
                self._requests.delete(address)

    def _advance(self) -> None:
        address = self._next
        if address is None:
            return
        try:
            self._take(self._requests.get(address))
        except SqeError as error:
            with self._lock:
                canceled, self._next = self._canceled, None
            if canceled:
                raise CanceledError("the statement was canceled") from error
            raise

    def _take(self, page: Page) -> None:
        content = page.content
        self._state.update(page.headers)
        self._stats = _object(content, "stats")
        if not self.query_id and isinstance(content.get("id"), str) and _NAME.match(content["id"]):
            self.query_id = content["id"]
        following = content.get("nextUri")
        with self._lock:
            self._next = None if following is None else self._requests.checked(following)
            stop = self._canceled and self._next is not None
        if content.get("error") is not None:
            self._next = None
            raise _error(_object(content, "error"), page, self.query_id)
        if stop:
            self.close()
            raise CanceledError("the statement was canceled")
        self._is_update = self._is_update or content.get("updateType") is not None
        if content.get("columns") is not None and not self._is_update and self._columns is None:
            self._columns = schema_of(content["columns"])
        rows = content.get("data")
        if rows is not None and not self._is_update:
            self._rows = checked_rows(rows, self._columns)


class TrinoConnection:
    """A session with a server that speaks Trino's protocol."""

    def __init__(
        self,
        origin: str,
        *,
        authorization: Authorization = lambda: "",
        why_away: WhyAway | None = None,
        tls: ssl.SSLContext | None = None,
        time_zone: str = "",
    ) -> None:
        self._requests = Requests(origin, authorization=authorization, why_away=why_away, tls=tls)
        self._state = ClientState(time_zone=time_zone)
        self._running: TrinoResult | None = None

    def execute(self, sql: str) -> TrinoResult:
        """Run a statement; blocks until its columns are known. Raises `SqeError`."""
        try:
            body = sql.encode()
        except UnicodeEncodeError as error:
            raise SqlSyntaxError("the statement is not valid Unicode text") from error
        result = self._running = TrinoResult(self._requests, self._state)
        try:
            result.start(body)
        except BaseException:
            result.close()
            raise
        return result

    def progress(self) -> Progress | None:
        """How far the running statement is."""
        running = self._running
        return running.progress() if running is not None else None

    def cancel(self) -> None:
        """Stop the running statement."""
        running = self._running
        if running is not None:
            running.cancel()

    def close(self) -> None:
        """End the session; a statement that still runs is canceled."""
        if self._running is not None:
            self._running.close()
        self._requests.close()


def _error(told: Mapping[str, Any], page: Page, query_id: str) -> SqeError:
    """The error of a statement: with all that a server of ours tells, or with what Trino's have."""
    known = error_told(page.headers)
    if known is not None:
        known.query_id = query_id
        return known
    message, name = str(told.get("message") or "the statement failed"), str(told.get("errorName") or "")
    place = _object(told, "errorLocation")
    line, column = _number(place, "lineNumber"), _number(place, "columnNumber")
    return RemoteError(
        {
            "code": name or "REMOTE",
            "kind": _kind(name, str(told.get("errorType"))),
            "message": _PLACE.sub("", message, count=1) if line else message,
            "position": [line, max(1, column), 1] if line > 0 else None,
            "query_id": query_id,
        }
    )


def _kind(name: str, error_type: str) -> str:
    if name in _CANCELED:
        return "canceled"
    if name == "PERMISSION_DENIED":
        return "denied"
    return "not_found" if name.endswith("_NOT_FOUND") else _KINDS.get(error_type, "external")


def _object(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = content.get(name)
    return found if isinstance(found, dict) else {}


def _number(content: Mapping[str, Any], name: str) -> int:
    found = content.get(name)
    return int(found) if isinstance(found, int | float) and 0 <= found < 2**63 else 0
