"""Splitting a script into statements.

Quotes and comments are read as Spark's lexer reads them: `'…'` and `"…"` with doubled quotes or backslash
escapes, `r'…'` without escapes, backticks, `-- …` and nested `/* … */`. There is no dollar quoting.

A block of SQL scripting (`BEGIN … END`) is one statement. In it, `BEGIN` and `CASE` open and `END` closes,
except `END IF`, `END WHILE` and the like; a column named `end` there must be quoted.

A line that starts with `.` or a backslash where a statement could start is a shell command and ends with its
line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

# No possessive quantifiers here: Python before 3.11.4, which Debian ships, matches some of them wrongly. A doubled
# quote needs no rule: it reads as two literals side by side, which splits the same.
_QUOTED = {
    "'": re.compile(r"'[^'\\]*(?:\\.[^'\\]*)*'", re.DOTALL),
    '"': re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL),
}
_TURN = re.compile(r"""[;'"`]|--|/\*""")
_BLANK = re.compile(r"(?:\s|--[^\n]*)*")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_BLOCK_START = re.compile(r"(?:\w+\s*:\s*)?BEGIN\b(?!\s*(?:;|TRANSACTION\b|WORK\b|\Z))", re.IGNORECASE)
_BLOCK_TURN = re.compile(
    r"""['"`]|--|/\*|\b(?P<open>BEGIN|CASE)\b|\bEND\s+(?:IF|WHILE|LOOP|REPEAT|FOR)\b|\b(?P<close>END)\b""",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SqlStatement:
    """One statement of a script: its text without the `;`, and the line (from 1) where the text starts."""

    text: str
    line: int


class _Span(NamedTuple):
    """A statement from its first word to its end; `closed` is whether it may be followed by another one."""

    first: int
    end: int
    closed: bool


def split(text: str) -> list[SqlStatement]:
    """The statements of a script in order, without the comments before them; empty ones are left out."""
    statements: list[SqlStatement] = []
    line, counted = 1, 0
    for first, end, _ in _spans(text):
        if first < end:
            line += text.count("\n", counted, first)
            counted = first
            statements.append(SqlStatement(text[first:end].rstrip(), line))
    return statements


def is_complete(text: str) -> bool:
    """Whether the text ends outside of quotes and comments, and its last statement has its `;`."""
    closed = False
    for span in _spans(text):
        if span.closed:
            closed = True
        elif span.first < len(text):
            return False
    return closed


def _spans(text: str) -> Iterator[_Span]:
    start = 0
    while start < len(text):
        first, comments_closed = _skip_blank(text, start)
        if not comments_closed:
            yield _Span(first, first, closed=False)
            return
        if text[first : first + 1] in {".", "\\"}:
            end = text.find("\n", first)
            end, closed = len(text) if end < 0 else end, True
        else:
            end = _statement_end(text, first)
            closed = text.startswith(";", end)
        yield _Span(first, end, closed)
        start = end + 1


def _skip_blank(text: str, start: int) -> tuple[int, bool]:
    """The first place that is neither blank nor comment; False when it is a comment that nobody closed."""
    place = start
    while True:
        match = _BLANK.match(text, place)
        place = match.end() if match else place
        if not text.startswith("/*", place):
            return place, True
        end, closed = _comment_end(text, place)
        if not closed:
            return place, False
        place = end


def _comment_end(text: str, start: int) -> tuple[int, bool]:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end(), True
    return len(text), False


def _statement_end(text: str, first: int) -> int:
    """The place of the statement's `;`, or the end of the text."""
    place = _block_end(text, first) if _BLOCK_START.match(text, first) else first
    while turn := _TURN.search(text, place):
        if turn.group() == ";":
            return turn.start()
        place = _past(text, turn)
    return len(text)


def _block_end(text: str, first: int) -> int:
    """The place behind the block's last END, or the end of the text."""
    depth, place = 0, first
    while turn := _BLOCK_TURN.search(text, place):
        place = turn.end()
        if turn["open"]:
            depth += 1
        elif turn["close"]:
            depth -= 1
            if depth == 0:
                return place
        elif turn.group()[0] in "'\"`-/":
            place = _past(text, turn)
    return len(text)


def _past(text: str, turn: re.Match[str]) -> int:
    """The place behind the comment or the quoted text that begins here; one that nobody closes takes the rest."""
    start, mark = turn.start(), turn.group()
    if mark == "--":
        return _or_end(text, text.find("\n", start))
    if mark == "/*":
        return _comment_end(text, start)[0]
    if mark == "`" or _is_raw(text, start):
        return _or_end(text, text.find(mark, start + 1), 1)
    match = _QUOTED[mark].match(text, start)
    return match.end() if match else len(text)


def _or_end(text: str, place: int, behind: int = 0) -> int:
    return len(text) if place < 0 else place + behind


def _is_raw(text: str, quote: int) -> bool:
    """Whether the quote belongs to a literal like r'…', in which a backslash means nothing."""
    before = text[max(0, quote - 2) : quote]
    return before[-1:] in {"r", "R"} and not (len(before) == 2 and (before[0].isalnum() or before[0] == "_"))
