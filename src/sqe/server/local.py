"""An engine in this process: everything between a session's SQL and Spark, put together once."""

from __future__ import annotations

import os
import pwd
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.catalogs.embedded import EmbeddedMounts, Warehouses
from sqe.core.errors import SqeError
from sqe.core.folders import Folders
from sqe.core.identity import Identity
from sqe.observe.logs import get_logger
from sqe.query.lifecycle import QueryListener
from sqe.query.sessions import Mounts, SessionStore
from sqe.query.tracker import QueryTracker
from sqe.server.scratch import remove_orphans
from sqe.settings import Settings
from sqe.spark.engine import SparkEngine
from sqe.spark.toolchain import Toolchain

if TYPE_CHECKING:
    from sqe.query.pipeline import Pipeline

_log = get_logger(__name__)
#: How long the JVM may take to end in an orderly way.
_PATIENCE_SECS = 10.0


class Engine:
    """The parts of an engine: Spark, sessions, the tracker of statements, and the pipeline through them."""

    def __init__(
        self,
        settings: Settings,
        folders: Folders,
        mounts: Mounts,
        *,
        environ: Mapping[str, str],
        log_folder: Path,
        groups: frozenset[str] = frozenset(),
        listeners: tuple[QueryListener, ...] = (),
        session_idle_secs: float | None = None,
        one_shot: bool = False,
        jvm_flags: tuple[str, ...] = (),
        warm_up: bool = False,
    ) -> None:
        remove_orphans(settings.engine.spill_dir)
        self.settings = settings
        #: The JVM's process is there, or will not be.
        self._launched = threading.Event()
        self.spark = SparkEngine(
            Toolchain(folders.cache, settings.engine.java_home, environ),
            settings.engine,
            log_folder=log_folder,
            groups=groups,
            functions=self._functions,
            one_shot=one_shot,
            jvm_flags=jvm_flags,
        )
        idle = settings.engine.session_idle_timeout_secs if session_idle_secs is None else session_idle_secs
        self.sessions = SessionStore(self.spark, mounts, idle, settings.storage.tvf)
        if warm_up:
            threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()
            # What follows takes the interpreter for a while; the JVM, which needs longer, starts meanwhile.
            self._launched.wait()
        self.tracker = QueryTracker(settings.query, settings.query_history, listeners)
        self.pipeline = _pipeline(settings, self.tracker)

    def _warm_up(self) -> None:
        """Start the JVM and prepare a session, while the process does something else."""
        try:
            self.spark.jvm()
            self.sessions.want_spare()
        except SqeError as error:
            # The first statement meets the same error and tells it to a person.
            _log.warning("warm-up failed", error=error.message)
        finally:
            self._launched.set()

    def _functions(self) -> Mapping[str, Mapping[str, str]]:
        """The function table; asked for when the JVM's process has been made."""
        self._launched.set()
        from sqe.sql.functions.table import function_table

        return function_table().scalars

    def close(self) -> None:
        """Cancel what runs, close all sessions, stop Spark."""
        with self.impatience():
            self.tracker.close()
            self.sessions.close()
            self.spark.close()

    @contextmanager
    def impatience(self) -> Iterator[None]:
        """A JVM that keeps the block from ending for long is killed."""
        timer = threading.Timer(_PATIENCE_SECS, self._lose_patience)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _lose_patience(self) -> None:
        _log.warning("the JVM does not end and is killed")
        self.spark.kill()


class LocalEngine(Engine):
    """An embedded engine: warehouses of this machine, for whoever runs it."""

    def __init__(
        self,
        settings: Settings,
        folders: Folders,
        warehouses: Warehouses,
        *,
        environ: Mapping[str, str],
        log_folder: Path,
        one_shot: bool = False,
        jvm_flags: tuple[str, ...] = (),
        warm_up: bool = False,
    ) -> None:
        warehouses.prepare()
        super().__init__(
            settings,
            folders,
            EmbeddedMounts(warehouses),
            environ=environ,
            log_folder=log_folder,
            one_shot=one_shot,
            jvm_flags=jvm_flags,
            warm_up=warm_up,
        )
        # Whoever runs an engine of their own owns it.
        self.identity = Identity(user=_user_name(), admin=True)


def _pipeline(settings: Settings, tracker: QueryTracker) -> Pipeline:
    from sqe.query.admission import Admission
    from sqe.query.pipeline import Pipeline

    return Pipeline(settings.query, tracker, admission=Admission(settings.query, settings.rate_limit))


def _user_name() -> str:
    """The operating system's name of the user; a container may have none for its number."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
