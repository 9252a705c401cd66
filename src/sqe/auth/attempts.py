"""How often somebody may try to log in."""

from __future__ import annotations

import ipaddress

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from sqe.auth.credentials import Caller
from sqe.core.errors import TooManyRequestsError


class Attempts:
    """Counts failures by the address they come from; 0 a minute: no limit."""

    def __init__(self, per_minute: int = 0) -> None:
        self._limit = RateLimitItemPerMinute(per_minute) if per_minute else None
        self._counter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def refuse_if_too_many(self, caller: Caller) -> None:
        """Raise when this address has failed too often of late."""
        if self._limit is not None and not self._counter.test(self._limit, _place(caller)):
            raise TooManyRequestsError("too many failed attempts to log in", hint="wait a minute")

    def failed(self, caller: Caller) -> None:
        """One more failure from there."""
        if self._limit is not None:
            self._counter.hit(self._limit, _place(caller))


def _place(caller: Caller) -> str:
    """Whose attempts are counted together: an IPv6 host has a whole network of addresses."""
    try:
        address = ipaddress.ip_address(caller.address)
    except ValueError:
        return caller.address
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    mapped = address.ipv4_mapped
    return str(mapped) if mapped else str(ipaddress.ip_network((int(address), 64), strict=False))
