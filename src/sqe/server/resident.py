"""The resident engine: a process of its own that serves one user's shells over a Unix socket until it is idle.

Started by the shell with one line of JSON on standard input. Only its owner can connect: the socket is private and
so is its folder.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import sqe
from sqe.core.errors import EngineUnavailableError, SqeError
from sqe.core.folders import private_folder
from sqe.observe.logs import get_logger, log_to_file
from sqe.server.local import LocalEngine
from sqe.server.place import EngineFacts
from sqe.server.rehearsal import REHEARSAL_SESSION, Rehearsal
from sqe.server.request import StartRequest, settings_digest

# Not __name__: this module is also run as the main one.
_log = get_logger("sqe.server.resident")
_TICK_SECS = 1.0
#: After this time without a statement the JVM is asked to hand memory back.
_HOPELESS_SECS = 1.0
_QUIET_SECS = 20.0


class ResidentEngine:
    """Serves until it is told to stop or nobody has asked for anything for a while."""

    def __init__(self, request: StartRequest, log_folder: Path) -> None:
        self._request = request
        self._stop = threading.Event()
        self._released = False
        self._local = LocalEngine(
            request.settings,
            request.folders,
            request.warehouses,
            environ=os.environ,
            log_folder=log_folder,
            warm_up=True,
        )
        # Imported after the JVM was asked to start: both take time, and there are two cores.
        from sqe.endpoints.flight_sql.access import OwnerAccess
        from sqe.endpoints.flight_sql.service import FlightSqlService

        place = request.place
        place.remove()
        self._service = FlightSqlService(
            place.location,
            self._local.pipeline,
            OwnerAccess(self._local.sessions, self._local.identity),
            {"sqe.status": self._status, "sqe.shutdown": self._shutdown},
        )
        place.socket.chmod(0o600)
        self._facts = EngineFacts(
            pid=os.getpid(),
            version=sqe.__version__,
            started=time.time(),
            memory_limit=request.settings.engine.memory_limit,
            catalogs={name: str(path) for name, path in request.warehouses.folders.items()},
            log_folder=str(log_folder),
            settings=settings_digest(request.settings),
        )
        place.write_facts(self._facts)
        self._rehearsal = Rehearsal(self._local.sessions, self._local.identity, self._quiet_secs)
        if request.settings.engine.rehearse:
            self._rehearsal.start()

    def serve(self) -> None:
        """Serve until the end, then clean up."""
        _log.info("engine started", pid=os.getpid(), socket=str(self._request.place.socket))
        while not self._stop.wait(_TICK_SECS):
            self._service.give_up_unclaimed()
            self._rest_when_quiet()
        _log.info("engine stops")
        # New shells must start a new engine from now on.
        self._request.place.remove()
        with self._local.impatience():
            # The service waits for its calls to end, and those wait for their statements.
            self._local.tracker.close()
            self._service.close()
            self._rehearsal.stop()
        self._local.close()

    def stop(self) -> None:
        """Ask `serve` to end."""
        self._stop.set()

    def _quiet_secs(self) -> float:
        """How long nobody has asked for anything; 0 while a statement runs."""
        if self._local.tracker.running():
            self._service.last_call = time.monotonic()
            self._released = False
            return 0.0
        return time.monotonic() - self._service.last_call

    def _rest_when_quiet(self) -> None:
        quiet = self._quiet_secs()
        limit = self._request.settings.engine.idle_timeout_secs
        # An open shell may hold tables in memory: as long as its session lives, so does the engine.
        nobody = not self._local.sessions.count(but=REHEARSAL_SESSION)
        if limit and quiet > limit and nobody:
            _log.info("idle", seconds=round(quiet))
            self._stop.set()
        elif nobody and quiet > _HOPELESS_SECS and self._local.spark.hopeless:
            # No JVM could be started: whoever mends the cause shall not meet this engine.
            _log.info("no JVM")
            self._stop.set()
        elif quiet > _QUIET_SECS and not self._released:
            self._released = True
            self._local.spark.release_memory()

    def _status(self, session_id: str) -> dict[str, Any]:  # noqa: ARG002 - about the engine, not a session
        return {
            "sessions": self._local.sessions.count(but=REHEARSAL_SESSION),
            "running": len(self._local.tracker.running()),
            "jvm_pid": self._local.spark.running_pid(),
        }

    def _shutdown(self, session_id: str) -> dict[str, Any]:  # noqa: ARG002 - about the engine, not a session
        self._stop.set()
        return {"stopping": True}


def serve(request: StartRequest, *, foreground: bool = False) -> int:
    """Serve a place until the end. Raises `SqeError` when the engine cannot start.

    Returns:
        0 after a normal life; also when another engine serves this place already.
    """
    private_folder(request.folders.run)
    lock = request.place.take()
    if lock is None:
        if foreground:
            raise EngineUnavailableError("an engine serves this already", hint="see `sqe-cli engine status`")
        return 0
    with lock:
        log_folder = private_folder(request.folders.logs / request.place.name)
        log_to_file(log_folder / "engine.log", request.settings.logging)
        engine = ResidentEngine(request, log_folder)
        signal.signal(signal.SIGTERM, lambda *_: engine.stop())
        signal.signal(signal.SIGINT, (lambda *_: engine.stop()) if foreground else signal.SIG_IGN)
        engine.serve()
    return 0


def main() -> int:
    """The process that a shell starts; a failure is one line of JSON on standard error for that shell."""
    try:
        return serve(StartRequest.parse(sys.stdin.readline()))
    except SqeError as error:
        sys.stderr.write(json.dumps(error.to_dict()) + "\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
