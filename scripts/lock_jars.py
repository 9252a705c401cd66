"""Writes src/sqe/spark/jars.lock.toml anew: fetches each coordinate below and notes its SHA-256 and size.

Run after changing a version: `.venv/bin/python scripts/lock_jars.py`.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from sqe.spark.ivy import Ivy
from sqe.spark.jar_lock import Jar
from sqe.spark.java import find_java

WANTED = {
    "core": [
        "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
        # The stemmers of word_stem, from the line of versions that Trino takes them from.
        "org.apache.lucene:lucene-analyzers-common:8.11.4",
        "org.apache.lucene:lucene-core:8.11.4",
    ],
    "sqlite": ["org.xerial:sqlite-jdbc:3.53.4.0"],
    "postgres": ["org.postgresql:postgresql:42.7.14"],
    "mysql": ["com.mysql:mysql-connector-j:9.7.0"],
    "aws": ["org.apache.iceberg:iceberg-aws-bundle:1.12.0"],
    # The bundles hold the clouds' own clients; Iceberg's part of them is in the core jar.
    "azure": ["org.apache.iceberg:iceberg-azure-bundle:1.10.0"],
    "gcp": ["org.apache.iceberg:iceberg-gcp-bundle:1.11.0"],
    # The newest one that the registries we know have; Avro's reader itself is part of Spark.
    "avro": ["org.apache.spark:spark-avro_2.13:4.1.1"],
    "delta": ["io.delta:delta-spark_4.1_2.13:4.4.0", "io.delta:delta-storage:4.4.0"],
}
TARGET = Path(__file__).parents[1] / "src/sqe/spark/jars.lock.toml"


def main() -> None:
    """Fetch and write."""
    ivy = Ivy(lambda: find_java("", os.environ))
    lines = ["# The jars that SQE adds to Spark's own. Written by scripts/lock_jars.py."]
    with tempfile.TemporaryDirectory() as scratch:
        for group, coordinates in WANTED.items():
            for coordinate in coordinates:
                jar = Jar.of(group, coordinate)
                path = ivy.fetch(jar, Path(scratch), None)
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                lines += ["", "[[jar]]", f'group = "{group}"', f'coordinate = "{coordinate}"']
                lines += [f'sha256 = "{digest}"', f"size = {path.stat().st_size}"]
                print(group, coordinate)
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
