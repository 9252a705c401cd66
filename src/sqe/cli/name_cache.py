"""Names for completion, fetched in the background while a person types.

A connection runs one statement at a time, so names are fetched only while the shell waits for input: a
statement of the person stops the fetching first. Names that were fetched before stay until newer ones come.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sqe.cli import names
from sqe.cli.names import TableName
from sqe.core.errors import SqeError, UserError

if TYPE_CHECKING:
    from sqe.cli.connect import Connection

T = TypeVar("T")

_IDLE_SECS = 0.3
_MAX_TABLES = 10_000


class NameCache:
    """The names of catalogs, schemas, tables and columns, as far as they are known."""

    def __init__(self, connection: Connection, *, idle_secs: float = _IDLE_SECS) -> None:
        """Make an empty cache.

        Args:
            connection: Where names are asked for.
            idle_secs: How long to wait before asking, so that pasted statements are not held up.
        """
        self._connection = connection
        self._idle_secs = idle_secs
        self.catalogs: list[str] = []
        self.schemas: list[tuple[str, str]] = []
        self.tables: list[TableName] = []
        self.columns: dict[str, list[str]] = {}
        self._wanted: set[str] = set()
        self._stale = True
        self._fetching = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def want(self, tables: Iterable[str] = ()) -> None:
        """Start to fetch what is missing, among it the columns of the tables; does not wait."""
        self._wanted.update(name for name in tables if name not in self.columns)
        busy = self._thread is not None and self._thread.is_alive()
        if busy or self._stop.is_set() or not (self._stale or self._wanted):
            return
        self._thread = threading.Thread(target=self._refresh, name="names", daemon=True)
        self._thread.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep off the connection; afterwards everything may have changed."""
        self.close()
        try:
            yield
        finally:
            self._stale = True
            self.columns.clear()
            self._stop.clear()

    def close(self) -> None:
        """Stop fetching, and wait until the connection is free."""
        self._stop.set()
        thread = self._thread
        while thread is not None and thread.is_alive():
            if self._fetching:
                with suppress(SqeError, OSError):
                    self._connection.cancel()
            thread.join(0.5)
        self._thread = None

    def _refresh(self) -> None:
        if self._stop.wait(self._idle_secs):
            return
        # Whatever goes wrong here, the person did not ask for it and should not hear of it.
        with suppress(Exception):
            if self._stale and self._fetch_names():
                self._stale = False
        while self._wanted and not self._stop.is_set():
            self._fetch_columns(self._wanted.pop())

    def _fetch_names(self) -> bool:
        connection = self._connection
        self.catalogs = self._ask(partial(names.catalogs, connection))
        schemas: list[tuple[str, str]] = []
        for catalog in self.catalogs:
            found = self._ask(partial(names.schemas, connection, catalog))
            schemas += [(catalog, schema) for schema in found]
        self.schemas = schemas
        tables: list[TableName] = []
        for catalog, schema in schemas:
            if len(tables) < _MAX_TABLES:
                tables += self._ask(partial(names.tables, connection, catalog, schema))
        if self._stop.is_set():
            return False
        self.tables = tables
        return True

    def _fetch_columns(self, table: str) -> None:
        try:
            name = names.checked_name(table, 3)
        except UserError:
            return
        self.columns[table] = self._ask(lambda: list(names.table_schema(self._connection, name).names))

    def _ask(self, question: Callable[[], list[T]]) -> list[T]:
        if self._stop.is_set():
            return []
        self._fetching = True
        try:
            return question()
        except Exception:  # noqa: BLE001 - a catalog that is away has no names to offer
            return []
        finally:
            self._fetching = False
