"""`sqe-cli engine status|stop`: the resident engines of this user."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqe.core.errors import SqeError
from sqe.core.folders import Folders
from sqe.core.processes import resident_bytes
from sqe.core.sizes import format_size
from sqe.core.usage import OneLineParser
from sqe.server.place import EnginePlace

if TYPE_CHECKING:
    from sqe.server.place import EngineFacts


def run_engine_command(arguments: Sequence[str]) -> int:
    """Status or stop; exit code 0, or 1 when an engine could not be stopped."""
    parser = OneLineParser(prog="sqe-cli engine", description="The resident engines of this user.")
    parser.add_argument("what", choices=("status", "stop"))
    what = parser.parse_args(arguments).what
    folders = Folders.of_user(os.environ)
    running = [place for place in EnginePlace.all_in(folders.run) if place.is_running()]
    if not running:
        print("no engine is running")
        return 0
    return _stop(running) if what == "stop" else _status(running)


def _status(running: Sequence[EnginePlace]) -> int:
    from sqe.endpoints.flight_sql.client import FlightConnection

    for place in running:
        facts = place.facts()
        if facts is None:
            print("an engine is starting")
            continue
        connection = FlightConnection(place.location)
        try:
            live = connection.action("sqe.status")
        except SqeError:
            live = {}
        finally:
            connection.close()
        print(_described(facts, live))
    return 0


def _described(facts: EngineFacts, live: dict[str, int]) -> str:
    catalogs = ", ".join(f"{name}={path}" for name, path in facts.catalogs.items()) or "memory only"
    pids = [facts.pid, *([live["jvm_pid"]] if live.get("jvm_pid") else [])]
    state = f"{live['running']} statement(s) running, {live['sessions']} session(s)" if live else "does not answer"
    resident = format_size(sum(resident_bytes(pid) for pid in pids) >> 20 << 20)
    return (
        f"engine {facts.pid} (sqe {facts.version}), up {_duration(time.time() - facts.started)}, {state}\n"
        f"  catalogs  {catalogs}\n"
        f"  memory    {resident} resident, limit for statements {format_size(facts.memory_limit)}\n"
        f"  log       {facts.log_folder}"
    )


def _duration(seconds: float) -> str:
    minutes, secs = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}m" if hours else f"{minutes}m {secs}s"


def _stop(running: Sequence[EnginePlace]) -> int:
    from sqe.cli.resident import stop_engine

    failed = False
    for place in running:
        facts = place.facts()
        name = f"engine {facts.pid}" if facts else "engine"
        try:
            stop_engine(place)
            print(f"{name} stopped")
        except SqeError as error:
            failed = True
            print(f"error: {name}: {error.message}", file=sys.stderr)
    return 1 if failed else 0
