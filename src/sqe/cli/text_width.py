"""The width of text on a terminal: padding, cutting, and control characters made visible."""

from __future__ import annotations

#: A table that is too wide loses the ends of cells wider than this.
CUT_ABOVE = 20


def visible(text: str) -> str:
    """The text with control characters, also those that change the direction of writing, as escapes."""
    return "".join(_escape(char) if _is_control(char) else char for char in text)


def display_width(text: str) -> int:
    """The columns that the text takes on a terminal."""
    if text.isascii():
        return len(text)
    # Loaded only where it is needed: its tables take as long as a small statement.
    from wcwidth import wcswidth

    return max(0, wcswidth(text))


def pad(text: str, width: int, right: bool) -> str:
    """The text with blanks up to the width."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def cut(text: str, width: int, mark: str) -> str:
    """The text, cut with a mark at its end when it is wider than the width."""
    if display_width(text) <= width:
        return text
    from wcwidth import wcwidth

    taken = 0
    for index, char in enumerate(text):
        taken += max(0, wcwidth(char))
        if taken > width - 1:
            return text[:index] + mark
    return text


def _is_control(char: str) -> bool:
    code = ord(char)
    return (
        code < 0x20
        or 0x7F <= code <= 0x9F
        or code in {0x200E, 0x200F}
        or 0x2028 <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )


def _escape(char: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return known.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}")
