"""Timestamps with a zone, as they are written."""

from __future__ import annotations

import re

#: `+05:30`, `Z`, `Europe/Prague` at the end; seconds, or the whole time, may be left out.
_ZONED = re.compile(
    r"\s*(?P<date>[+-]?\d+-\d+-\d+)(?:[ T](?P<minutes>\d+:\d+)(?P<seconds>:\d+(?:\.\d*)?)?\s*|\s+)"
    r"(?P<zone>[+-]\d\d:\d\d|[A-Za-z][\w/+-]*)\s*"
)


def zoned(written: str) -> tuple[str, str] | None:
    """The timestamp with seconds and zone, and the zone; None for a text that has no zone."""
    found = _ZONED.fullmatch(written)
    if found is None:
        return None
    clock = (found["minutes"] or "00:00") + (found["seconds"] or ":00")
    return f"{found['date']} {clock} {found['zone']}", found["zone"]
