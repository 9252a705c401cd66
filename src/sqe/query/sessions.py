"""Sessions: one person's catalogs, settings and temporary views, and the folder of their in-memory tables."""

from __future__ import annotations

import shutil
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sqe.core.errors import CanceledError, ExternalError
from sqe.core.identity import Identity
from sqe.observe.logs import get_logger
from sqe.query.attachments import Attached, Attachments
from sqe.query.lifecycle import Query
from sqe.spark.engine import SparkEngine
from sqe.spark.file_access import FileAccess
from sqe.spark.file_settings import FileRules
from sqe.spark.session import SparkSession

_log = get_logger(__name__)
_SWEEP_SECS = 5.0
#: How many ids of sessions whose client has left are kept.
_REMEMBERED = 10_000

#: Makes the Spark settings of a session that keeps its in-memory tables in the given folder.
ConfOf = Callable[[Path], dict[str, str]]


@dataclass(eq=False)
class Session:
    """What one client has opened."""

    id: str
    identity: Identity
    spark: SparkSession
    folder: Path
    #: Whether paths of this machine mean anything to the person.
    local_paths: bool = False
    last_used: float = field(default_factory=time.monotonic)
    current: Query | None = None
    #: Where names without a catalog or a schema lead; USE changes it.
    catalog: str = "default"
    schema: str = "default"
    write_branch: str | None = None
    #: The texts of prepared statements by their names.
    prepared: dict[str, str] = field(default_factory=dict)
    #: The attached catalogs as this session has them.
    attached: dict[str, Attached] = field(default_factory=dict)

    def follow(self, attachments: Attachments) -> None:
        """Have exactly the catalogs that this person has attached, in whatever session that was."""
        wanted = attachments.catalogs(self.identity.user)
        if wanted == self.attached:
            return
        for name in [name for name, facts in self.attached.items() if wanted.get(name) != facts]:
            del self.attached[name]
            self.spark.detach(name)
        for name in wanted.keys() - self.attached.keys():
            self.spark.need(wanted[name].groups)
            try:
                self.spark.attach(name, wanted[name].settings)
            except ExternalError as error:
                # Whoever uses it is told; the others need not wait for it to come back.
                _log.warning("an attached catalog does not answer", catalog=name, error=error.message)
                continue
            self.attached[name] = wanted[name]

    def close(self) -> None:
        """Stop what runs in it and free everything it holds."""
        if self.current is not None:
            self.current.cancel()
        self.spark.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class SessionStore:
    """Opens, finds and expires sessions. One prepared session is kept in reserve, so that opening takes no time."""

    def __init__(
        self,
        engine: SparkEngine,
        conf_of: ConfOf,
        idle_timeout_secs: float,
        file_rules: FileRules | None = None,
    ) -> None:
        self._engine = engine
        self._file_rules = file_rules or FileRules()
        self._conf_of = conf_of
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
                spark, folder = self._take_spare() or self._new()
                spark.allow_files(FileAccess(identity, working_folder, self._file_rules))
                session = Session(session_id, identity, spark, folder, self._file_rules.allow_local_paths)
                self._sessions[session_id] = session
            session.last_used = time.monotonic()
        self._spare_wanted.set()
        return session

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

    def _new(self) -> tuple[SparkSession, Path]:
        folder = self._engine.scratch / "memory" / uuid.uuid4().hex
        return SparkSession(self._engine, self._conf_of(folder)), folder

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
                wanted = self._spare is None
            if wanted:
                self._prepare_spare()

    def _prepare_spare(self) -> None:
        made = self._new()
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
                idle = [
                    session.id
                    for session in self._sessions.values()
                    if session.last_used < oldest and (session.current is None or session.current.state.ended)
                ]
            for session_id in idle:
                self.close_session(session_id)
