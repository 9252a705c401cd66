"""Keeps the locked jars in the user's cache folder: checks them, fetches what is missing or broken."""

from __future__ import annotations

import fcntl
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqe.core.errors import JarsMissingError
from sqe.spark.ivy import Ivy, IvyError
from sqe.spark.jar_lock import Jar, jars_of

#: Called with the jar that is being fetched and the bytes that have arrived.
Report = Callable[[Jar, int], None]
_POLL_SECS = 0.2


class JarCache:
    """The folder of jars. A jar is trusted after its SHA-256 was checked once and its file has not changed since."""

    def __init__(self, folder: Path, ivy: Ivy) -> None:
        self.folder = folder
        self._ivy = ivy
        self._seal = folder / "checked.json"

    def ensure(self, wanted: frozenset[str], report: Report | None = None) -> tuple[Path, ...]:
        """The paths of all jars of these groups, fetched where needed. Raises `JarsMissingError`."""
        jars = jars_of(wanted)
        missing = self.broken(wanted)
        if missing:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._locked(missing, report):
                for jar in self.broken(wanted):
                    self._fetch(jar, report)
        return tuple(self.folder / jar.file_name for jar in jars)

    def broken(self, wanted: frozenset[str], *, thorough: bool = False) -> list[Jar]:
        """The jars of these groups that are missing or not what the lock says.

        Args:
            wanted: The groups to look at.
            thorough: Read every byte again, even of files that have not changed since their last check.
        """
        seals = self._seals()
        found = []
        for jar in jars_of(wanted):
            facts = self._facts(jar)
            if not thorough and facts is not None and seals.get(jar.file_name) == facts:
                continue
            if self._is_right(self.folder / jar.file_name, jar):
                self._remember(jar)
            else:
                found.append(jar)
        return found

    def _is_right(self, path: Path, jar: Jar) -> bool:
        try:
            if path.stat().st_size != jar.size:
                return False
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
        except OSError:
            return False

    def _fetch(self, jar: Jar, report: Report | None) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="fetch-") as scratch:
            try:
                arrived = self._ivy.fetch(jar, Path(scratch), report)
            except IvyError as error:
                raise self._missing(jar, str(error)) from error
            if not self._is_right(arrived, jar):
                raise self._missing(jar, "what arrived does not match the lock's SHA-256")
            arrived.replace(self.folder / jar.file_name)
            if report:
                report(jar, jar.size)
        self._remember(jar)

    def _missing(self, jar: Jar, reason: str) -> JarsMissingError:
        return JarsMissingError(
            f"jar {jar.coordinate} (group {jar.group}) could not be fetched: {reason}",
            hint=f"connect to a network once, or put {jar.file_name} into {self.folder} by hand",
        )

    def _facts(self, jar: Jar) -> list[object] | None:
        """What tells a changed file apart from the one that was checked."""
        try:
            facts = (self.folder / jar.file_name).stat()
        except OSError:
            return None
        return [jar.sha256, facts.st_size, facts.st_mtime_ns, facts.st_ino]

    def _seals(self) -> dict[str, object]:
        try:
            seals = json.loads(self._seal.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return seals if isinstance(seals, dict) else {}

    def _remember(self, jar: Jar) -> None:
        seals = self._seals() | {jar.file_name: self._facts(jar)}
        try:
            with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as file:
                json.dump(seals, file)
            Path(file.name).replace(self._seal)
        except OSError:
            # A read-only cache: the jars are checked again at the next start.
            return

    @contextmanager
    def _locked(self, wanted: list[Jar], report: Report | None) -> Iterator[None]:
        """Two processes that need the same jar fetch it once; the second may give up its wait by `report`."""
        with (self.folder / ".lock").open("w") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if report:
                        report(wanted[0], 0)
                    time.sleep(_POLL_SECS)
            yield
