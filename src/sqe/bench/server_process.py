"""A server of its own for measurements: a home, keys, a warehouse, free ports; gone at the end."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqe.core.errors import ExternalError
from sqe.core.folders import Folders

_START_SECS = 180


@dataclass(frozen=True)
class ServerProcess:
    """Where it listens, and the key of the one user it knows."""

    trino: str
    flight: str
    key: str
    pid: int


@contextmanager
def server_process(folder: Path, memory_limit: str = "2GB") -> Iterator[ServerProcess]:
    """A server with the catalog `lake`, ready for statements."""
    flight, trino, metrics = _free_ports(3)
    key = f"sqe_{secrets.token_hex(16)}"
    keys = folder / "keys.toml"
    keys.write_text(f'[[keys]]\nkey = "{key}"\nuser = "bench"\n', encoding="utf-8")
    keys.chmod(0o600)
    settings = folder / "sqe.toml"
    settings.write_text(_settings(folder, flight, trino, metrics, memory_limit), encoding="utf-8")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SQE_")}
    environ |= {"HOME": str(folder), "XDG_CACHE_HOME": str(Folders.of_user(os.environ).cache.parent)}
    command = [str(Path(sys.executable).parent / "sqe-server"), "--config", str(settings)]
    with (folder / "server.out").open("wb") as out:
        process = subprocess.Popen(command, env=environ, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    try:
        _await(process, f"http://127.0.0.1:{metrics + 1}/readyz", folder / "server.out")
        yield ServerProcess(f"http://127.0.0.1:{trino}", f"grpc://127.0.0.1:{flight}", key, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _settings(folder: Path, flight: int, trino: int, metrics: int, memory_limit: str) -> str:
    return f"""
[coordinator]
flight_sql_port = {flight}
trino_http_port = {trino}
shutdown_drain_secs = 1
[metrics]
prometheus_port = {metrics}
[engine]
memory_limit = "{memory_limit}"
[query]
max_result_rows = 0
[catalogs.lake]
warehouse = "{folder}/lake"
backend.type = "sqlite"
auth.type = "anonymous"
[[auth.providers]]
type = "api_key"
keys_file = "{folder}/keys.toml"
"""


def _await(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + _START_SECS
    while True:
        if process.poll() is not None or time.monotonic() > deadline:
            raise ExternalError(f"the server did not start: {log.read_text(encoding='utf-8', errors='replace')[-500:]}")
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - loopback
                return
        except OSError:
            time.sleep(0.2)


def _free_ports(count: int) -> list[int]:
    taken = [socket.socket() for _ in range(count)]
    try:
        for one in taken:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in taken]
    finally:
        for one in taken:
            one.close()
