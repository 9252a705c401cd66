"""Something that an identity provider publishes: fetched when needed, kept for a while, longer while it is away."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from sqe.auth.http import provider_is_away
from sqe.auth.login import Clock
from sqe.core.errors import ExternalError

Thing = TypeVar("Thing")
_NEVER = float("-inf")


class Kept(Generic[Thing]):
    """Used by many threads at once; whoever publishes it is asked by one of them at a time, and not again and again."""

    def __init__(
        self,
        fetch: Callable[[], Thing],
        *,
        ttl_secs: float,
        stale_secs: float = 86_400,
        retry_secs: float = 5,
        clock: Clock = time.time,
    ) -> None:
        """Keep what `fetch` brings; nothing is fetched yet.

        Args:
            fetch: Raises `ExternalError` when it brings nothing.
            ttl_secs: How long it is used without a new look.
            stale_secs: How long it is used while there is no newer one.
            retry_secs: How soon a look that failed is tried again.
            clock: The time.
        """
        self._fetch = fetch
        self._ttl_secs = ttl_secs
        self._stale_secs = stale_secs
        self._retry_secs = retry_secs
        self._clock = clock
        self._fetching = threading.Lock()
        self._thing: Thing | None = None
        self._fetched = _NEVER
        self._failed = _NEVER
        self._searched = _NEVER

    def get(self) -> Thing:
        """What is published. Raises `ExternalError` when it is not to be had."""
        is_usable = self._age() <= self._stale_secs
        # With something at hand one caller looks for news, the others go on; with nothing, all wait for the one.
        if self._age() > self._ttl_secs and self._fetching.acquire(blocking=not is_usable):
            try:
                if self._age() > self._ttl_secs:
                    self._look()
            finally:
                self._fetching.release()
        thing = self._thing
        if thing is None or self._age() > self._stale_secs:
            raise provider_is_away()
        return thing

    def search(self, at_most_every_secs: float) -> Thing:
        """What is published now, because something was missing in it; but not looked up anew each time."""
        with self._fetching:
            now = self._clock()
            if now - self._searched > at_most_every_secs:
                self._searched = now
                self._look()
        return self.get()

    def _age(self) -> float:
        return self._clock() - self._fetched

    def _look(self) -> None:
        if self._clock() - self._failed <= self._retry_secs:
            return
        try:
            self._thing = self._fetch()
            self._fetched = self._clock()
        except ExternalError:
            self._failed = self._clock()
