"""A clock that stands still, an identity provider, and everything that was logged."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from tests.services.identity_provider import IdentityProvider, identity_provider


@dataclass
class FakeClock:
    """The time, which only the test moves."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, secs: float) -> None:
        self.now += secs


@dataclass
class Logged:
    """All that any library has logged, with all that hangs on it."""

    texts: list[str] = field(default_factory=list)

    def __contains__(self, text: str) -> bool:
        return any(text in line for line in self.texts)


class _Keep(logging.Handler):
    def __init__(self, logged: Logged) -> None:
        super().__init__(logging.DEBUG)
        self._logged = logged

    def emit(self, record: logging.LogRecord) -> None:
        self._logged.texts.append(f"{record.getMessage()} {record.__dict__!r}")
        if record.exc_info:
            self._logged.texts.append(logging.Formatter().formatException(record.exc_info))


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback is not behind the proxy that a machine may have."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def idp(clock: FakeClock) -> Iterator[IdentityProvider]:
    with identity_provider() as provider:
        provider.clock = clock
        yield provider


@pytest.fixture
def logged() -> Iterator[Logged]:
    found = Logged()
    handler = _Keep(found)
    root, ours = logging.getLogger(), logging.getLogger("sqe")
    before = root.level, ours.level, ours.propagate
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    ours.setLevel(logging.DEBUG)
    ours.propagate = True
    try:
        yield found
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        ours.setLevel(before[1])
        ours.propagate = before[2]
