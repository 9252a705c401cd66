from __future__ import annotations

import pytest

from sqe.sql.compared import ROWS, compared


@pytest.mark.parametrize(
    ("sql", "tables", "columns"),
    [
        ("SELECT a FROM t WHERE id >= ?", [["t"]], ["id"]),
        ('SELECT a FROM Lake."S x".t AS o WHERE o.ID <> ? AND "N" LIKE ?', [["lake", "S x", "t"]], ["id", "N"]),
        ("SELECT * FROM a JOIN b ON a.x = b.x WHERE ? < b.y", [["a"], ["b"]], ["y"]),
        ("SELECT * FROM t WHERE k IN (?, ?) AND j NOT IN (?)", [["t"]], ["k", "k", "j"]),
        ("SELECT * FROM t WHERE z NOT BETWEEN ? AND ? AND y = ?", [["t"]], ["z", "z", "y"]),
        ("SELECT * FROM t LIMIT ? OFFSET ?", [["t"]], [ROWS, ROWS]),
        ("UPDATE t SET name = ? WHERE id = ?", [["t"]], ["name", "id"]),
        ("DELETE FROM t WHERE date = ?", [["t"]], ["date"]),
        ("SELECT ?, ? + 1, f(?, ?)", [], [None, None, None, None]),
        ("SELECT * FROM range(3) WHERE 'x' = ? AND 1 = ?", [], [None, None]),
        ("?", [], [None]),
        ("? =", [], [None]),
        ("= ?", [], [None]),
        ("SELECT '?' -- ?", [], []),
    ],
)
def test_what_parameters_stand_beside(sql: str, tables: list[list[str]], columns: list[str | None]) -> None:
    found = compared(sql)
    assert (found.tables, found.columns) == (tables, columns)
