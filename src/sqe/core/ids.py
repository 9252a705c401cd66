"""Query ids: UUID version 7, so that they sort by time."""

from __future__ import annotations

import os
import time
import uuid


def new_query_id() -> str:
    """A fresh UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then random bits."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (2**48 - 1)) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | (0x7 << 76)
    value = value & ~(0x3 << 62) | (0x2 << 62)
    return str(uuid.UUID(int=value))
