"""Procedures of our own: what they tell of a table follows what happens to it."""

from __future__ import annotations

from .support import Client, rows, value


def test_health_follows_the_files(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS id")
    for number in range(2, 6):
        rows(session, f"INSERT INTO {schema}.t VALUES {number}")
    sizes = [row["file_size_in_bytes"] for row in rows(session, f'SELECT * FROM {schema}."t$files"')]
    (before,) = rows(session, f"CALL iceberg.system.table_health(table => '{schema}.t')")
    assert before == {
        "live_data_files": 5,
        "small_files": 5,
        "avg_file_bytes": sum(sizes) // 5,
        "p50_file_bytes": sorted(sizes)[2],
        "delete_files": 0,
        "delete_heavy_files": 0,
        "eligible_groups": 1,
        "est_rewrite_bytes": sum(sizes),
        "last_compaction_snapshot_ms": None,
        "maintenance_enabled": False,
    }
    rows(session, f"CALL iceberg.system.rewrite_data_files(table => '{schema}.t')")
    rows(session, f"ALTER TABLE {schema}.t SET PROPERTIES \"sqe.maintenance.enabled\" = 'true'")
    (after,) = rows(session, f"CALL iceberg.system.table_health(table => '{schema}.t')")
    committed = value(session, f'SELECT to_unixtime(max(committed_at)) FROM {schema}."t$snapshots"')
    assert after["live_data_files"] == 1
    assert after["eligible_groups"] == after["est_rewrite_bytes"] == 0
    assert after["last_compaction_snapshot_ms"] == round(committed * 1000)
    assert after["maintenance_enabled"] is True


def test_health_counts_deletes(session: Client, schema: str) -> None:
    properties = "\"write.delete.mode\" = 'merge-on-read', format_version = 2, \"write.delete.granularity\" = 'file'"
    rows(session, f"CREATE TABLE {schema}.t WITH ({properties}) AS SELECT id FROM range(10)")
    files = value(session, f'SELECT count(*) FROM {schema}."t$files"')
    rows(session, f"DELETE FROM {schema}.t WHERE id = 0")
    (once,) = rows(session, f"CALL iceberg.system.table_health('{schema}.t')")
    assert (once["live_data_files"], once["delete_files"], once["delete_heavy_files"]) == (files, 1, 0)
    rows(session, f'ALTER TABLE {schema}.t SET PROPERTIES "sqe.maintenance.compaction.delete-file-threshold" = 1')
    (again,) = rows(session, f"CALL iceberg.system.table_health('{schema}.t')")
    assert (again["delete_files"], again["delete_heavy_files"], again["eligible_groups"]) == (1, 1, 1)


def test_a_table_is_registered_by_its_metadata(session: Client, schema: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 41 AS id")
    facts = rows(session, f'SELECT file, latest_snapshot_id FROM {schema}."t$metadata_log_entries" ORDER BY timestamp')[
        -1
    ]
    rows(session, f"DROP TABLE {schema}.t")
    call = f"CALL iceberg.system.register_table(namespace => '{schema}', table_name => 'back', metadata_location => "
    assert rows(session, call + f"'{facts['file']}')") == [
        {
            "table_identifier": f"{schema.removeprefix('iceberg.')}.back",
            "snapshot_id": facts["latest_snapshot_id"],
            "metadata_location": facts["file"],
        }
    ]
    assert value(session, f"SELECT id FROM {schema}.back") == 41
