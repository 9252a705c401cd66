"""The Py4J gateway to a JVM: connecting, calling, and telling a Java exception from a dead JVM."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

from sqe.spark.java import Java

# Py4J logs every lost connection with a stack trace, some of it to the root logger; the callers below turn it into an
# error of their own.
logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
logging.getLogger().addFilter(lambda record: "py4j" not in record.pathname)

JavaError = Py4JJavaError
#: What a call raises when the JVM behind the gateway is gone.
GatewayLost = (Py4JNetworkError, ConnectionError)


class Gateway:
    """A connection to a JVM. Calls may come from many threads; each has its own socket."""

    java_error = Py4JJavaError

    def __init__(self, port: int, secret: str | None = None) -> None:
        parameters = GatewayParameters(address="127.0.0.1", port=port, auth_token=secret, auto_convert=False)
        self._gateway = JavaGateway(gateway_parameters=parameters)

    @property
    def jvm(self) -> Any:  # noqa: ANN401 - Py4J's view has no types
        """The packages of the JVM."""
        return self._gateway.jvm

    @property
    def entry_point(self) -> Any:  # noqa: ANN401 - Py4J's view has no types
        """The object that the JVM offers."""
        return self._gateway.entry_point

    def new_array(self, java_class: object, length: int) -> Any:  # noqa: ANN401 - Py4J's view has no types
        """A Java array."""
        return self._gateway.new_array(java_class, length)

    def release(self, reference: object) -> None:
        """Let the JVM forget an object of ours; nothing happens when it is gone already."""
        try:
            self._gateway.detach(reference)
        except (Py4JError, OSError):
            return

    def forget(self) -> None:
        """The JVM is gone: its objects, when Python drops them, must not look for it at a port of somebody else."""
        self._gateway._gateway_client.is_connected = False  # noqa: SLF001 - Py4J offers no other way

    def close(self) -> None:
        """Close the sockets."""
        self.forget()
        self._gateway.close()


def java_error_text(error: Py4JJavaError) -> str:
    """The Java exception in one line."""
    return str(error.java_exception.toString()).replace("\n", " ")


@contextmanager
def open_gateway(java: Java, class_path: Sequence[Path]) -> Iterator[Gateway]:
    """A short-lived JVM with nothing in it but these jars."""
    process = subprocess.Popen(
        [
            java.executable, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto",
            "-cp", ":".join(map(str, class_path)), "py4j.GatewayServer", "0",
        ],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        if process.stdout is None:  # pragma: no cover - Popen was told to make a pipe
            raise RuntimeError("no pipe")
        gateway = Gateway(int(process.stdout.readline()))
        yield gateway
        gateway.close()
    finally:
        process.kill()
        process.communicate()
