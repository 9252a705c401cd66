"""Where a resident engine is found: socket, lock and facts, named after what it serves."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True)
class EngineFacts:
    """What a running engine says of itself."""

    pid: int
    version: str
    started: float
    memory_limit: int
    catalogs: dict[str, str]
    log_folder: str
    settings: str


@dataclass(frozen=True)
class EnginePlace:
    """The files of one engine in the user's private run folder."""

    folder: Path
    name: str

    @classmethod
    def of(cls, folder: Path, key: str) -> EnginePlace:
        """The place of the engine that serves what `key` describes."""
        return cls(folder, hashlib.sha256(key.encode()).hexdigest()[:16])

    @classmethod
    def all_in(cls, folder: Path) -> list[EnginePlace]:
        """All places of this user, engine running or not."""
        return [cls(folder, path.stem) for path in sorted(folder.glob("*.lock"))]

    @property
    def socket(self) -> Path:
        """The Unix socket."""
        return self.folder / f"{self.name}.sock"

    @property
    def location(self) -> str:
        """The socket as a Flight location."""
        return f"grpc+unix://{self.socket}"

    def take(self) -> IO[str] | None:
        """The lock of a running engine, held until the file is closed; None when another one holds it."""
        lock = (self.folder / f"{self.name}.lock").open("w")
        os.fchmod(lock.fileno(), 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            return None
        return lock

    def is_running(self) -> bool:
        """Whether an engine holds the lock."""
        if not (self.folder / f"{self.name}.lock").exists():
            return False
        lock = self.take()
        if lock is None:
            return True
        lock.close()
        return False

    def answers(self) -> bool:
        """Whether somebody accepts connections on the socket."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(2)
            try:
                probe.connect(str(self.socket))
            except OSError:
                return False
        return True

    def write_facts(self, facts: EngineFacts) -> None:
        """Note what the engine says of itself."""
        path = self.folder / f"{self.name}.json"
        scratch = path.with_suffix(".tmp")
        scratch.write_text(json.dumps(asdict(facts)), encoding="utf-8")
        scratch.replace(path)

    def facts(self) -> EngineFacts | None:
        """What the engine said of itself; None when nothing readable is there."""
        try:
            return EngineFacts(**json.loads((self.folder / f"{self.name}.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def remove(self) -> None:
        """Remove socket and facts; the lock file stays, since somebody may be waiting on it."""
        self.socket.unlink(missing_ok=True)
        (self.folder / f"{self.name}.json").unlink(missing_ok=True)
