"""How many statements a person, and all together, may send in a minute."""

from __future__ import annotations

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from sqe.core.errors import TooManyRequestsError
from sqe.observe.rate_limit import RateLimitSettings


class Rates:
    """Counts what people ask for; what is refused does not count for the others."""

    def __init__(self, settings: RateLimitSettings) -> None:
        self._settings = settings
        self._counter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def statement(self, user: str) -> None:
        """One more statement of a person. Raises `TooManyRequestsError`."""
        self._count(self._settings.per_user_queries_per_minute, "per_user_queries_per_minute", user)
        self._count(self._settings.global_queries_per_minute, "global_queries_per_minute")

    def metadata(self, user: str) -> None:
        """One more question of a person about catalogs, schemas or tables. Raises `TooManyRequestsError`."""
        self._count(self._settings.metadata_per_user_per_minute, "metadata_per_user_per_minute", user)

    def _count(self, limit: int, key: str, *who: str) -> None:
        if limit and not self._counter.hit(RateLimitItemPerMinute(limit), key, *who):
            whose = "from you" if who else "from everybody together"
            raise TooManyRequestsError(
                f"more than {limit} requests {whose} in a minute",
                hint=f"wait a little; rate_limit.{key} sets the limit",
            )
