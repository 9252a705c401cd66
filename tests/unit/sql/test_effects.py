from __future__ import annotations

import pytest

from sqe.core.errors import SqlSyntaxError
from sqe.sql.effects import has_no_effect


@pytest.mark.parametrize(
    ("sql", "none"),
    [
        ("SELECT 1", True),
        ("  -- note\n(SELECT ?)", True),
        ("VALUES (?)", True),
        ("FROM t", True),
        ("WITH a AS (SELECT ? AS x) SELECT * FROM a LIMIT ?", True),
        ("SHOW TABLES", True),
        ("DESCRIBE t", True),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", False),
        ("WITH a AS (SELECT 1) DELETE FROM t WHERE x IN (SELECT * FROM a)", False),
        ("FROM t INSERT INTO x SELECT *", False),
        ("INSERT INTO t VALUES (1)", False),
        ("EXPLAIN ANALYZE SELECT 1", False),
        ("CALL system.x()", False),
        ("EXECUTE p", False),
        ("", False),
    ],
)
def test_effects(sql: str, none: bool) -> None:
    assert has_no_effect(sql) is none


def test_what_is_no_sql() -> None:
    with pytest.raises(SqlSyntaxError):
        has_no_effect("SELECT (")
