"""Keeps a fresh engine busy with small statements of its own while nobody asks for anything.

The JVM compiles what it has run often. Without this the first dozens of statements of a person do that work; with it
the second one is already quick. It ends after a bounded effort and steps aside as soon as a statement comes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from sqe.core.errors import SqeError
from sqe.core.identity import Identity
from sqe.core.ids import new_query_id
from sqe.observe.logs import get_logger
from sqe.query.sessions import SessionStore

_log = get_logger(__name__)
#: The session in which it runs; not one of a person.
REHEARSAL_SESSION = "rehearsal"
_PREPARE = ("CREATE TABLE r AS SELECT id % 5 AS k, id AS v, CAST(id AS STRING) AS s FROM range(500)",)
_STATEMENTS = (
    "SELECT 1",
    "SELECT k, count(*) AS c, sum(v) AS t FROM r GROUP BY k",
    "SELECT * FROM r LIMIT 10",
    "SELECT 1",
    "SELECT count(*), min(v), max(s) FROM r WHERE v > 10",
    "SELECT a.k, b.s FROM r AS a JOIN r AS b ON a.v = b.v WHERE a.v < 20 ORDER BY b.s",
)
_ROUNDS = 25
_MOST_SECS = 60.0
_QUIET_SECS = 0.7


class Rehearsal:
    """A background thread that runs the statements while `is_quiet` says so."""

    def __init__(self, sessions: SessionStore, identity: Identity, quiet_secs: Callable[[], float]) -> None:
        self._sessions = sessions
        self._identity = identity
        self._quiet_secs = quiet_secs
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="rehearsal", daemon=True)

    def start(self) -> None:
        """Begin, once somebody has been served or a little time has passed."""
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            self._rehearse()
        except SqeError as error:
            # The JVM may have gone; the next one is not rehearsed.
            _log.info("rehearsal ended early", error=error.message)
        finally:
            self._sessions.close_session(REHEARSAL_SESSION)

    def _rehearse(self) -> None:
        busy = 0.0
        for sql in (*_PREPARE, *(_STATEMENTS * _ROUNDS)):
            while self._quiet_secs() < _QUIET_SECS:
                if self._stop.wait(0.1):
                    return
            if self._stop.is_set() or busy > _MOST_SECS:
                return
            begin = time.monotonic()
            self._execute(sql)
            busy += time.monotonic() - begin

    def _execute(self, sql: str) -> None:
        session = self._sessions.open(REHEARSAL_SESSION, self._identity)
        statement = session.spark.statement(new_query_id(), sql)
        try:
            statement.analyze()
            for _ in statement.batches():
                pass
        finally:
            statement.close()
