"""The door of authentication providers: one call, three outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sqe.auth.credentials import Credentials
from sqe.core.identity import Identity


class Renewal(Protocol):
    """Gets a new token for a login whose token is about to end."""

    def renew(self) -> Accepted:
        """The same person with a fresh token, and how that one is renewed. Raises `SqeError` when it cannot be."""
        ...


@dataclass(frozen=True)
class Accepted:
    """The credentials are good."""

    identity: Identity
    renewal: Renewal | None = None


@dataclass(frozen=True)
class NotMine:
    """Credentials of a kind, or of an issuer, that this provider does not know; the next one is asked."""


@dataclass(frozen=True)
class Rejected:
    """Credentials that this provider knows and that are wrong; nobody else is asked."""

    #: For the log only: whoever tries is told nothing.
    reason: str


Outcome = Accepted | NotMine | Rejected


class Provider(Protocol):
    """Verifies one kind of credentials. Called by many threads at once."""

    #: The type's name in the settings.
    name: str

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Look at the credentials. Raises `ExternalError` when whoever must be asked is away: that is no answer."""
        ...

    def close(self) -> None:
        """Let go of connections and threads."""
        ...
