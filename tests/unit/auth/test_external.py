"""The login in a browser: who gets the token, once, and who does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr
from tests.services.identity_provider import IdentityProvider

from sqe.auth.attempts import Attempts
from sqe.auth.credentials import BearerToken, Caller
from sqe.auth.external import Begun, Done, ExternalLogin, Failed, Pending
from sqe.auth.gate import Gate
from sqe.auth.people import People
from sqe.auth.settings import ExternalSettings
from sqe.core.errors import ConfigError, ExternalError, NotFoundError, TooManyRequestsError, UnauthenticatedError

if TYPE_CHECKING:
    from tests.unit.auth.conftest import FakeClock, Logged

CALLER = Caller("203.0.113.7", "trino")
BACK = "https://sqe.example.com/oauth2/callback"


def settings(idp: IdentityProvider) -> ExternalSettings:
    return ExternalSettings(
        issuer=idp.issuer, client_id="sqe", client_secret=SecretStr("sqe-secret-a81"), redirect_uri=BACK
    )


@pytest.fixture
def gate(clock: FakeClock) -> Iterator[Gate]:
    made = Gate([], clock=clock)
    yield made
    made.close()


@pytest.fixture
def external(idp: IdentityProvider, gate: Gate, clock: FakeClock) -> Iterator[ExternalLogin]:
    made = ExternalLogin(settings(idp), People({"analysts": ["querier"]}), gate, clock)
    yield made
    made.close()


def query(begun: Begun) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(begun.redirect_url).query).items()}


def logged_in(external: ExternalLogin, idp: IdentityProvider) -> Begun:
    begun = external.begin()
    external.callback(*idp.code_for(begun.redirect_url))
    return begun


def test_from_the_first_request_to_a_login(
    external: ExternalLogin, idp: IdentityProvider, gate: Gate, logged: Logged
) -> None:
    begun = external.begin()
    assert begun.redirect_url.startswith(idp.url("authorize?"))
    assert query(begun)["redirect_uri"] == BACK
    assert query(begun)["code_challenge_method"] == "S256"
    assert external.poll(begun.id) == Pending()
    external.callback(*idp.code_for(begun.redirect_url))
    outcome = external.poll(begun.id)
    assert isinstance(outcome, Done)
    login = gate.login(BearerToken(outcome.token), CALLER)
    assert login.identity.user == "alice"
    assert login.identity.roles == {"reader", "querier"}
    assert login.identity.token is not None
    for secret in (outcome.token, login.identity.token, begun.id, "sqe-secret-a81", *idp.refresh_tokens):
        assert secret not in logged
        assert secret not in repr(outcome) + repr(begun) + repr(login.renewal)


def test_a_token_is_handed_out_once(external: ExternalLogin, idp: IdentityProvider) -> None:
    begun = logged_in(external, idp)
    assert isinstance(external.poll(begun.id), Done)
    for _ in range(2):
        with pytest.raises(NotFoundError):
            external.poll(begun.id)


def test_the_login_is_renewed(external: ExternalLogin, idp: IdentityProvider, gate: Gate, clock: FakeClock) -> None:
    outcome = external.poll(logged_in(external, idp).id)
    assert isinstance(outcome, Done)
    login = gate.login(BearerToken(outcome.token), CALLER)
    before = login.identity.token
    clock.advance(280)
    gate.look_after(wait_for_renewals=True)
    assert login.identity.token != before
    assert login.identity.user == "alice"


def test_the_browser_never_sees_what_fetches_the_token(external: ExternalLogin, idp: IdentityProvider) -> None:
    begun = external.begin()
    assert begun.id not in begun.redirect_url
    state = query(begun)["state"]
    external.callback(*idp.code_for(begun.redirect_url))
    with pytest.raises(NotFoundError):
        external.poll(state)


def test_two_logins_are_never_mixed(external: ExternalLogin, idp: IdentityProvider, gate: Gate) -> None:
    alice, bob = external.begin(), external.begin()
    code_of_alice, state_of_alice = idp.code_for(alice.redirect_url, "alice")
    code_of_bob, state_of_bob = idp.code_for(bob.redirect_url, "bob")
    # A code for another attempt does not fit: its proof is another.
    with pytest.raises(UnauthenticatedError):
        external.callback(code_of_bob, state_of_alice)
    assert isinstance(external.poll(alice.id), Failed)
    with pytest.raises(UnauthenticatedError):
        external.callback(code_of_bob, state_of_bob)
    assert isinstance(external.poll(bob.id), Failed)
    assert code_of_alice
    assert gate.logins() == []


def test_a_state_is_used_once(external: ExternalLogin, idp: IdentityProvider, gate: Gate) -> None:
    begun = logged_in(external, idp)
    for _ in range(2):
        code, state = idp.code_for(begun.redirect_url, "bob")
        with pytest.raises(NotFoundError):
            external.callback(code, state)
        if gate.logins():
            external.poll(begun.id) if _ == 0 else None
    assert [login.identity.user for login in gate.logins()] == ["alice"]


@pytest.mark.parametrize("bad", ["", "x", "1.2", "9999999999-abc.def", "ü", "a\nb.c", "." * 1000])
def test_ids_and_states_that_are_none(external: ExternalLogin, bad: str) -> None:
    with pytest.raises(NotFoundError):
        external.poll(bad)
    with pytest.raises(NotFoundError):
        external.callback("code", bad)
    external.abandon(bad)


def test_ids_and_states_are_not_each_other(external: ExternalLogin) -> None:
    begun = external.begin()
    with pytest.raises(NotFoundError):
        external.callback("code", begun.id)
    with pytest.raises(NotFoundError):
        external.poll(query(begun)["state"])


def test_they_end(external: ExternalLogin, idp: IdentityProvider, clock: FakeClock) -> None:
    begun = external.begin()
    clock.advance(901)
    with pytest.raises(NotFoundError):
        external.poll(begun.id)
    with pytest.raises(NotFoundError):
        external.callback(*idp.code_for(begun.redirect_url))


def test_beginning_costs_no_memory(external: ExternalLogin) -> None:
    for _ in range(200):
        external.poll(external.begin().id)
    assert len(external._answers) == 0


@pytest.mark.parametrize("error", ["access_denied", ""])
def test_somebody_says_no(external: ExternalLogin, error: str) -> None:
    begun = external.begin()
    with pytest.raises(UnauthenticatedError):
        external.callback("", query(begun)["state"], error=error)
    assert external.poll(begun.id) == Failed("the login was refused")


def test_a_client_that_has_gone_leaves_nothing(external: ExternalLogin, idp: IdentityProvider, gate: Gate) -> None:
    begun = logged_in(external, idp)
    assert len(gate.logins()) == 1
    external.abandon(begun.id)
    assert gate.logins() == []
    with pytest.raises(NotFoundError):
        external.poll(begun.id)
    early = external.begin()
    external.abandon(early.id)
    with pytest.raises(NotFoundError):
        external.callback(*idp.code_for(early.redirect_url))


@pytest.mark.parametrize("mood", ["error", "garbage", "page", "empty", "huge", "redirect"])
def test_a_provider_that_is_away(external: ExternalLogin, idp: IdentityProvider, mood: str) -> None:
    begun = external.begin()
    code, state = idp.code_for(begun.redirect_url)
    idp.mood = mood
    with pytest.raises(ExternalError):
        external.callback(code, state)
    assert isinstance(external.poll(begun.id), Failed)


@pytest.mark.parametrize(
    "change",
    [{"nonce": "another"}, {"nonce": None}, {"aud": "another"}, {"azp": "another"}, {"sub": None}, {"exp": 1}],
)
def test_an_id_token_that_is_not_for_this_login(
    external: ExternalLogin, idp: IdentityProvider, gate: Gate, change: dict[str, Any]
) -> None:
    begun = external.begin()
    code, state = idp.code_for(begun.redirect_url)
    token = idp.token

    def changed(user: str = "alice", header: Any = None, **claims: Any) -> str:
        return token(user, header, **(claims | change if "nonce" in claims else claims))

    idp.token = changed  # type: ignore[method-assign]
    with pytest.raises(UnauthenticatedError):
        external.callback(code, state)
    assert gate.logins() == []


def test_an_access_token_of_somebody_else(external: ExternalLogin, idp: IdentityProvider, gate: Gate) -> None:
    begun = external.begin()
    code, state = idp.code_for(begun.redirect_url)
    token = idp.token
    idp.token = lambda user="alice", header=None, **claims: token(  # type: ignore[method-assign]
        user if "nonce" in claims else "bob", header, **claims
    )
    with pytest.raises(UnauthenticatedError):
        external.callback(code, state)
    assert gate.logins() == []


def test_codes_that_are_wrong_are_failed_attempts(idp: IdentityProvider, clock: FakeClock) -> None:
    gate = Gate([], attempts=Attempts(3), clock=clock)
    external = ExternalLogin(settings(idp), People(), gate, clock)
    for _ in range(3):
        with pytest.raises(UnauthenticatedError):
            external.callback("guessed", query(external.begin())["state"], CALLER)
    asked = idp.calls["/token"]
    with pytest.raises(TooManyRequestsError):
        external.callback("guessed", query(external.begin())["state"], CALLER)
    assert idp.calls["/token"] == asked
    external.callback(*idp.code_for(external.begin().redirect_url), Caller("203.0.113.8"))
    external.close()
    gate.close()


def test_it_needs_a_way_back(idp: IdentityProvider, gate: Gate) -> None:
    for incomplete in (ExternalSettings(), settings(idp).model_copy(update={"redirect_uri": ""})):
        with pytest.raises(ConfigError, match="redirect_uri"):
            ExternalLogin(incomplete, People(), gate)
