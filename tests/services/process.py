"""Starts and stops one server process on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .cache import ServiceError

_READY_SECS = 120
_STOP_SECS = 10


def free_port() -> int:
    """A port of loopback that nobody listens on at this moment."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def running(
    name: str,
    command: Sequence[str | Path],
    url: str,
    log: Path,
    more: Mapping[str, str] | None = None,
    *,
    ready_secs: float = _READY_SECS,
) -> Iterator[None]:
    """The server, from its first answer at `url`, whatever it says, to the end of the block."""
    with log.open("wb") as out:
        # A group of its own: a server that is started by a script goes with it.
        process = subprocess.Popen(
            [str(part) for part in command], env=os.environ | (more or {}), stdin=subprocess.DEVNULL, stdout=out,
            stderr=out, start_new_session=True,
        )  # fmt: skip
    try:
        _await_answer(name, process, url, log, ready_secs)
        yield
    finally:
        _stop(process)


def _await_answer(name: str, process: subprocess.Popen[bytes], url: str, log: Path, ready_secs: float) -> None:
    deadline = time.monotonic() + ready_secs
    while True:
        if process.poll() is not None or time.monotonic() > deadline:
            last = " / ".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:])
            raise ServiceError(f"{name} did not start: {last}")
        try:
            urllib.request.urlopen(url, timeout=5).close()  # noqa: S310 - loopback
        except urllib.error.HTTPError as refused:
            refused.close()
        except OSError:
            time.sleep(0.1)
            continue
        return


def _stop(process: subprocess.Popen[bytes]) -> None:
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(_STOP_SECS)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
        else:
            break
    process.wait()
