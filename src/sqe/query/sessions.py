"""All sessions of this process: opened, found, expired."""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from sqe.auth.login import Login
from sqe.core.errors import CanceledError, NotFoundError, SqeError, SqlSemanticError, TooManyRequestsError
from sqe.core.identity import Identity
from sqe.observe.logs import get_logger
from sqe.query.session import ClientState, Session
from sqe.spark.engine import SparkEngine
from sqe.spark.file_access import FileAccess
from sqe.spark.file_settings import FileRules
from sqe.spark.session import SparkSession

__all__ = ["ClientState", "Mounts", "Session", "SessionStore"]

_log = get_logger(__name__)
_SWEEP_SECS = 5.0
#: How many ids of sessions whose client has left are kept.
_REMEMBERED = 10_000
#: Each has catalogs and connections of its own.
_MOST_OF_A_LOGIN = 64


class Mounts(Protocol):
    """The catalogs that every session has."""

    @property
    def start(self) -> tuple[str, str]:
        """Where names without a catalog and without a schema lead."""
        ...

    @property
    def personal(self) -> bool:
        """Whether they depend on who the session is for; such a session cannot be made ahead."""
        ...

    @property
    def passing(self) -> str | None:
        """The catalog whose tables go with the session, if there is one."""
        ...

    def conf(self, memory_folder: Path, login: str) -> dict[str, str]:
        """Spark's settings; `memory_folder` is the session's own, `login` refers to its token."""
        ...

    def tokens(self, login: str, token: str) -> dict[str, str]:
        """The tokens that the settings refer to, by their references."""
        ...


