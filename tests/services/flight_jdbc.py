"""Arrow's JDBC driver for Flight SQL, in a JVM of its own that Python drives."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway

from sqe.spark.spark_jars import spark_jar

from .fetch import MavenFile, fetch_maven, java

DRIVER = MavenFile(
    "org.apache.arrow",
    "flight-sql-jdbc-driver",
    "18.3.0",
    "3f418b46c880e263558c5de669bdbede2c5d4375527ced116fb29f795b03704c",
)


@contextmanager
def jdbc_gateway() -> Iterator[Any]:
    """A JVM with the driver; `java.sql.DriverManager` and the rest are reached through it."""
    classes = f"{fetch_maven(DRIVER)}:{spark_jar('py4j-0.10.9.9.jar')}"
    command = [
        str(java()), "-Xmx256m", "--add-opens=java.base/java.nio=ALL-UNNAMED", "-cp", classes,
        "py4j.GatewayServer", "--die-on-broken-pipe", "0",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        port = int(process.stdout.readline())
        gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auto_convert=True))
        yield gateway.jvm
        gateway.close()
    finally:
        process.stdin.close()
        process.stdout.close()
        if process.wait(20):
            process.kill()
