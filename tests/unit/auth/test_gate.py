"""The gate, with a clock that only the tests move."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from sqe.auth.attempts import Attempts
from sqe.auth.book import LoginBook
from sqe.auth.credentials import BearerToken, Caller, Certificate, Credentials, NoCredentials, Password
from sqe.auth.gate import Gate, LoginLimits
from sqe.auth.login import Login
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.core.errors import (
    ExternalError,
    InternalError,
    SqeError,
    TooManyRequestsError,
    UnauthenticatedError,
)
from sqe.core.identity import Identity

if TYPE_CHECKING:
    from tests.unit.auth.conftest import FakeClock, Logged

HERE = Caller("203.0.113.7", "flight")
ALICE = Password("alice", "alice-secret")
BOB = Password("bob", "bob-secret")


@dataclass
class FakeProvider:
    """Knows everybody whose password is their name and `-secret`; tokens end and are renewed as told."""

    clock: FakeClock
    name: str = "fake"
    token_secs: float | None = None
    renews: bool = True
    error: Exception | None = None
    renew_error: Exception | None = None
    renewed_user: str | None = None
    asked: int = 0
    renewals: int = 0
    is_closed: bool = False
    #: Whoever asks waits for it.
    may_answer: threading.Event = field(default_factory=threading.Event)
    may_renew: dict[str, threading.Event] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.may_answer.set()

    def authenticate(self, credentials: Credentials) -> Outcome:
        self.asked += 1
        assert self.may_answer.wait(30)
        if self.error is not None:
            raise self.error
        if isinstance(credentials, BearerToken):
            return self.accepted("bearer")
        if not isinstance(credentials, Password):
            return NotMine()
        if credentials.password != f"{credentials.user}-secret":
            return Rejected("wrong")
        return self.accepted(credentials.user)

    def accepted(self, user: str) -> Accepted:
        ends = None if self.token_secs is None else self.clock() + self.token_secs
        identity = Identity(user, token=f"token-{self.renewals}", expires=ends, provider=self.name)
        return Accepted(identity, FakeRenewal(self, user) if self.renews else None)

    def close(self) -> None:
        self.is_closed = True


@dataclass
class FakeRenewal:
    provider: FakeProvider
    user: str

    def renew(self) -> Accepted:
        self.provider.renewals += 1
        if self.user in self.provider.may_renew:
            assert self.provider.may_renew[self.user].wait(30)
        if self.provider.renew_error is not None:
            raise self.provider.renew_error
        return self.provider.accepted(self.provider.renewed_user or self.user)


@pytest.fixture
def provider(clock: FakeClock) -> FakeProvider:
    return FakeProvider(clock)


@pytest.fixture
def gate(provider: FakeProvider, clock: FakeClock) -> Iterator[Gate]:
    made = Gate([provider], LoginLimits(), clock=clock)
    yield made
    made.close()


def test_the_same_credentials_lead_to_the_same_login(gate: Gate, provider: FakeProvider) -> None:
    login = gate.login(ALICE, HERE)
    assert login.identity.user == "alice"
    assert gate.login(Password("alice", "alice-secret"), HERE) is login
    assert gate.login(BOB, HERE) is not login
    assert provider.asked == 2


def test_a_fresh_login_is_another(gate: Gate) -> None:
    first = gate.login(ALICE, HERE)
    second = gate.login(ALICE, HERE, fresh=True)
    assert first.id != second.id
    assert set(gate.logins()) == {first, second}
    assert gate.login(ALICE, HERE) is second
    gate.logout(first)
    assert gate.login(ALICE, HERE) is second


def test_session_tokens_lead_back(gate: Gate) -> None:
    login = gate.login(ALICE, HERE)
    tokens = {gate.hand_out(login) for _ in range(3)}
    assert len(tokens) == 3
    for token in tokens:
        assert gate.login(BearerToken(token), HERE) is login


def test_logging_out_ends_all_ways_in(gate: Gate, provider: FakeProvider) -> None:
    login = gate.login(ALICE, HERE)
    token = gate.hand_out(login)
    ended: list[Login] = []
    gate.listen(ended=ended.append)
    gate.logout(login)
    gate.logout(login)
    assert ended == [login]
    asked = provider.asked
    with pytest.raises(UnauthenticatedError, match="logged out"):
        gate.login(BearerToken(token), HERE)
    with pytest.raises(UnauthenticatedError):
        gate.hand_out(login)
    with pytest.raises(UnauthenticatedError):
        login.refuse_if_over()
    assert provider.asked == asked, "a session token is nobody else's business"
    assert gate.login(ALICE, HERE) is not login


def test_an_ended_session_is_no_failed_attempt(provider: FakeProvider, clock: FakeClock) -> None:
    gate = Gate([provider], attempts=Attempts(2), clock=clock)
    token = gate.hand_out(login := gate.login(ALICE, HERE))
    gate.logout(login)
    for _ in range(5):
        with pytest.raises(UnauthenticatedError, match="logged out"):
            gate.login(BearerToken(token), HERE)
    gate.login(BOB, HERE)
    gate.close()


@pytest.mark.parametrize(("secs", "reason"), [(901, "idle"), (28_801, "too old")])
def test_logins_end_by_themselves(gate: Gate, clock: FakeClock, secs: float, reason: str) -> None:
    token = gate.hand_out(gate.login(ALICE, HERE))
    for _ in range(int(secs // 600)):
        if reason == "too old":
            clock.advance(600)
            gate.login(BearerToken(token), HERE)
    clock.advance(secs if reason == "idle" else secs % 600)
    with pytest.raises(UnauthenticatedError, match=reason):
        gate.login(BearerToken(token), HERE)
    assert gate.logins() == []


def test_the_round_ends_them_too(gate: Gate, clock: FakeClock) -> None:
    ended: list[Login] = []
    gate.listen(ended=ended.append)
    login = gate.login(ALICE, HERE)
    gate.look_after()
    assert ended == []
    clock.advance(901)
    gate.look_after()
    assert ended == [login]


def test_a_login_does_not_outlive_its_token(gate: Gate, provider: FakeProvider, clock: FakeClock) -> None:
    provider.token_secs, provider.renews = 100, False
    login = gate.login(BearerToken("signed"), HERE)
    token = gate.hand_out(login)
    clock.advance(99)
    assert gate.login(BearerToken("signed"), HERE) is login
    clock.advance(1)
    with pytest.raises(UnauthenticatedError, match="expired"):
        gate.login(BearerToken(token), HERE)
    # The token itself is verified once more; whether it is still good, its provider says.
    provider.error = UnauthenticatedError("no")
    with pytest.raises(UnauthenticatedError):
        gate.login(BearerToken("signed"), HERE)


def test_somebody_whose_token_is_over_already_does_not_come_in(gate: Gate, provider: FakeProvider) -> None:
    provider.token_secs, provider.renews = 0, False
    with pytest.raises(UnauthenticatedError):
        gate.login(ALICE, HERE)
    assert gate.logins() == []


def test_tokens_are_renewed_before_they_end(gate: Gate, provider: FakeProvider, clock: FakeClock) -> None:
    provider.token_secs = 300
    renewed: list[Login] = []
    gate.listen(renewed=renewed.append)
    login = gate.login(ALICE, HERE)
    clock.advance(230)
    gate.look_after(wait_for_renewals=True)
    assert renewed == []
    clock.advance(10)
    gate.look_after(wait_for_renewals=True)
    assert renewed == [login]
    assert login.identity.token == "token-1"
    assert gate.login(ALICE, HERE) is login


def test_who_is_not_using_it_is_not_renewed(gate: Gate, provider: FakeProvider, clock: FakeClock) -> None:
    provider.token_secs = 901
    gate.login(ALICE, HERE)
    clock.advance(901)
    gate.look_after(wait_for_renewals=True)
    assert provider.renewals == 0
    assert gate.logins() == []


def test_an_expired_token_is_renewed_when_it_is_needed(gate: Gate, provider: FakeProvider, clock: FakeClock) -> None:
    provider.token_secs = 5
    token = gate.hand_out(login := gate.login(ALICE, HERE))
    clock.advance(60)
    assert gate.login(BearerToken(token), HERE) is login
    assert login.identity.token == "token-1"


def test_a_provider_that_is_away_does_not_end_a_login_that_still_holds(
    gate: Gate, provider: FakeProvider, clock: FakeClock
) -> None:
    provider.token_secs = 300
    token = gate.hand_out(gate.login(ALICE, HERE))
    provider.renew_error = ExternalError("away")
    clock.advance(260)
    gate.look_after(wait_for_renewals=True)
    gate.login(BearerToken(token), HERE)
    clock.advance(40)
    gate.look_after(wait_for_renewals=True)
    with pytest.raises(UnauthenticatedError, match="could not be renewed"):
        gate.login(BearerToken(token), HERE)


@pytest.mark.parametrize("error", [UnauthenticatedError("no"), ValueError("secret-in-an-error")])
def test_a_refused_renewal_ends_the_login(
    gate: Gate, provider: FakeProvider, clock: FakeClock, logged: Logged, error: Exception
) -> None:
    provider.token_secs = 300
    token = gate.hand_out(gate.login(ALICE, HERE))
    provider.renew_error = error
    clock.advance(250)
    gate.look_after(wait_for_renewals=True)
    with pytest.raises(UnauthenticatedError, match="could not be renewed"):
        gate.login(BearerToken(token), HERE)
    assert "secret-in-an-error" not in logged


def test_a_login_never_becomes_somebody_else(gate: Gate, provider: FakeProvider, clock: FakeClock) -> None:
    provider.token_secs, provider.renewed_user = 300, "bob"
    login = gate.login(ALICE, HERE)
    clock.advance(250)
    gate.look_after(wait_for_renewals=True)
    assert login.identity.user == "alice"
    assert login not in gate.logins()


def test_one_slow_renewal_keeps_nobody_else_waiting(gate: Gate, provider: FakeProvider, clock: FakeClock) -> None:
    provider.token_secs = 300
    slow = provider.may_renew["alice"] = threading.Event()
    alice, bob = gate.login(ALICE, HERE), gate.login(BOB, HERE)
    renewed = threading.Event()
    gate.listen(renewed=lambda login: renewed.set() if login is bob else None)
    clock.advance(250)
    gate.look_after()
    gate.look_after()
    assert renewed.wait(30)
    assert alice.identity.token == "token-0"
    assert provider.renewals == 2, "one at a time for each"
    assert gate.login(ALICE, HERE) is alice
    slow.set()


def test_many_at_once_ask_the_provider_once(gate: Gate, provider: FakeProvider) -> None:
    provider.may_answer.clear()
    found: list[Login] = []
    threads = [threading.Thread(target=lambda: found.append(gate.login(ALICE, HERE))) for _ in range(8)]
    for thread in threads:
        thread.start()
    provider.may_answer.set()
    for thread in threads:
        thread.join(30)
    assert len(found) == 8
    assert len(set(found)) == 1
    assert provider.asked == 1
    assert gate.logins() == [found[0]]


def test_all_who_wait_for_one_refusal_are_refused(provider: FakeProvider, clock: FakeClock) -> None:
    gate = Gate([provider], attempts=Attempts(100), clock=clock)
    provider.may_answer.clear()
    errors: list[Exception] = []

    def attempt() -> None:
        try:
            gate.login(Password("alice", "wrong"), HERE)
        except SqeError as error:
            errors.append(error)

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    provider.may_answer.set()
    for thread in threads:
        thread.join(30)
    assert [str(error) for error in errors] == ["invalid credentials"] * 4
    assert len({id(error) for error in errors}) == 4
    gate.close()


def test_failures_are_counted_by_address(provider: FakeProvider, clock: FakeClock) -> None:
    gate = Gate([provider], attempts=Attempts(3), clock=clock)
    known = gate.login(BOB, HERE)
    for _ in range(3):
        with pytest.raises(UnauthenticatedError):
            gate.login(Password("alice", "wrong"), HERE)
    asked = provider.asked
    with pytest.raises(TooManyRequestsError):
        gate.login(ALICE, HERE)
    assert provider.asked == asked
    assert gate.login(BOB, HERE) is known, "who is in stays in"
    assert gate.login(ALICE, Caller("203.0.113.8")).identity.user == "alice"
    gate.close()


def test_one_network_of_ipv6_is_one_address() -> None:
    attempts = Attempts(1)
    attempts.failed(Caller("2001:db8::1"))
    with pytest.raises(TooManyRequestsError):
        attempts.refuse_if_too_many(Caller("2001:db8::ffff"))
    attempts.refuse_if_too_many(Caller("2001:db8:0:1::1"))
    attempts.failed(Caller("::ffff:192.0.2.1"))
    with pytest.raises(TooManyRequestsError):
        attempts.refuse_if_too_many(Caller("192.0.2.1"))


def test_nobody_without_credentials_is_counted(provider: FakeProvider, clock: FakeClock) -> None:
    gate = Gate([provider], attempts=Attempts(1), clock=clock)
    for _ in range(3):
        with pytest.raises(UnauthenticatedError, match="no credentials"):
            gate.login(NoCredentials(), HERE)
    gate.login(ALICE, HERE)
    gate.close()


def test_a_flood_of_tokens_does_not_grow_the_book(provider: FakeProvider, clock: FakeClock) -> None:
    book = LoginBook(max_logins=50, max_tokens=10)
    gate = Gate([provider], clock=clock, book=book)
    ended: list[Login] = []
    gate.listen(ended=ended.append)
    alice = gate.login(ALICE, HERE)
    for number in range(500):
        clock.advance(0.001)
        gate.login(BearerToken(f"token-{number}"), HERE)
    assert len(gate.logins()) == 50
    assert len(ended) == 451
    assert len(book._by_digest) == 50
    assert sum(book._count_of_user.values()) == 50
    assert gate.login(ALICE, HERE) is alice, "only the one who has most loses some"
    first = gate.hand_out(alice)
    for _ in range(100):
        gate.hand_out(alice)
        assert gate.login(BearerToken(first), HERE) is alice, "what is used stays"
    assert len(book._by_digest) == 60
    gate.logout(alice)
    assert len(book._by_digest) == 49
    gate.close()


def test_ended_sessions_are_not_remembered_for_ever(provider: FakeProvider, clock: FakeClock) -> None:
    book = LoginBook()
    gate = Gate([provider], clock=clock, book=book)
    for _ in range(200):
        login = gate.login(ALICE, HERE)
        for _ in range(60):
            gate.hand_out(login)
        gate.logout(login)
    assert len(book._reasons) == 10_000
    assert not book._by_digest
    assert not book._pages
    assert not book._count_of_user
    gate.close()


@pytest.mark.parametrize(
    "credentials",
    [
        Password("a\nb", "x"),
        Password("x" * 300, "x"),
        Password("alice", "x" * 70_000),
        BearerToken("x" * 70_000),
        Certificate(b"x" * 70_000),
        BearerToken("\udcff"),
        Password("alice", "\ud800"),
    ],
)
def test_impossible_credentials_reach_no_provider(gate: Gate, provider: FakeProvider, credentials: Credentials) -> None:
    with pytest.raises(UnauthenticatedError, match=r"^invalid credentials$"):
        gate.login(credentials, HERE)
    assert provider.asked == 0


def test_digests_do_not_run_together(gate: Gate) -> None:
    first = gate.login(Password("alice", "alice-secret"), HERE)
    with pytest.raises(UnauthenticatedError):
        gate.login(Password("alicea", "lice-secret"), HERE)
    assert gate.login(BearerToken("alicealice-secret"), HERE) is not first


def test_the_first_who_knows_decides(clock: FakeClock) -> None:
    first, second = FakeProvider(clock, "first"), FakeProvider(clock, "second")
    gate = Gate([first, second], clock=clock)
    with pytest.raises(UnauthenticatedError):
        gate.login(Password("alice", "wrong"), HERE)
    assert second.asked == 0
    with pytest.raises(UnauthenticatedError):
        gate.login(Certificate(b"x"), HERE)
    assert second.asked == 1
    first.error = ExternalError("away")
    with pytest.raises(ExternalError):
        gate.login(BOB, HERE)
    assert second.asked == 1, "one who is away is not passed over"
    gate.close()
    assert first.is_closed
    assert second.is_closed


def test_a_provider_that_breaks_lets_nobody_in(gate: Gate, provider: FakeProvider, logged: Logged) -> None:
    provider.error = ValueError("password alice-secret is odd")
    with pytest.raises(InternalError) as raised:
        gate.login(ALICE, HERE)
    assert "alice-secret" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert "alice-secret" not in logged


def test_a_listener_that_breaks_keeps_no_other_from_knowing(gate: Gate) -> None:
    ended: list[Login] = []

    def broken(_: Login) -> None:
        raise ValueError

    gate.listen(ended=broken)
    gate.listen(ended=ended.append)
    gate.logout(login := gate.login(ALICE, HERE))
    assert ended == [login]


def test_an_admitted_login_has_no_credentials(gate: Gate, provider: FakeProvider) -> None:
    login = gate.admit(provider.accepted("carol"), HERE)
    assert gate.login(BearerToken(gate.hand_out(login)), HERE) is login
    assert provider.asked == 0
    gate.logout(login)
    assert gate.logins() == []


def test_a_login_ends_while_it_is_renewed(gate: Gate, provider: FakeProvider, clock: FakeClock) -> None:
    provider.token_secs = 300
    hold = provider.may_renew["alice"] = threading.Event()
    told: list[str] = []
    gate.listen(renewed=lambda _: told.append("renewed"), ended=lambda _: told.append("ended"))
    login = gate.login(ALICE, HERE)
    clock.advance(250)
    gate.look_after()
    gate.logout(login)
    hold.set()
    gate.look_after(wait_for_renewals=True)
    gate.close()
    assert told == ["ended"]
    assert login.identity.token == "token-0"
