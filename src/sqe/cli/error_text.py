"""An error as a person reads it: one line, the place in the statement, a hint; never a stack trace."""

from __future__ import annotations

from sqe.core.errors import Position, SqeError

LINE_WIDTH = 100
_TAB = "    "
_RED, _PLAIN = "\x1b[1;31m", "\x1b[0m"


def describe(error: SqeError, sql: str | None = None, *, color: bool = False, first_line: int = 1) -> str:
    """The error for the terminal, without a newline at its end.

    Args:
        error: What went wrong.
        sql: The statement, to show the place in it.
        color: Whether the word `error` is red.
        first_line: The line of the script where the statement starts.
    """
    label = f"{_RED}error:{_PLAIN}" if color else "error:"
    parts = [f"{label} {one_line(error.message) or type(error).__name__}"]
    if sql is not None:
        parts += _place(error.position, sql, first_line)
    if error.hint:
        parts.append(f"hint: {one_line(error.hint)}")
    return "\n".join(parts)


def one_line(text: str) -> str:
    """The text with every run of blanks, also newlines, as one blank; control characters are dropped."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _place(position: Position | None, sql: str, first_line: int) -> list[str]:
    lines = sql.split("\n")
    if position is None:
        # In a script, the statement itself is the place.
        return _source_line(lines[0], first_line, None) if first_line > 1 else []
    if not 1 <= position.line <= len(lines):
        return []
    return _source_line(lines[position.line - 1], first_line + position.line - 1, position)


def _source_line(line: str, number: int, position: Position | None) -> list[str]:
    line = line.rstrip("\r")
    start = min(position.column - 1, len(line)) if position else 0
    stop = min(start + position.length, len(line)) if position else 0
    left, right, prefix, suffix = _window(len(line), start, stop)
    shown = prefix + _drawn(line[left:right]) + suffix
    gutter = f"{number:>4} | "
    result = [(gutter + shown).rstrip()]
    if position:
        blanks = " " * (len(prefix) + _columns(line[left:start]))
        carets = "^" * max(1, _columns(line[start : min(stop, right)]))
        result.append(" " * (len(gutter) - 2) + "| " + blanks + carets)
    return result


def _window(length: int, start: int, stop: int) -> tuple[int, int, str, str]:
    """The part of a long line around the place, and the marks for what was left out."""
    if length <= LINE_WIDTH:
        return 0, length, "", ""
    middle = (start + min(stop, start + LINE_WIDTH // 2)) // 2
    left = max(0, min(middle - LINE_WIDTH // 2, length - LINE_WIDTH))
    right = min(length, left + LINE_WIDTH)
    return left, right, "…" if left else "", "…" if right < length else ""


def _drawn(text: str) -> str:
    return "".join(_TAB if char == "\t" else char if char.isprintable() else "?" for char in text)


def _columns(text: str) -> int:
    drawn = _drawn(text)
    if drawn.isascii():
        return len(drawn)
    from wcwidth import wcswidth

    return max(0, wcswidth(drawn))
