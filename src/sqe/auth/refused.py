"""How the parts of a provider say that credentials are wrong."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - an outcome, not a fault
    """Credentials that are known and wrong; the reason is for the log and holds no secret."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
