"""JDBC drivers in a JVM of their own, driven from Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from sqe.spark.spark_jars import spark_jar

from .fetch import MavenFile, fetch_maven, java

TRINO = MavenFile(
    "io.trino",
    "trino-jdbc",
    "484",
    "46476af2968e6f3234e8b22d7e29c26e6d7213ce88ab546a29c4c318c921cd34",
    bare=True,
)


@contextmanager
def jdbc_jvm(driver: MavenFile, *options: str) -> Iterator[Any]:
    """The packages of a JVM that has a driver on its class path."""
    port, token = launch_gateway(
        jarpath=str(spark_jar("py4j-0.10.9.9.jar")),
        classpath=str(fetch_maven(driver)),
        javaopts=["-Xmx256m", *options],
        java_path=str(java()),
        die_on_exit=True,
        enable_auth=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True))
    try:
        yield gateway.jvm
    finally:
        gateway.shutdown()
        gateway.java_process = None


def connect(jvm: Any, driver: str, url: str, properties: Mapping[str, str]) -> Any:
    """A connection of `java.sql`."""
    given = jvm.java.util.Properties()
    for name, value in properties.items():
        given.setProperty(name, value)
    made = jvm
    for part in driver.split("."):
        made = getattr(made, part)
    return made().connect(url, given)


def rows(result: Any) -> list[list[Any]]:
    """The rows of a result set, each value as the driver shows it in text."""
    count = result.getMetaData().getColumnCount()
    found = []
    while result.next():
        found.append([result.getString(index) for index in range(1, count + 1)])
    return found
