"""Fetches a jar by its coordinate with the Ivy that ships inside pyspark; no registry is named anywhere."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sqe.core.errors import SqeError
from sqe.spark.jar_lock import Jar
from sqe.spark.java import Java
from sqe.spark.spark_jars import spark_jar
from sqe.spark.truststore import PASSWORD, write_truststore

_TIMEOUT_SECS = 1800
_POLL_SECS = 0.2


class IvyError(Exception):
    """Ivy could not get the jar; the text says why in one line."""


class Ivy:
    """Runs Ivy in a Java process of its own."""

    def __init__(self, java: Callable[[], Java]) -> None:
        self._java = java

    def fetch(self, jar: Jar, folder: Path, report: Callable[[Jar, int], None] | None) -> Path:
        """Fetch `jar` into `folder` and answer its path there."""
        with tempfile.TemporaryDirectory(dir=folder, prefix="ivy-") as cache:
            target = folder / jar.file_name
            output = self._run(jar, Path(cache), target, report)
            if not target.exists():
                raise IvyError(_reason(output))
            return target

    def _run(self, jar: Jar, cache: Path, target: Path, report: Callable[[Jar, int], None] | None) -> str:
        log = cache / "ivy.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                self._command(jar, cache, target), stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )
            try:
                deadline = time.monotonic() + _TIMEOUT_SECS
                while process.poll() is None:
                    if time.monotonic() > deadline:
                        raise IvyError(f"no end after {_TIMEOUT_SECS} s")
                    if report:
                        report(jar, min(_arrived(cache, jar), jar.size - 1))
                    time.sleep(_POLL_SECS)
            finally:
                process.kill()
                process.wait()
        return log.read_text(encoding="utf-8", errors="replace")

    def _command(self, jar: Jar, cache: Path, target: Path) -> list[str]:
        try:
            java = self._java()
        except SqeError as error:
            raise IvyError(error.message) from error
        store = cache / "truststore.jks"
        trust = []
        if write_truststore(store):
            trust = [f"-Djavax.net.ssl.trustStore={store}", f"-Djavax.net.ssl.trustStorePassword={PASSWORD}"]
        return [
            str(java.executable), *trust, f"-Divy.default.ivy.user.dir={cache}",
            "-jar", str(spark_jar("ivy-2.5.3.jar")), "-cache", str(cache / "cache"),
            "-dependency", jar.organisation, jar.artifact, jar.version, "-notransitive",
            "-retrieve", str(target.parent / "[artifact]-[revision].[ext]"), "-types", "jar", "bundle",
        ]  # fmt: skip


def _arrived(cache: Path, jar: Jar) -> int:
    """The bytes of the jar so far: Ivy writes to a file with `.part` behind its name."""
    sizes = [path.stat().st_size for path in cache.rglob(f"{jar.artifact}-{jar.version}.jar*")]
    return max(sizes, default=0)


def _reason(output: str) -> str:
    lines = [line.strip() for line in output.splitlines()]
    for mark in (
        "UnknownHostException",
        "Server access error",
        "SSLHandshake",
        "ConnectException",
        "No space",
    ):
        for line in lines:
            if mark in line:
                return line[:300]
    if any("not found" in line for line in lines):
        return "the registry does not have it"
    return "the registry could not be reached"
