"""Prepared statements: kept under a handle until they are closed, or their session is."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa

from sqe.core.errors import NotFoundError
from sqe.endpoints.flight_sql.column_types import arrow_type
from sqe.endpoints.flight_sql.session_options import time_zone
from sqe.endpoints.flight_sql.uploads import insert_target
from sqe.query.sessions import Session

#: The oldest of a session's statements goes when there are more; clients forget to close them.
_MOST = 1000


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
    """What the parameters of a statement are: those of a plain insert have the types of its columns.

    The others are said to be texts, which are what a driver that insists on the type can always send; values of any
    type are taken.
    """
    known = _insert_types(session, sql)
    kinds = known if len(known) == count else [pa.utf8()] * count
    return pa.schema([(f"parameter_{number}", kind) for number, kind in enumerate(kinds, 1)])


def _insert_types(session: Session, sql: str) -> list[pa.DataType]:
    target = insert_target(sql)
    if target is None or len(target[0]) > 3:
        return []
    parts, columns = target
    catalog, schema, table = [session.catalog, session.schema][: 3 - len(parts)] + parts
    (facts,) = session.spark.describe(catalog, schema, {table: "TABLE"}, properties=False)
    if facts is None:
        return []
    zone = time_zone(session)
    kinds = {column[0].lower(): arrow_type(column[1], zone) for column in facts["columns"]}
    return [kinds[name.lower()] for name in columns or kinds if name.lower() in kinds]


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
