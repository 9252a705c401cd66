"""Everything that must be on the disk before a JVM can start: Java, jars, the helper, the class data archive."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from sqe.spark.helper import helper_jar
from sqe.spark.ivy import Ivy
from sqe.spark.jars import JarCache, Report
from sqe.spark.java import Java, find_java
from sqe.spark.spark_jars import spark_jars
from sqe.spark.unsigned import unsigned_jars

#: What every embedded engine needs; the archive is made over exactly these.
BASE_GROUPS = frozenset({"core", "sqlite"})


class Toolchain:
    """The parts in one user's cache folder, each fetched or built on first use."""

    def __init__(self, cache: Path, java_home: str, environ: Mapping[str, str]) -> None:
        self.cache = cache
        self._java_home = java_home
        self._environ = environ
        self.jars = JarCache(cache / "jars", Ivy(lambda: self.java))

    @cached_property
    def java(self) -> Java:
        """The Java to run on."""
        return find_java(self._java_home, self._environ)

    def class_path(self, groups: frozenset[str] = frozenset(), report: Report | None = None) -> tuple[Path, ...]:
        """The class path: the archive's part first and always in the same order, then the jars of more groups."""
        base = self.jars.ensure(BASE_GROUPS, report)
        more = self.jars.ensure(groups - BASE_GROUPS, report)
        built = self.cache / "built"
        return (*unsigned_jars(spark_jars(), built), helper_jar(self.java, base, built), *base, *more)

    def archive(self, class_path: tuple[Path, ...]) -> Path:
        """Where the archive for this Java and the base part of this class path lies, made or not."""
        facts = [str(self.java.executable), self.java.version]
        # Java looks at both and silently starts without an archive whose jars have changed, if only by their date.
        stats = [(path, path.stat()) for path in class_path[: self._base_length()]]
        facts += [f"{path}:{stat.st_size}:{stat.st_mtime_ns}" for path, stat in stats]
        digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()
        return self.cache / "built" / f"classes-{digest[:16]}.jsa"

    def usable_archive(self, class_path: tuple[Path, ...]) -> Path | None:
        """The archive when it is there."""
        archive = self.archive(class_path)
        return archive if archive.exists() else None

    def _base_length(self) -> int:
        return len(spark_jars()) + 1 + len(self.jars.ensure(BASE_GROUPS))
