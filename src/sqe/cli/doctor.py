"""`sqe-cli doctor`: is everything there that an engine needs, and what to do where it is not."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqe
from sqe.core.errors import SqeError
from sqe.core.folders import Folders, private_folder
from sqe.core.sizes import format_size
from sqe.core.usage import OneLineParser
from sqe.settings import Settings, load
from sqe.spark.jar_lock import groups, jars_of
from sqe.spark.jvm_flags import HEAP_OVERHEAD
from sqe.spark.toolchain import BASE_GROUPS, Toolchain

_GB = 1 << 30
_NEEDED_DISK = 2 * _GB
_PORTS = {50051: "Flight SQL", 8080: "Trino HTTP", 9090: "metrics", 9091: "health"}


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    level: str
    text: str
    advice: str = ""


def run_doctor(arguments: Sequence[str]) -> int:
    """Print the report; exit code 1 when an embedded engine cannot work as things are."""
    OneLineParser(prog="sqe-cli doctor", description="Check Java, jars, memory, disk and ports.").parse_args(arguments)
    folders = Folders.of_user(os.environ)
    settings, problems = _settings()
    toolchain = Toolchain(folders.cache, settings.engine.java_home, os.environ)
    checks: list[Callable[[], Iterator[Finding]]] = [
        _python,
        lambda: iter(problems),
        lambda: _java(toolchain),
        lambda: _jars(toolchain),
        lambda: _archive(toolchain),
        lambda: _memory(settings.engine.memory_limit),
        lambda: _disk(folders),
        lambda: _run_folder(folders),
        _ports,
    ]
    findings = [finding for check in checks for finding in check()]
    for finding in findings:
        print(f"{finding.level:<5} {finding.text}")
        if finding.advice:
            print(f"      -> {finding.advice}")
    failed = sum(finding.level == "FAIL" for finding in findings)
    print("all that an embedded engine needs is there" if not failed else f"{failed} problem(s) found")
    return 1 if failed else 0


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("ok", f"sqe {sqe.__version__}, Python {version}")


def _java(toolchain: Toolchain) -> Iterator[Finding]:
    try:
        java = toolchain.java
        yield Finding("ok", f"Java {java.version} from {java.source} ({java.executable})")
    except SqeError as error:
        yield Finding("FAIL", error.message, error.hint or "")


def _jars(toolchain: Toolchain) -> Iterator[Finding]:
    for group in groups():
        wanted = frozenset({group})
        broken = toolchain.jars.broken(wanted, thorough=True)
        present = [jar for jar in broken if (toolchain.jars.folder / jar.file_name).exists()]
        if not broken:
            yield Finding("ok", f"jars of group {group}: {len(jars_of(wanted))} checked")
        elif present:
            names = ", ".join(jar.file_name for jar in present)
            yield Finding(
                "FAIL", f"jars of group {group} are broken: {names}", "run `sqe-cli setup` to fetch them again"
            )
        elif group in BASE_GROUPS:
            names = ", ".join(jar.file_name for jar in broken)
            advice = f"run `sqe-cli setup`, or put it into {toolchain.jars.folder} by hand"
            yield Finding("FAIL", f"jars of group {group} are missing: {names}", advice)
        else:
            yield Finding("-", f"jars of group {group}: not fetched; nothing configured here needs them")


def _archive(toolchain: Toolchain) -> Iterator[Finding]:
    if toolchain.jars.broken(BASE_GROUPS):
        return
    try:
        archive = toolchain.usable_archive(toolchain.class_path())
    except SqeError as error:
        yield Finding("FAIL", error.message, error.hint or "")
        return
    if archive is None:
        yield Finding("warn", "no class archive: engines start slowly", "run `sqe-cli setup`")
    else:
        yield Finding("ok", f"class archive {format_size(archive.stat().st_size >> 20 << 20)}")


def _settings() -> tuple[Settings, list[Finding]]:
    """The settings that an engine started here would have; the defaults when they cannot be read."""
    try:
        loaded = load(config_path=None, environ=os.environ, overrides={}, embedded=True, cwd=Path.cwd())
    except SqeError as error:
        return Settings(), [Finding("FAIL", line, "mend the settings") for line in error.message.splitlines()]
    source = [Finding("ok", f"settings from {loaded.source}")] if loaded.source else []
    return loaded.settings, source + [Finding("warn", warning) for warning in loaded.warnings]


def _memory(limit: int) -> Iterator[Finding]:
    available = _available_memory()
    needed = limit + HEAP_OVERHEAD
    if available is None:
        yield Finding("warn", "the free memory cannot be read here")
    elif available < needed:
        advice = "close programs, or lower engine.memory_limit (64MB or more)"
        text = f"{format_size(available >> 20 << 20)} memory free, an engine takes up to {format_size(needed)}"
        yield Finding("warn", text, advice)
    else:
        yield Finding("ok", f"{format_size(available >> 20 << 20)} memory free")


def _available_memory() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _disk(folders: Folders) -> Iterator[Finding]:
    places = {"cache": folders.cache, "warehouse": folders.warehouse, "scratch": Path(tempfile.gettempdir())}
    for name, folder in places.items():
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        free = shutil.disk_usage(existing).free
        text = f"{format_size(free >> 20 << 20)} free for the {name} ({folder})"
        if not os.access(existing, os.W_OK):
            yield Finding("FAIL", f"{existing} cannot be written", f"the {name} lies there; change its permissions")
        elif free < _NEEDED_DISK:
            yield Finding("warn", text, "make room: an engine wants 2GB")
        else:
            yield Finding("ok", text)


def _run_folder(folders: Folders) -> Iterator[Finding]:
    try:
        private_folder(folders.run)
        yield Finding("ok", f"sockets in {folders.run}, open to this user only")
    except SqeError as error:
        yield Finding("FAIL", error.message, error.hint or "")


def _ports() -> Iterator[Finding]:
    taken = [f"{port} ({use})" for port, use in _PORTS.items() if not _free(port)]
    if taken:
        yield Finding("warn", f"ports in use: {', '.join(taken)}", "only a server needs them; choose others there")
    else:
        yield Finding("ok", f"ports {', '.join(map(str, _PORTS))} are free")


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
