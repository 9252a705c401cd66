from __future__ import annotations

import pytest

from sqe.core.errors import Position
from sqe.sql.places import place_of_name


@pytest.mark.parametrize(
    ("sql", "name", "within", "expected"),
    [
        ("DROP TABLE c.s.t", "c.s.t", None, Position(1, 12, 5)),
        ("DROP TABLE s.t", "c.s.t", None, Position(1, 12, 3)),
        ('DROP TABLE "S" . t', "c.s.t", None, Position(1, 12, 7)),
        ("SELECT a FROM t", "b", None, None),
        ("SELECT a, a FROM t", "a", None, None),
        ("SELECT a,\n a FROM t", "a", Position(2, 1, 5), Position(2, 2, 1)),
        ("SELECT * FROM t FOR VERSION AS OF 'x'", "x", None, Position(1, 35, 3)),
        ("SELECT * FROM t FOR VERSION AS OF 12", "12", None, Position(1, 35, 2)),
        ("SELECT 'unterminated", "a", None, None),
    ],
)
def test_place_of_name(sql: str, name: str, within: Position | None, expected: Position | None) -> None:
    assert place_of_name(sql, name, within) == expected
