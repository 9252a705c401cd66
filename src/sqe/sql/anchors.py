"""From a place in the text that Spark got back to the place in the text that the person wrote.

Names and literals carry a number through the generator, between two characters that no SQL contains. They are taken
out of the generated text, and what remains is the list of places where each of them stood.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from typing import Any

from sqe.core.errors import Position

_OPEN, _CLOSE = "\ue000", "\ue001"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")


class Anchors:
    """Numbers the tokens of one statement that go through the generator."""

    def __init__(self, sql: str) -> None:
        # A text that contains the characters itself goes without; only its errors are less precise.
        self._on = _OPEN not in sql and _CLOSE not in sql
        self._spans: list[tuple[int, int]] = []

    def mark(self, text: str, meta: dict[str, Any]) -> str:
        """The text with a number in front, if it is known where it came from."""
        if not self._on or "start" not in meta:
            return text
        self._spans.append((meta["start"], meta["end"]))
        return f"{_OPEN}{len(self._spans) - 1}{_CLOSE}{text}"

    def taken_out(self, generated: str) -> tuple[str, list[tuple[int, int, int]]]:
        """The text without the numbers, and for each one: its place in it, start and end in the user's text."""
        pieces, places, at, length = [], [], 0, 0
        for found in _MARK.finditer(generated):
            pieces.append(generated[at : found.start()])
            length += found.start() - at
            places.append((length, *self._spans[int(found.group(1))]))
            at = found.end()
        pieces.append(generated[at:])
        return "".join(pieces), places


def unmarked(text: str) -> str:
    """The text without numbers."""
    return _MARK.sub("", text)


@dataclass(frozen=True)
class SourceMap:
    """The way back from one generated statement."""

    source: str
    generated: str
    places: list[tuple[int, int, int]]

    def user_position(self, position: Position) -> Position | None:
        """Where in the user's text something stands that the engine found at `position` of the generated text."""
        if not self.places:
            return None
        start = _offset(self.generated, position)
        first = bisect.bisect_left(self.places, (start, 0, 0))
        last = bisect.bisect_right(self.places, (start + position.length, 0, 0))
        spans = self.places[first:last] or [self.places[max(0, first - 1)]]
        return Position.of_offset(self.source, min(s for _, s, _ in spans), max(e for _, _, e in spans))


def _offset(text: str, position: Position) -> int:
    lines = text.split("\n")
    before = sum(len(line) + 1 for line in lines[: position.line - 1])
    return before + position.column - 1
