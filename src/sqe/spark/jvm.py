"""One JVM process: start it directly (no launcher script), talk to it, notice its end."""

from __future__ import annotations

import json
import os
import secrets
import select
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from sqe.core.errors import EngineUnavailableError
from sqe.spark.gateway import Gateway
from sqe.spark.guard import guard_rules
from sqe.spark.jvm_flags import JvmPlan

_START_TIMEOUT_SECS = 120

#: Reads the function table: templates by the kinds of the arguments, by name.
Functions = Callable[[], Mapping[str, Mapping[str, str]]]


class Jvm:
    """A running JVM. It ends with this process: its standard input is our pipe."""

    def __init__(self, process: subprocess.Popen[bytes], gateway: Gateway) -> None:
        self.process = process
        self.gateway = gateway

    @classmethod
    def start(
        cls,
        plan: JvmPlan,
        conf: Mapping[str, str],
        scratch: Path,
        functions: Functions,
        extra: tuple[str, ...] = (),
    ) -> Jvm:
        """Start a JVM; answers when its gateway is open, while Spark is still starting in it.

        It removes the folder `scratch` at its orderly end, which is also what follows when this process is killed.
        """
        plan.log_folder.mkdir(parents=True, exist_ok=True)
        secret = secrets.token_hex(32)
        log = plan.log_folder / "jvm.out"
        with log.open("ab") as output:
            process = subprocess.Popen(
                plan.command(extra=extra),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                # A Ctrl-C in the terminal is ours to handle; the JVM must not die of it.
                start_new_session=True,
                env={**os.environ, "MALLOC_ARENA_MAX": "2"},
            )
        pipe_in, pipe_out = _pipes(process)
        # The functions are read here because the new process has enough to do meanwhile.
        request = {
            "secret": secret,
            "conf": dict(conf),
            "scratch": str(scratch),
            "functions": functions(),
            "guard": guard_rules(),
        }
        # A Java that ends before it reads tells why by giving no port.
        with suppress(BrokenPipeError):
            pipe_in.write(json.dumps(request).encode() + b"\n")
            pipe_in.flush()
        port = _gateway_port(process, pipe_out)
        if port is None:
            process.kill()
            with suppress(BrokenPipeError):
                process.communicate()
            raise EngineUnavailableError("the JVM did not start", hint=f"see {log}")
        return cls(process, Gateway(port, secret))

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None

    @property
    def entry_point(self) -> Any:  # noqa: ANN401 - Py4J's view has no types
        """The `sqe.jvm.Engine` in it."""
        return self.gateway.entry_point

    def stop(self, timeout: float = 30) -> None:
        """End it in an orderly way, by force when it does not listen."""
        self.gateway.close()
        pipe_in, pipe_out = _pipes(self.process)
        try:
            pipe_in.close()
            self.process.wait(timeout)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        pipe_out.close()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.stop()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:  # pragma: no cover - both are pipes
        raise RuntimeError("the JVM was started without pipes")
    return process.stdin, process.stdout


def _gateway_port(process: subprocess.Popen[bytes], pipe: IO[bytes]) -> int | None:
    """Reads until the line that names the port: a JVM may print warnings of its own before it."""
    deadline = time.monotonic() + _START_TIMEOUT_SECS
    while time.monotonic() < deadline:
        readable, _, _ = select.select([pipe], [], [], 0.5)
        if readable:
            line = pipe.readline()
            if not line:
                return None
            if line.startswith(b"gateway "):
                return int(line.split()[1])
        elif process.poll() is not None:
            return None
    return None
