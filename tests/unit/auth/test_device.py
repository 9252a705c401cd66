"""The login by a code on another device: waiting, slowing down, no, too late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.services.identity_provider import IdentityProvider

from sqe.auth.device import DeviceFlow
from sqe.auth.settings import ExternalSettings
from sqe.core.errors import ConfigError, ExternalError, UnauthenticatedError

if TYPE_CHECKING:
    from tests.unit.auth.conftest import FakeClock, Logged


@pytest.fixture
def flow(idp: IdentityProvider, clock: FakeClock) -> Iterator[DeviceFlow]:
    idp.clients["shell"] = ""
    made = DeviceFlow(ExternalSettings(issuer=idp.issuer, client_id="shell"), clock)
    yield made
    made.close()


class Sleeper:
    """Sleeps by moving the clock; says yes, or something else, after some pauses."""

    def __init__(self, clock: FakeClock, idp: IdentityProvider, answer: str | None = "yes", after: int = 1) -> None:
        self.pauses: list[float] = []
        self._clock, self._idp, self._answer, self._after = clock, idp, answer, after

    def __call__(self, secs: float) -> None:
        self.pauses.append(secs)
        self._clock.advance(secs)
        if len(self.pauses) >= self._after:
            self._idp.device_answer = self._answer
            self._idp.mood = "fine"


def test_somebody_says_yes(flow: DeviceFlow, clock: FakeClock, idp: IdentityProvider, logged: Logged) -> None:
    code = flow.start()
    assert code.user_code == "ABCD-EFGH"
    assert code.verification_uri == idp.url("activate")
    assert code.verification_uri_complete.endswith("ABCD-EFGH")
    sleep = Sleeper(clock, idp, after=4)
    tokens = flow.wait(code, sleep)
    assert tokens.claims["sub"] == "alice"
    assert tokens.refresh is not None
    assert sleep.pauses == [5, 5, 5, 5]
    for secret in (tokens.access, tokens.refresh, "device-code-secret-91"):
        assert secret not in repr(tokens) + repr(code)
        assert secret not in logged


def test_it_slows_down_when_told_to(flow: DeviceFlow, clock: FakeClock, idp: IdentityProvider) -> None:
    code = flow.start()
    idp.slow_downs = 2
    sleep = Sleeper(clock, idp, after=3)
    flow.wait(code, sleep)
    assert sleep.pauses == [5, 10, 15]


def test_it_waits_longer_while_nobody_answers(flow: DeviceFlow, clock: FakeClock, idp: IdentityProvider) -> None:
    code = flow.start()
    idp.mood = "error"
    sleep = Sleeper(clock, idp, after=4)
    flow.wait(code, sleep)
    assert sleep.pauses == [5, 10, 20, 40]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("access_denied", "the login was refused"),
        ("expired_token", "the code has expired"),
        ("invalid_grant", "the identity provider ended the login"),
    ],
)
def test_somebody_says_no(flow: DeviceFlow, clock: FakeClock, idp: IdentityProvider, answer: str, text: str) -> None:
    with pytest.raises(UnauthenticatedError, match=text):
        flow.wait(flow.start(), Sleeper(clock, idp, answer))


@pytest.mark.parametrize("mood", ["fine", "error"])
def test_the_code_ends(flow: DeviceFlow, clock: FakeClock, idp: IdentityProvider, mood: str) -> None:
    code = flow.start()
    idp.mood = mood
    with pytest.raises(UnauthenticatedError, match="the code has expired"):
        flow.wait(code, Sleeper(clock, idp, None, after=10_000))
    assert clock.now >= code.expires


@pytest.mark.parametrize("mood", ["error", "garbage", "page", "list", "empty", "huge", "redirect"])
def test_a_provider_that_is_away(flow: DeviceFlow, idp: IdentityProvider, mood: str) -> None:
    idp.mood = mood
    with pytest.raises(ExternalError):
        flow.start()


def test_tokens_are_refreshed(flow: DeviceFlow, clock: FakeClock, idp: IdentityProvider) -> None:
    tokens = flow.wait(flow.start(), Sleeper(clock, idp))
    assert tokens.refresh is not None
    assert flow.refresh(tokens.refresh).claims["sub"] == "alice"
    with pytest.raises(UnauthenticatedError, match="your login is over"):
        flow.refresh(tokens.refresh)


def test_a_page_of_another_issuer_is_not_believed(idp: IdentityProvider, clock: FakeClock) -> None:
    flow = DeviceFlow(ExternalSettings(issuer=f"{idp.issuer}/", client_id="shell"), clock)
    with pytest.raises(ExternalError):
        flow.start()
    flow.close()


def test_it_needs_an_issuer() -> None:
    with pytest.raises(ConfigError, match=r"auth\.external\.issuer"):
        DeviceFlow(ExternalSettings())
