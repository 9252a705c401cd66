from __future__ import annotations

import pytest

from sqe.sql.classify import RERUNNABLE, statement_kind


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT 1", "query"),
        ("  -- why\n/* and\n how */ select 1", "query"),
        ("(SELECT 1) UNION (SELECT 2)", "query"),
        ("((SELECT 1))", "query"),
        ("WITH a AS (SELECT 1) SELECT * FROM a", "query"),
        ("VALUES (1)", "query"),
        ("insert into t values (1)", "insert"),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED THEN DELETE", "merge"),
        ("CREATE TABLE t AS SELECT 1", "create"),
        ("DESC t", "describe"),
        ("CALL iceberg.system.expire_snapshots('t')", "call"),
        ("ANALYZE TABLE t COMPUTE STATISTICS", "utility"),
        ("", "utility"),
        ("-- nothing", "utility"),
        ("42", "utility"),
    ],
)
def test_kind(sql: str, kind: str) -> None:
    assert statement_kind(sql) == kind


def test_only_changes_of_rows_run_again() -> None:
    assert {"insert", "merge", "update", "delete", "truncate"} == RERUNNABLE
