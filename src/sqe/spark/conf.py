"""Spark's settings for an engine on one machine."""

from __future__ import annotations

import secrets
from pathlib import Path

from sqe.spark.jvm_flags import JvmPlan

#: Keys whose values Spark must not show in logs, plans, its UI or SET.
_REDACTED_KEYS = r"(?i)secret|password|token|credential|access[._-]?key|api[._-]?key|sas|jdbc\.user"
_EXTENSIONS = ("org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions", "sqe.jvm.SessionRules")
#: Schemes of files far away, as `FilePlace` writes them, and those that Hadoop would have ideas of its own about.
_REMOTE = ("s3", "gs", "abfss", "http", "https", "s3a", "abfs")
#: Compressions of text files, by the endings of their names.
_CODECS = (
    "org.apache.hadoop.io.compress.GzipCodec",
    "org.apache.hadoop.io.compress.BZip2Codec",
    "org.apache.hadoop.io.compress.DeflateCodec",
    "sqe.jvm.StreamCodec$Xz",
    "sqe.jvm.StreamCodec$Zstd",
    "sqe.jvm.StreamCodec$Zip",
)


def context_conf(plan: JvmPlan, *, parallelism: int, scratch: Path) -> dict[str, str]:
    """What the Spark context is started with; nothing here depends on who asks."""
    return {
        "spark.master": f"local[{parallelism}]",
        "spark.app.name": "sqe",
        # Loopback only, and even there nobody without this run's secret gets an answer from Spark's own ports.
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.authenticate": "true",
        "spark.authenticate.secret": secrets.token_hex(32),
        "spark.redaction.regex": _REDACTED_KEYS,
        "spark.sql.redaction.options.regex": _REDACTED_KEYS,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.retainedJobs": "100",
        "spark.ui.retainedStages": "200",
        "spark.ui.retainedTasks": "2000",
        "spark.sql.ui.retainedExecutions": "20",
        # Spark describes each plan to its listeners; nobody reads the long form.
        "spark.sql.ui.explainMode": "simple",
        "spark.local.dir": str(scratch / "spill"),
        "spark.sql.warehouse.dir": str(scratch / "session-catalog"),
        "spark.memory.fraction": str(plan.memory_fraction),
        "spark.default.parallelism": str(parallelism),
        "spark.locality.wait": "0",
        # Between the pools of people, each of which begins with its oldest statement.
        "spark.scheduler.mode": "FAIR",
        "spark.sql.shuffle.partitions": str(parallelism),
        # Nobody adds classes to a session; looking for some in the driver would slow down every class that is missing.
        "spark.sql.artifact.isolation.enabled": "false",
        "spark.sql.extensions": ",".join(_EXTENSIONS),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.codegen.cache.maxEntries": "10000",
        # One round resolves one level of calls; how deep a statement may be is decided before.
        "spark.sql.analyzer.maxIterations": "200",
        "spark.sql.ansi.enabled": "true",
        # "${x}" in a text is that text, not a variable of the configuration.
        "spark.sql.variable.substitute": "false",
        # A timestamp without a word about zones has none, as in Trino and in the SQL standard.
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.sql.timeType.enabled": "true",
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        # Timestamps in Parquet as everybody else writes them.
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        # INSERT OVERWRITE replaces the partitions that it has rows for, and a table without partitions as a whole.
        "spark.sql.sources.partitionOverwriteMode": "dynamic",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "8192",
        # Plain files, no .crc beside each: other engines read this warehouse too.
        "spark.hadoop.fs.file.impl": "sqe.jvm.LocalFiles",
        "spark.hadoop.io.compression.codecs": ",".join(_CODECS),
        **{f"spark.hadoop.fs.{scheme}.impl": "sqe.jvm.RemoteFiles" for scheme in _REMOTE},
        # Hadoop would keep one connection for everybody, whatever keys they have.
        **{f"spark.hadoop.fs.{scheme}.impl.disable.cache": "true" for scheme in _REMOTE},
        # Files are read by functions of ours, which ask the rules; a path is no name of a table.
        "spark.sql.runSQLOnFiles": "false",
    }
