"""The command line of the engine's JVM. Each choice was measured: docs/decisions/0003-jvm-start.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqe.spark.java import Java

_OPENS = (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.loader", "jdk.internal.ref", "sun.nio.ch",
    "sun.nio.cs", "sun.security.action", "sun.util.calendar",
)  # fmt: skip

_MB = 1024 * 1024
#: What Spark and the JVM need beside the memory that statements may use; Spark refuses heaps under 450 MB.
HEAP_OVERHEAD = 512 * _MB
#: Spark sets this much of the heap aside before it applies `spark.memory.fraction`.
_SPARK_RESERVED = 300 * _MB


@dataclass(frozen=True)
class JvmPlan:
    """All that decides on the command line."""

    java: Java
    class_path: Sequence[Path]
    memory_limit: int
    log_folder: Path
    archive: Path | None = None
    #: A process for one statement: it never lives long enough to gain from the optimizing compiler.
    one_shot: bool = False

    @property
    def heap(self) -> int:
        """The largest heap in bytes."""
        return self.memory_limit + HEAP_OVERHEAD

    @property
    def memory_fraction(self) -> float:
        """The share of the heap that makes Spark's pool as large as the limit says."""
        return round(self.memory_limit / (self.heap - _SPARK_RESERVED), 4)

    def command(self, *, extra: Sequence[str] = ()) -> list[str]:
        """The command line, up to and including the main class."""
        return [
            str(self.java.executable),
            *self._heap_flags(),
            *self._start_flags(),
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENS),
            "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
            "-Djdk.reflect.useDirectMethodHandle=false",
            "-Dio.netty.tryReflectionSetAccessible=true",
            # Nobody records flights here, and preparing for it takes 0.1 s.
            "-Dio.netty.jfr.enabled=false",
            "-Dorg.apache.iceberg.shaded.io.netty.jfr.enabled=false",
            "-Djava.net.preferIPv4Stack=true",
            "-Djava.awt.headless=true",
            "-Dfile.encoding=UTF-8",
            f"-Dsqe.log.folder={self.log_folder}",
            "-Dlog4j2.configurationFile=sqe-log4j2.properties",
            *extra,
            "-cp",
            ":".join(map(str, self.class_path)),
            "sqe.jvm.Main",
        ]

    def _heap_flags(self) -> list[str]:
        return [
            f"-Xmx{self.heap // _MB}m",
            "-Xms128m",
            "-Xss4m",
            "-XX:+UseSerialGC",
            "-XX:MinHeapFreeRatio=20",
            "-XX:MaxHeapFreeRatio=40",
            f"-XX:MaxDirectMemorySize={max(256 * _MB, self.memory_limit) // _MB}m",
            "-XX:ReservedCodeCacheSize=256m",
            "-XX:+ExitOnOutOfMemoryError",
            f"-XX:ErrorFile={self.log_folder}/jvm-crash-%p.log",
        ]

    def _start_flags(self) -> list[str]:
        flags = [
            "-XX:-UsePerfData",
            "-Xlog:disable",
            "-Xlog:all=error:stderr",
            "-XX:+DisplayVMOutputToStderr",
        ]
        if self.one_shot:
            flags.append("-XX:TieredStopAtLevel=1")
        if self.archive is not None:
            flags += [f"-XX:SharedArchiveFile={self.archive}", "-Xshare:auto"]
        return flags
