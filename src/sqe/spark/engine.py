"""The Spark engine of this process: one JVM, started when it is needed and again after it has died."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError

from sqe.core.errors import ConfigError, EngineDiedError, InternalError, OutOfMemoryError, SqeError
from sqe.observe.logs import get_logger
from sqe.spark.conf import context_conf
from sqe.spark.jar_lock import Jar
from sqe.spark.jars import Report
from sqe.spark.java_errors import translate
from sqe.spark.jvm import Functions, Jvm
from sqe.spark.jvm_flags import JvmPlan
from sqe.spark.settings import EngineSettings
from sqe.spark.toolchain import Toolchain

_Answer = TypeVar("_Answer")

#: The exit code of `-XX:+ExitOnOutOfMemoryError`.
_OUT_OF_MEMORY_EXIT = 3
#: Scratch folders are named after their process, so that those of a killed one can be found.
SCRATCH_PREFIX = "sqe-engine-"
_POLL_SECS = 0.2
_log = get_logger(__name__)


class SparkEngine:
    """Starts and restarts the JVM and carries calls to it. Safe for use by many threads."""

    def __init__(
        self,
        toolchain: Toolchain,
        settings: EngineSettings,
        *,
        log_folder: Path,
        groups: frozenset[str] = frozenset(),
        functions: Functions = dict,
        one_shot: bool = False,
        jvm_flags: tuple[str, ...] = (),
    ) -> None:
        self.settings = settings
        self.log_folder = log_folder
        self.scratch = _scratch_folder(settings.spill_dir)
        self._toolchain = toolchain
        self._groups = groups
        self._groups_lock = threading.Lock()
        #: The jar that is being fetched, and how many bytes of it have come.
        self._fetching: tuple[Jar, int] | None = None
        self._functions = functions
        self._one_shot = one_shot
        self._jvm_flags = jvm_flags
        self._lock = threading.Lock()
        self._jvm: Jvm | None = None
        self._closed = False
        #: Counts the JVMs; what belongs to an earlier one is void.
        self.generation = 0
        #: No JVM has ever started here, and the last attempt failed.
        self.hopeless = False

    @property
    def parallelism(self) -> int:
        """How many tasks run at once."""
        return self.settings.parallelism or len(os.sched_getaffinity(0))

    @property
    def result_room(self) -> tuple[int, int]:
        """How much of a result may be made ahead of its reader: bytes in memory, and on disk if the reader stops."""
        return self.settings.bytes_in_flight, self.settings.result_spill_limit

    def jvm(self) -> Jvm:
        """The running JVM; started here when there is none."""
        with self._lock:
            if self._closed:
                raise InternalError("the engine is closed")
            if self._jvm is None or not self._jvm.alive:
                if self._jvm is not None:
                    self._jvm.kill()
                self._jvm = self._started()
                self.generation += 1
            return self._jvm

    def running_pid(self) -> int | None:
        """The process id of the JVM, None when none runs."""
        jvm = self._jvm
        return jvm.process.pid if jvm is not None and jvm.alive else None

    def ready(self) -> bool:
        """Whether statements can run at once."""
        jvm = self._jvm
        return jvm is not None and jvm.alive and bool(self.call(jvm, jvm.entry_point.isReady))

    def call(self, jvm: Jvm, function: Callable[[], _Answer], sql: str = "") -> _Answer:
        """Call into the JVM and turn what goes wrong there into our errors."""
        if not jvm.alive:
            raise self._lost(jvm)
        try:
            return function()
        except Py4JJavaError as error:
            raise self.translated(jvm, error.java_exception, sql) from error
        except (Py4JError, OSError) as error:
            raise self._lost(jvm) from error

    def translated(self, jvm: Jvm, exception: Any, sql: str) -> SqeError:  # noqa: ANN401 - a Java object
        """The error of ours for a Java exception."""
        try:
            chain = json.loads(jvm.entry_point.describeFailure(exception))
        except (Py4JError, OSError):
            return self._lost(jvm)
        return translate(chain, sql)

    def new_session(self, conf: Mapping[str, str]) -> tuple[Jvm, Any]:
        """A new session in the running JVM."""
        jvm = self.jvm()
        return jvm, self.call(jvm, lambda: jvm.entry_point.newSession(json.dumps(dict(conf))))

    def add_groups(self, groups: frozenset[str], report: Report | None = None) -> None:
        """Add jars to the running JVM and to those after it. Raises `JarsMissingError`, or what `report` does."""
        if groups <= self._groups:
            return
        while not self._groups_lock.acquire(timeout=_POLL_SECS):
            fetching = self._fetching
            if report and fetching:
                report(*fetching)
        try:
            self._add_groups(groups - self._groups, report)
        finally:
            self._fetching = None
            self._groups_lock.release()

    def _add_groups(self, new: frozenset[str], report: Report | None) -> None:
        def told(jar: Jar, arrived: int) -> None:
            if not self._fetching or self._fetching[0] != jar:
                _log.info("fetching a jar", jar=jar.coordinate, bytes=jar.size)
            self._fetching = jar, arrived
            if report:
                report(jar, arrived)

        if new:
            jars = self._toolchain.jars.ensure(new, told)
            jvm = self.jvm()
            self.call(jvm, lambda: jvm.entry_point.addJars(json.dumps([str(jar) for jar in jars])))
            self._groups |= new

    def release_memory(self) -> None:
        """Ask an idle JVM to hand memory back to the system."""
        jvm = self._jvm
        if jvm is not None and jvm.alive:
            self.call(jvm, jvm.entry_point.releaseMemory)

    def kill(self) -> None:
        """End the JVM at once and start no other one; calls that wait for it fail."""
        self._closed = True
        jvm = self._jvm
        if jvm is not None:
            jvm.process.kill()

    def close(self) -> None:
        """Stop the JVM and remove the scratch folder."""
        with self._lock:
            self._closed = True
            jvm = self._jvm
        if jvm is not None:
            # It stays known meanwhile: whoever loses patience kills it.
            jvm.stop()
            self._jvm = None
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _started(self) -> Jvm:
        try:
            jvm = self._start()
        except SqeError:
            self.hopeless = self.generation == 0
            raise
        self.hopeless = False
        return jvm

    def _start(self) -> Jvm:
        class_path = self._toolchain.class_path(self._groups)
        plan = JvmPlan(
            java=self._toolchain.java,
            class_path=class_path,
            memory_limit=self.settings.memory_limit,
            log_folder=self.log_folder,
            archive=self._toolchain.usable_archive(class_path),
            one_shot=self._one_shot,
        )
        for name in ("streams", "java"):
            (self.scratch / name).mkdir(mode=0o700, exist_ok=True)
        conf = context_conf(plan, parallelism=self.parallelism, scratch=self.scratch)
        # Native libraries and Spark's session folders go where they are removed even after a kill.
        flags = (*self._jvm_flags, f"-Djava.io.tmpdir={self.scratch / 'java'}")
        return Jvm.start(plan, conf, self.scratch, self._functions, flags)

    def _lost(self, jvm: Jvm) -> SqeError:
        """The connection broke: find out whether the JVM is gone, and of what."""
        try:
            code = jvm.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return InternalError("the connection to the JVM broke", hint=f"see {self.log_folder}")
        jvm.gateway.forget()
        if code == _OUT_OF_MEMORY_EXIT:
            return OutOfMemoryError(
                "the engine ran out of memory and was stopped; the next statement starts a new one",
                hint="give it more with --memory-limit or engine.memory_limit",
            )
        return EngineDiedError(
            f"the engine's JVM ended (exit code {code}) while the statement ran; the next statement starts a new one",
            hint=f"details are in {self.log_folder}; temporary views and SET values of this session are gone",
        )


def _scratch_folder(spill_dir: str) -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=f"{SCRATCH_PREFIX}{os.getpid()}-", dir=spill_dir or None))
    except OSError as error:
        where = spill_dir or tempfile.gettempdir()
        raise ConfigError(f"no scratch folder can be made in {where}: {error.strerror}") from error
