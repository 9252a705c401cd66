from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.sql.split import SqlStatement, is_complete, split

pytestmark = pytest.mark.unit


def texts(script: str) -> list[str]:
    return [statement.text for statement in split(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        (" ;; ;\n", []),
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1; SELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';'; SELECT 'it''s;'", ["SELECT ';'", "SELECT 'it''s;'"]),
        (r"SELECT 'it\'s;'; SELECT 2", [r"SELECT 'it\'s;'", "SELECT 2"]),
        (r"SELECT r'\'; SELECT 2", [r"SELECT r'\'", "SELECT 2"]),
        (r"SELECT bar'\';'; SELECT 2", [r"SELECT bar'\';'", "SELECT 2"]),
        ('SELECT "a;""b"; SELECT 2', ['SELECT "a;""b"', "SELECT 2"]),
        ("SELECT `a;``b`; SELECT 2", ["SELECT `a;``b`", "SELECT 2"]),
        ("SELECT 1 -- a;b'\n+ 2; SELECT 3", ["SELECT 1 -- a;b'\n+ 2", "SELECT 3"]),
        ("SELECT /* ; /* ; */ ' ; */ 1; SELECT 2", ["SELECT /* ; /* ; */ ' ; */ 1", "SELECT 2"]),
        ("-- only\n/* this */;", []),
        ("-- first\nSELECT 1", ["SELECT 1"]),
        ("SELECT 4/2-1; SELECT 2", ["SELECT 4/2-1", "SELECT 2"]),
        ("SELECT 'open; SELECT 2;", ["SELECT 'open; SELECT 2;"]),
        ("SELECT $$a;b$$", ["SELECT $$a", "b$$"]),
        ("/* never closed; SELECT 1;", []),
    ],
)
def test_splits(script: str, expected: list[str]) -> None:
    assert texts(script) == expected


def test_lines_are_those_of_the_script() -> None:
    script = "SELECT 1;\n\n-- note\n  SELECT\n 2; SELECT 3;\nSELECT 4"
    assert [(s.text[-1], s.line) for s in split(script)] == [("1", 1), ("2", 4), ("3", 5), ("4", 6)]


def test_shell_commands_end_with_their_line() -> None:
    assert split("SELECT 1;\n.tables a;b\n\\q\nSELECT 2") == [
        SqlStatement("SELECT 1", 1),
        SqlStatement(".tables a;b", 2),
        SqlStatement("\\q", 3),
        SqlStatement("SELECT 2", 4),
    ]


def test_a_scripting_block_is_one_statement() -> None:
    block = "BEGIN\n IF a THEN SELECT CASE WHEN 1 THEN 'END;' END; END IF; BEGIN SELECT 2; END;\nEND"
    assert texts(f"{block}; SELECT 3") == [block, "SELECT 3"]
    assert texts("lbl: BEGIN SELECT 1; END lbl; SELECT 3") == ["lbl: BEGIN SELECT 1; END lbl", "SELECT 3"]


def test_a_transaction_is_no_block() -> None:
    assert texts("BEGIN; SELECT 1; BEGIN TRANSACTION; begin work;") == [
        "BEGIN",
        "SELECT 1",
        "BEGIN TRANSACTION",
        "begin work",
    ]


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", False),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- done", True),
        ("SELECT 1; /* done */ ", True),
        ("SELECT 1; /* open", False),
        ("SELECT 1; SELECT 2", False),
        ("SELECT ';", False),
        ("SELECT '\n;\n", False),
        ("SELECT 1 -- ;", False),
        ("SELECT /* ;", False),
        ("BEGIN SELECT 1;", False),
        ("BEGIN SELECT 1; END;", True),
        (";", True),
        (".tables", True),
    ],
)
def test_is_complete(text: str, complete: bool) -> None:
    assert is_complete(text) is complete


@pytest.mark.parametrize(
    "big",
    [
        "VALUES " + ",".join(["('it''s', 1, -2.5 / 3)"] * 220_000),
        "SELECT '" + "x" * 5_000_000 + "'",
        "SELECT " + "'" * 5_000_001,
        "SELECT 1 " + "-- note\n" * 600_000,
        "SELECT 1 " + "/* a /* b */ */" * 100_000,
        "SELECT 1 /*" + "/*" * 1_000_000,
    ],
    ids=["values", "literal", "quotes", "line comments", "comments", "open comments"],
)
def test_megabytes_are_one_statement(big: str) -> None:
    # Anything but linear time would run into the tier's time-out.
    assert len(split(big)) == 1


PIECES = st.sampled_from(
    [
        "SELECT 1",
        " ",
        "\n",
        "';'",
        '";"',
        "`;`",
        "'it''s'",
        "-- c;'\n",
        "/* ; ' */",
        "/* /* ; */ */",
        "x",
        "-",
        "/",
    ]
)


@given(st.lists(PIECES), st.lists(PIECES))
def test_only_separators_and_comments_get_lost(first: list[str], second: list[str]) -> None:
    # Blanks between the pieces keep them from growing together to a quote or comment of their own.
    def without_comments(pieces: list[str]) -> list[str]:
        return [piece for piece in pieces if not piece.startswith(("--", "/*")) and piece.strip()]

    script = " ".join(first) + " ; " + " ".join(second)
    kept = "".join(texts(script))
    place = 0
    for piece in without_comments(first + second):
        place = kept.index(piece, place) + len(piece)
    expected = sum(1 for pieces in (first, second) if without_comments(pieces))
    assert len(split(script)) == expected


@given(st.text(alphabet="a;'\"`-/*\\\n r"))
def test_any_text_splits_into_its_own_parts(text: str) -> None:
    lines = text.split("\n")
    for statement in split(text):
        assert statement.text in text
        assert statement.text.split("\n")[0].rstrip() in lines[statement.line - 1]
    assert is_complete(text) in {True, False}
