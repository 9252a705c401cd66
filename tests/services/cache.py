"""Where fetched servers are kept: `sqe/services` in the user's cache folder. What is there is complete."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqe.core.folders import Folders

PINS = Path(__file__).parent / "pins"
_TIMEOUT_SECS = 1200


class ServiceError(Exception):
    """A server could not be fetched or started; the text says which one and why."""


def services_folder() -> Path:
    """The folder of all fetched servers, made when needed."""
    folder = Folders.of_user(os.environ).cache / "services"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """The folder `name`; if it is not there, `make` fills a scratch folder that then takes its place."""
    folder = services_folder() / name
    if folder.exists():
        return folder
    with _locked():
        # Another process may have made it meanwhile.
        if not folder.exists():
            scratch = Path(tempfile.mkdtemp(dir=services_folder(), prefix="making-"))
            try:
                make(scratch)
                scratch.rename(folder)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    return folder


@contextmanager
def _locked() -> Iterator[None]:
    """Two test runs that need the same server fetch it once."""
    with (services_folder() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def check_sha256(path: Path, expected: str) -> None:
    """Raises `ServiceError` unless the file is the one that was pinned."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise ServiceError(f"{path.name} has the SHA-256 {found} instead of {expected}")


def run(what: str, command: Sequence[str | Path], folder: Path, more: Mapping[str, str] | None = None) -> str:
    """What a command of a fetch wrote; raises `ServiceError` with its last lines when it fails."""
    try:
        done = subprocess.run(
            [str(part) for part in command], cwd=folder, env=os.environ | (more or {}), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=_TIMEOUT_SECS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServiceError(f"{what} could not be fetched: {error}") from error
    if done.returncode != 0:
        last = " / ".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise ServiceError(f"{what} could not be fetched: {last}")
    return done.stdout
