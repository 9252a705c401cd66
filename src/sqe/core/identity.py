"""Who asks. Endpoints make an identity, everything below only reads it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Identity:
    """A verified person or service; the token never shows in a repr."""

    user: str
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    token: str | None = field(default=None, repr=False)
