"""Finding the resident engine, starting it when none runs, and coming back when it went away."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING

import sqe
from sqe.core.errors import EngineUnavailableError, RemoteError, SqeError
from sqe.core.folders import current_folder, private_folder
from sqe.endpoints.flight_sql.client import FlightConnection, FlightResult
from sqe.server.place import EngineFacts, EnginePlace

if TYPE_CHECKING:
    import subprocess

    from sqe.catalogs.embedded import Warehouses
    from sqe.cli.embedded import EmbeddedConfig
    from sqe.core.progress import Progress

_START_TIMEOUT_SECS = 60.0
_STOP_TIMEOUT_SECS = 25.0
_POLL_SECS = 0.02


class ResidentConnection:
    """A session of the resident engine. When the engine has gone between two statements, a new one is started."""

    def __init__(self, config: EmbeddedConfig, warehouses: Warehouses) -> None:
        self._config = config
        self._warehouses = warehouses
        self._place = EnginePlace.of(private_folder(config.folders.run), warehouses.key())
        self._flight: FlightConnection | None = None
        self._attach()

    def execute(self, sql: str) -> FlightResult:
        """Run a statement. Raises `SqeError`."""
        if self._flight is None or not self._place.answers():
            self._reattach()
        return self._connected().execute(sql)

    def progress(self) -> Progress | None:
        """How far the running statement is."""
        return self._connected().progress()

    def cancel(self) -> None:
        """Stop the running statement."""
        self._connected().cancel()

    def close(self) -> None:
        """End the session; the engine stays."""
        if self._flight is not None:
            self._flight.close()
            self._flight = None

    def _connected(self) -> FlightConnection:
        if self._flight is None:
            raise EngineUnavailableError("there is no engine")
        return self._flight

    def _reattach(self) -> None:
        self.close()
        self._attach()
        print("note: the engine was started anew; tables in memory and SET values are gone", file=sys.stderr)

    def _attach(self) -> None:
        facts = self._place.facts() if self._place.answers() else None
        if facts is not None and facts.version != sqe.__version__:
            stop_engine(self._place)
            facts = None
        if facts is None:
            self._start()
        else:
            self._tell_of_other_settings(facts)
        self._flight = FlightConnection(self._place.location, folder=current_folder())

    @property
    def memory_limit(self) -> int:
        """The limit of the engine that answers, whatever was asked for."""
        facts = self._place.facts()
        return facts.memory_limit if facts is not None else self._config.settings.engine.memory_limit

    def _tell_of_other_settings(self, facts: EngineFacts) -> None:
        if not self._config.something_is_set():
            return
        from sqe.server.request import settings_digest

        if settings_digest(self._config.settings) != facts.settings:
            print(
                "note: the running engine was started with other settings; "
                "`sqe-cli engine stop` lets the next one have these",
                file=sys.stderr,
            )

    def _start(self) -> None:
        import subprocess
        import tempfile

        from sqe.server.request import request_text

        self._warehouses.prepare()
        settings = self._config.settings if self._config.something_is_set() else None
        request = request_text(settings, self._config.folders, self._warehouses, self._place)
        with tempfile.TemporaryFile() as complaints:
            process = subprocess.Popen(
                [sys.executable, "-m", "sqe.server.resident"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                start_new_session=True,
                cwd="/",
            )
            _send(process, request)
            self._await(process, complaints)

    def _await(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_SECS
        while time.monotonic() < deadline:
            if self._place.answers() and self._place.facts() is not None:
                return
            code = process.poll()
            # Code 0 means that another shell's engine was first: it will answer soon.
            if code:
                raise _start_failure(code, complaints)
            time.sleep(_POLL_SECS)
        raise EngineUnavailableError(
            f"the engine did not start within {_START_TIMEOUT_SECS:.0f} s",
            hint=f"see {self._config.folders.logs / self._place.name}",
        )


def stop_engine(place: EnginePlace) -> bool:
    """Ask an engine to end and wait until it has; False when none ran."""
    if not place.is_running():
        place.remove()
        return False
    facts = place.facts()
    connection = FlightConnection(place.location)
    try:
        # An engine that does not answer any more is told by force below.
        with suppress(SqeError):
            connection.action("sqe.shutdown")
    finally:
        connection.close()
    if _has_ended(place):
        return True
    if facts is None:
        raise EngineUnavailableError("the engine does not end", hint="end the process by hand")
    with suppress(ProcessLookupError):
        os.kill(facts.pid, signal.SIGKILL)
    if not _has_ended(place):
        raise EngineUnavailableError(f"the engine (process {facts.pid}) does not end", hint="end the process by hand")
    place.remove()
    return True


def _has_ended(place: EnginePlace) -> bool:
    deadline = time.monotonic() + _STOP_TIMEOUT_SECS
    while place.is_running():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECS)
    return True


def _send(process: subprocess.Popen[bytes], request: str) -> None:
    if process.stdin is None:  # pragma: no cover - Popen was told to make a pipe
        raise EngineUnavailableError("the engine has no standard input")
    try:
        process.stdin.write(request.encode() + b"\n")
        process.stdin.close()
    except BrokenPipeError:
        # It ended before it read; its exit code and last words tell why.
        return


def _start_failure(code: int, complaints: IO[bytes]) -> SqeError:
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").strip().splitlines()
    try:
        return RemoteError(json.loads(lines[-1]))
    except (ValueError, IndexError):
        return EngineUnavailableError(
            f"the engine ended at its start (exit code {code})", hint=lines[-1] if lines else None
        )
