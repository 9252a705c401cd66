"""Sizes in bytes, as people write them: `64MB`, `1.5 GiB`, `1048576`. Every unit is a power of 1024."""

from __future__ import annotations

import re
from fractions import Fraction

_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
_SIZE = re.compile(r"([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*(?:([KMGT])I?B?|B)?", re.IGNORECASE)
#: The JVM holds sizes in signed 64-bit integers.
_LARGEST = 2**63 - 1
_HOW = "write a number with B, KB, MB, GB or TB, such as 64MB, or a whole number of bytes"
_NEGATIVE = f"a size cannot be negative; {_HOW}"


def parse_size(value: object) -> int:
    """The bytes that a text or a whole number stands for; a fraction of a byte is cut off.

    Raises:
        ValueError: It is no size. The text does not repeat the value, so it may be shown for a secret one.
    """
    size = _parse_text(value.strip()) if isinstance(value, str) else value
    if isinstance(size, bool) or not isinstance(size, int):
        raise ValueError(f"not a size; {_HOW}")  # noqa: TRY004 - a wrong type is one more wrong value
    if size < 0:
        raise ValueError(_NEGATIVE)
    if size > _LARGEST:
        raise ValueError(f"a size of more than {format_size(_LARGEST)} is too large")
    return size


def _parse_text(text: str) -> int:
    match = _SIZE.fullmatch(text.removeprefix("-"))
    if match is None:
        raise ValueError(f"not a size; {_HOW}")
    if text.startswith("-"):
        raise ValueError(_NEGATIVE)
    number, letter = match.groups()
    return int(Fraction(number) * _UNITS[f"{letter or ''}B".upper()])


def format_size(size: int) -> str:
    """`size` bytes for a person: the largest unit that fits, with at most two decimals (`1GB`, `1.5GB`)."""
    name, hundredths = "", 0
    for unit, factor in _UNITS.items():
        name, hundredths = unit, (size * 100 + factor // 2) // factor
        if hundredths < 1024 * 100:
            break
    whole, decimals = divmod(hundredths, 100)
    return f"{whole}.{decimals:02d}".rstrip("0").rstrip(".") + name
