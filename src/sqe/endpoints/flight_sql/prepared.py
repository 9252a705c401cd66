"""Prepared statements: kept under a handle until they are closed, or their session is."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa

from sqe.core.errors import NotFoundError, SqeError
from sqe.endpoints.flight_sql.column_types import arrow_type
from sqe.endpoints.flight_sql.session_options import time_zone
from sqe.endpoints.flight_sql.uploads import insert_target
from sqe.query.sessions import Session
from sqe.sql.compared import ROWS, compared

#: The oldest of a session's statements goes when there are more; clients forget to close them.
_MOST = 1000
#: More are not looked at for the types of parameters.
_MOST_TABLES = 8


@dataclass
class Prepared:
    """One statement."""

    sql: str
    session_id: str
    #: The columns of its answer; None when nobody can tell without running it.
    schema: pa.Schema | None
    #: The names of its parameters' columns.
    parameters: pa.Schema
    #: Rows that were bound, waiting for their execution.
    bound: pa.Table | None = field(default=None, repr=False)


def parameter_schema(session: Session, sql: str, count: int) -> pa.Schema:
    """What the parameters of a statement are: they have the types of the columns that they are put into or beside.

    The others are said to be texts. Values of any type are taken, but some drivers send no others than they are told.
    """
    known: list[pa.DataType | None] = _types(session, sql) if count else []
    kinds = known if len(known) == count else [None] * count
    return pa.schema([(f"parameter_{number}", kind or pa.utf8()) for number, kind in enumerate(kinds, 1)])


def _types(session: Session, sql: str) -> list[pa.DataType | None]:
    target = insert_target(sql)
    try:
        if target is not None:
            table, columns = target
            kinds = _columns(session, table)
            return [kinds.get(name.lower()) for name in columns or kinds]
        return _compared_types(session, sql)
    except SqeError:
        # Whatever is wrong with the statement is told when it runs.
        return []


def _compared_types(session: Session, sql: str) -> list[pa.DataType | None]:
    found = compared(sql)
    kinds: dict[str, pa.DataType | None] = {ROWS: pa.int64()}
    for table in found.tables[:_MOST_TABLES]:
        for name, kind in _columns(session, table).items():
            # A name that two tables have with different types tells nothing.
            kinds[name] = kind if kinds.get(name, kind) == kind else None
    return [kinds.get(name.lower()) if name else None for name in found.columns]


def _columns(session: Session, parts: list[str]) -> dict[str, pa.DataType]:
    """The types of a table's columns by their names in lower case; nothing when there is no such table."""
    if len(parts) > 3:
        return {}
    catalog, schema, table = [session.catalog, session.schema][: 3 - len(parts)] + parts
    (facts,) = session.spark.describe(catalog, schema, {table: "TABLE"}, properties=False)
    zone = time_zone(session)
    return {column[0].lower(): arrow_type(column[1], zone) for column in facts["columns"]} if facts else {}


class PreparedStatements:
    """All of them; a handle is of no use in another session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, OrderedDict[bytes, Prepared]] = {}

    def add(self, prepared: Prepared) -> bytes:
        """Keep a statement; answers its handle."""
        handle = secrets.token_urlsafe(24).encode()
        with self._lock:
            kept = self._kept.setdefault(prepared.session_id, OrderedDict())
            kept[handle] = prepared
            while len(kept) > _MOST:
                kept.popitem(last=False)
        return handle

    def get(self, handle: bytes, session_id: str) -> Prepared:
        """The statement of a handle. Raises `NotFoundError`."""
        with self._lock:
            found = self._kept.get(session_id, OrderedDict()).get(handle)
        if found is None:
            raise NotFoundError("there is no such prepared statement, or it was closed")
        return found

    def close(self, handle: bytes, session_id: str) -> None:
        """Forget a statement; one that is not there is forgotten already."""
        with self._lock:
            self._kept.get(session_id, OrderedDict()).pop(handle, None)

    def forget_session(self, session_id: str) -> None:
        """Forget all statements of a session."""
        with self._lock:
            self._kept.pop(session_id, None)

    def forget_closed(self, is_open: Callable[[str], bool]) -> None:
        """Forget the statements of sessions that are no longer open."""
        with self._lock:
            sessions = list(self._kept)
        for session_id in sessions:
            if not is_open(session_id):
                self.forget_session(session_id)
