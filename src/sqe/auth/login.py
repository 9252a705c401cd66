"""A login: somebody who was verified, for as long as that holds."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable

from sqe.auth.provider import Accepted, Renewal
from sqe.core.errors import SqeError, UnauthenticatedError
from sqe.core.identity import Identity

Clock = Callable[[], float]


class Login:
    """Its identity changes its token over time, never its person."""

    def __init__(self, accepted: Accepted, clock: Clock = time.time) -> None:
        #: Nobody outside chooses it; new for each authentication.
        self.id = str(uuid.uuid4())
        self.created = clock()
        self.last_used = self.created
        self._clock = clock
        self._lock = threading.Lock()
        self._identity = accepted.identity
        self._renewal = accepted.renewal
        self._failure: SqeError | None = None

    @property
    def identity(self) -> Identity:
        """The person, with the token of now."""
        return self._identity

    @property
    def renewal(self) -> Renewal | None:
        """How its token is renewed."""
        return self._renewal

    def touch(self) -> None:
        """Somebody uses it."""
        self.last_used = self._clock()

    @property
    def has_expired(self) -> bool:
        """Whether its token has ended."""
        ends = self._identity.expires
        return ends is not None and ends <= self._clock()

    def refuse_if_over(self) -> None:
        """Raise why it no longer holds."""
        if self._failure is not None:
            raise UnauthenticatedError(self._failure.message, hint=self._failure.hint)
        if self.has_expired:
            raise UnauthenticatedError("your login has expired", hint="log in again")

    def renewed(self, accepted: Accepted) -> None:
        """Take a fresh token; one of somebody else ends the login."""
        with self._lock:
            if self._failure is not None:
                return
            if accepted.identity.user != self._identity.user:
                self._failure = UnauthenticatedError("your login could not be renewed", hint="log in again")
                return
            self._identity = accepted.identity
            self._renewal = accepted.renewal

    def end(self, failure: SqeError) -> None:
        """It holds no longer, for this reason; the first one stays."""
        with self._lock:
            self._failure = self._failure or failure
