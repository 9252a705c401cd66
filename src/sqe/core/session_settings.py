"""Settings of the engine that a session may change: nothing that leads out of the session or changes what SQL means."""

from __future__ import annotations

from typing import Final

ICEBERG_SETTINGS: Final = "spark.sql.iceberg."
#: By the engine's own names.
ENGINE_SETTINGS: Final = frozenset({
    "spark.sql.session.timeZone", "spark.sql.autoBroadcastJoinThreshold", "spark.sql.shuffle.partitions",
    "spark.sql.adaptive.enabled", "spark.sql.adaptive.advisoryPartitionSizeInBytes",
    "spark.sql.adaptive.coalescePartitions.enabled", "spark.sql.adaptive.skewJoin.enabled",
    "spark.sql.broadcastTimeout", "spark.sql.files.maxPartitionBytes", "spark.sql.join.preferSortMergeJoin",
    f"{ICEBERG_SETTINGS}advisory-partition-size", f"{ICEBERG_SETTINGS}aggregate-push-down.enabled",
    f"{ICEBERG_SETTINGS}compression-codec", f"{ICEBERG_SETTINGS}compression-level",
    f"{ICEBERG_SETTINGS}compression-strategy", f"{ICEBERG_SETTINGS}data-planning-mode",
    f"{ICEBERG_SETTINGS}delete-planning-mode", f"{ICEBERG_SETTINGS}distribution-mode",
    f"{ICEBERG_SETTINGS}merge-schema", f"{ICEBERG_SETTINGS}planning.preserve-data-grouping",
    f"{ICEBERG_SETTINGS}vectorization.enabled", "spark.wap.branch", "spark.wap.id",
})  # fmt: skip
