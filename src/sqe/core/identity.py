"""Who asks. Authentication makes an identity, everything below only reads it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Identity:
    """A verified person or service; the token never shows in a repr."""

    user: str
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    #: What the catalogs see of this person: the token as it was signed, unchanged.
    token: str | None = field(default=None, repr=False)
    #: When the token ends, in seconds since 1970; None when it does not, or nobody can tell.
    expires: float | None = None
    display_name: str = ""
    #: Which provider has verified it.
    provider: str = ""
    #: May do what `auth.admin_roles` may.
    admin: bool = False

    @property
    def fingerprint(self) -> str:
        """Tells tokens apart without showing them; empty without a token."""
        return hashlib.sha256(self.token.encode()).hexdigest()[:16] if self.token else ""
