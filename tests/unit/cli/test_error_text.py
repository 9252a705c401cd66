from __future__ import annotations

import pytest

from sqe.cli.error_text import describe
from sqe.core.errors import NotFoundError, Position, SqlSyntaxError

pytestmark = pytest.mark.unit


def syntax(line: int, column: int, length: int = 1) -> SqlSyntaxError:
    return SqlSyntaxError("bad", position=Position(line, column, length))


def test_message_is_one_line_and_the_hint_follows() -> None:
    error = NotFoundError("table not found\n\tat Analyzer\x1b[31m", hint="did you\nmean t?")
    assert describe(error) == "error: table not found at Analyzer [31m\nhint: did you mean t?"


def test_carets_under_the_place() -> None:
    text = describe(syntax(2, 10, 4), "SELECT *\n  FROM a FORM b")
    assert text == "error: bad\n   2 |   FROM a FORM b\n     |          ^^^^"


def test_line_numbers_of_the_script() -> None:
    assert "  12 | x y\n     |   ^" in describe(syntax(2, 3), "a\nx y", first_line=11)


def test_without_position_a_script_error_shows_its_statement() -> None:
    assert describe(NotFoundError("gone"), "SELECT 1\nFROM x", first_line=7) == "error: gone\n   7 | SELECT 1"
    assert describe(NotFoundError("gone"), "SELECT 1") == "error: gone"


def test_tabs_and_wide_characters() -> None:
    text = describe(syntax(1, 5, 2), "\t日本 ab")
    shown, carets = text.splitlines()[1:]
    assert shown == "   1 |     日本 ab"
    assert carets == "     |          ^^"
    assert describe(syntax(1, 2, 2), "\t日本 ab").splitlines()[2] == "     |     ^^^^"


def test_a_long_line_shows_the_part_around_the_place() -> None:
    sql = "SELECT " + "a, " * 1000 + "BAD" + ", b" * 1000
    text = describe(syntax(1, sql.index("BAD") + 1, 3), sql)
    shown, carets = text.splitlines()[1:]
    assert len(shown) < 120
    assert shown[7] == "…"
    assert shown[-1] == "…"
    assert shown[carets.index("^") : carets.rindex("^") + 1] == "BAD"


def test_places_at_and_after_the_end() -> None:
    assert describe(syntax(1, 7, 1), "SELECT").endswith("   1 | SELECT\n     |       ^")
    assert describe(syntax(1, 99, 5), "SELECT").endswith("     |       ^")
    assert describe(syntax(9, 1), "SELECT") == "error: bad"


def test_color_only_when_asked() -> None:
    assert describe(NotFoundError("x"), color=True).startswith("\x1b[1;31merror:\x1b[0m x")
    assert "\x1b" not in describe(NotFoundError("x"))