class SessionStore:
    """Opens, finds and expires sessions. One prepared session is kept in reserve, so that opening takes no time."""

    def __init__(
        self,
        engine: SparkEngine,
        mounts: Mounts,
        idle_timeout_secs: float,
        file_rules: FileRules | None = None,
    ) -> None:
        self._engine = engine
        self._file_rules = file_rules or FileRules()
        self._mounts = mounts
        self._idle_timeout = idle_timeout_secs
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._spare: tuple[SparkSession, Path] | None = None
        self._spare_wanted = threading.Event()
        self._closed = threading.Event()
        self._threads = [
            threading.Thread(target=self._keep_spare, name="spare-session", daemon=True),
            threading.Thread(target=self._sweep, name="session-sweeper", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def open(self, session_id: str, identity: Identity, working_folder: str = "") -> Session:
        """The session of this id, opened if there is none; relative paths of files start from `working_folder`."""
        with self._lock:
            if session_id in self._ended:
                # Its client has left; a statement that was still on its way must not open it anew for nobody.
                raise CanceledError("the session is closed")
            session = self._sessions.get(session_id)
            if session is None:
                spark, folder = self._take_spare() or self._new({}, "")
                session = self._added(session_id, identity, spark, folder, working_folder)
            session.last_used = time.monotonic()
        self._spare_wanted.set()
        return session

    def session_for(self, login: Login, state: ClientState, name: str = "") -> Session:
        """The session of a login for a client in this state; one with a name is of the client that has chosen it.

        Raises `SqlSemanticError` for properties that there are not, `NotFoundError` for a catalog that there is not.
        """
        session_id = self.id_for(login, state, name)
        with self._lock:
            if session_id in self._ended:
                raise CanceledError("the session is closed")
            session = self._sessions.get(session_id)
            excess = None
            if session is None:
                excess = self._excess(login)
                session = self._personal(session_id, login, state)
            session.last_used = time.monotonic()
        if excess is not None:
            self.close_session(excess.id)
        return session

    @staticmethod
    def id_for(login: Login, state: ClientState, name: str = "") -> str:
        """The id of that session: nobody outside chooses a login's, so that the name of another one leads nowhere."""
        return f"{login.id}/{name}/{state.digest}"

    def renewed(self, login: Login) -> None:
        """Let the sessions of a login use its fresh token."""
        for session in self._of(login):
            session.identity = login.identity
            session.spark.show(self._mounts.tokens(session.token_reference, login.identity.token or ""))

    def end_login(self, login: Login) -> None:
        """Close the sessions of a login that is over."""
        for session in self._of(login):
            self.close_session(session.id, for_good=True)

    def want_spare(self) -> None:
        """Have a session prepared in the background."""
        self._spare_wanted.set()

    def find(self, session_id: str) -> Session | None:
        """The session of this id."""
        with self._lock:
            return self._sessions.get(session_id)

    def close_session(self, session_id: str, *, for_good: bool = False) -> bool:
        """Close a session; False when there is none. After a close for good nobody can open it again."""
        with self._lock:
            session = self._sessions.pop(session_id, None)
            if for_good:
                self._ended[session_id] = None
                while len(self._ended) > _REMEMBERED:
                    self._ended.popitem(last=False)
        if session is None:
            return False
        session.close()
        return True

    def count(self, but: str = "") -> int:
        """How many sessions are open, but for one."""
        with self._lock:
            return sum(session_id != but for session_id in self._sessions)

    def close(self) -> None:
        """Close all sessions."""
        self._closed.set()
        self._spare_wanted.set()
        for thread in self._threads:
            thread.join()
        with self._lock:
            ids = list(self._sessions)
        for session_id in ids:
            self.close_session(session_id)

    def _excess(self, login: Login) -> Session | None:
        """The session to close when one more would be too many: the one that nobody has used for longest."""
        own = [session for key, session in self._sessions.items() if key.startswith(f"{login.id}/")]
        if len(own) < _MOST_OF_A_LOGIN:
            return None
        idle = [session for session in own if not session.running()]
        if not idle:
            raise TooManyRequestsError(
                f"you have {len(own)} sessions at work", hint="close one, or wait for one to end"
            )
        return min(idle, key=lambda session: session.last_used)

    def _personal(self, session_id: str, login: Login, state: ClientState) -> Session:
        identity = login.identity
        catalog, schema = state.catalog or self._mounts.start[0], state.schema or self._mounts.start[1]
        reference = uuid.uuid4().hex
        spark, folder = self._new(_settings(state), reference)
        if state.catalog and f"spark.sql.catalog.{catalog}" not in self._mounts.conf(folder, reference):
            raise NotFoundError(f"there is no catalog {catalog}", condition="CATALOG_NOT_FOUND")
        spark.show(self._mounts.tokens(reference, identity.token or ""))
        spark.stay_at(catalog, schema)
        session = self._added(session_id, identity, spark, folder, "")
        session.token_reference, session.catalog, session.schema = reference, catalog, schema
        session.trino_listings = state.of_trino
        return session

    def _added(self, session_id: str, identity: Identity, spark: SparkSession, folder: Path, working: str) -> Session:
        spark.allow_files(FileAccess(identity, working, self._file_rules))
        catalog, schema = self._mounts.start
        session = Session(
            session_id, identity, spark, folder, self._file_rules.allow_local_paths, catalog=catalog, schema=schema
        )
        session.passing = self._mounts.passing
        self._sessions[session_id] = session
        return session

    def _of(self, login: Login) -> list[Session]:
        with self._lock:
            return [session for key, session in self._sessions.items() if key.startswith(f"{login.id}/")]

    def _new(self, settings: Mapping[str, str], login: str) -> tuple[SparkSession, Path]:
        folder = self._engine.scratch / "memory" / uuid.uuid4().hex
        return SparkSession(self._engine, self._mounts.conf(folder, login) | dict(settings)), folder

    def _take_spare(self) -> tuple[SparkSession, Path] | None:
        spare, self._spare = self._spare, None
        return spare

    def _keep_spare(self) -> None:
        while True:
            self._spare_wanted.wait()
            if self._closed.is_set():
                return
            self._spare_wanted.clear()
            with self._lock:
                wanted = self._spare is None and not self._mounts.personal
            if wanted:
                self._prepare_spare()

    def _prepare_spare(self) -> None:
        made = self._new({}, "")
        try:
            made[0].prepare()
        except Exception as error:  # noqa: BLE001 - a background loop; the next statement meets the same error
            _log.warning("spare session failed", error=str(error))
            return
        with self._lock:
            self._spare = made

    def _sweep(self) -> None:
        while not self._closed.wait(_SWEEP_SECS):
            if not self._idle_timeout:
                continue
            oldest = time.monotonic() - self._idle_timeout
            with self._lock:
                sessions = list(self._sessions.values())
            for session in sessions:
                if session.last_used < oldest and not session.running():
                    self._close_quietly(session)

    def _close_quietly(self, session: Session) -> None:
        try:
            self.close_session(session.id)
        except SqeError as error:
            _log.warning("an idle session did not close", error=error.message)


def _settings(state: ClientState) -> dict[str, str]:
    """Spark's settings for what a client has set."""
    # Imported here: the embedded engine starts its JVM before it loads the dialect.
    from sqe.sql.statements.session import SESSION_PROPERTIES

    settings = {"spark.sql.session.timeZone": state.time_zone} if state.time_zone else {}
    for name, value in state.properties:
        known = SESSION_PROPERTIES.get(name.lower())
        if known is None:
            raise SqlSemanticError(
                f"there is no session property {name}",
                hint="SHOW SESSION lists those that there are",
                condition="INVALID_SESSION_PROPERTY",
            )
        settings[known.key] = value
    return settings
