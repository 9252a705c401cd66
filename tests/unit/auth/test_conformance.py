"""What every provider must do, whoever wrote it: three outcomes, no mix-ups, no secrets in the open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.services.identity_provider import IdentityProvider, signed_with_public_key, unsigned
from tests.unit.auth.cases import API_KEY, CASES, Case

from sqe.auth.credentials import BearerToken, Caller, NoCredentials, Password
from sqe.auth.gate import Gate
from sqe.auth.people import People
from sqe.auth.plugins import ProviderKind, Surroundings, kind_of, known_types
from sqe.auth.provider import Accepted, NotMine, Provider, Rejected
from sqe.core.errors import ErrorKind, ExternalError, SqeError, UnauthenticatedError

if TYPE_CHECKING:
    from tests.unit.auth.conftest import FakeClock, Logged

CALLER = Caller("203.0.113.7", "flight")
PEOPLE = People({"analysts": ["querier"]}, frozenset({"boss"}))
#: How an identity provider can fail; `gone` is one that nobody listens at any more.
MOODS = ("error", "garbage", "page", "list", "empty", "huge", "redirect", "slow", "gone")
BAD_NAMES = ("", " alice", "a\r\nX-Admin: yes", "a\tb", "a\x00b", "a\x7fb", "a\u202eb", "a\u200bb", "x" * 257)
ASKING = [name for name, case in CASES.items() if case.asks]
NAMED = [name for name, case in CASES.items() if case.named is not None]
#: Those that believe signatures, or have somebody who does.
SIGNED = ("bearer_token", "token_exchange")


def make(kind: ProviderKind, case: Case, idp: IdentityProvider, folder: Path, clock: FakeClock) -> Provider:
    settings = kind.settings.model_validate(dict(case.settings(idp, folder)))
    timeout = 0.2 if idp.mood == "slow" else 10.0
    return kind.make(settings, Surroundings(PEOPLE, clock=clock, timeout_secs=timeout))


@pytest.fixture
def case(name: str) -> Case:
    return CASES[name]


@pytest.fixture
def provider(name: str, case: Case, idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> Iterator[Provider]:
    made = make(kind_of(name), case, idp, tmp_path, clock)
    yield made
    made.close()


def test_every_provider_is_tested() -> None:
    assert sorted(known_types()) == sorted(CASES)


@pytest.mark.parametrize("name", known_types())
def test_it_says_who_it_is(name: str, provider: Provider) -> None:
    assert provider.name == name


@pytest.mark.parametrize("name", known_types())
def test_good_credentials(name: str, provider: Provider, case: Case, idp: IdentityProvider) -> None:
    outcome = provider.authenticate(case.good(idp))
    assert isinstance(outcome, Accepted)
    assert outcome.identity.user == case.user
    assert outcome.identity.provider == name
    assert not outcome.identity.admin


@pytest.mark.parametrize("name", known_types())
def test_wrong_credentials(provider: Provider, case: Case, idp: IdentityProvider) -> None:
    for make_credentials in case.wrong:
        credentials = make_credentials(idp)
        assert isinstance(provider.authenticate(credentials), Rejected), credentials


@pytest.mark.parametrize("name", known_types())
def test_foreign_credentials(provider: Provider, case: Case, idp: IdentityProvider) -> None:
    assert case.foreign
    for make_credentials in case.foreign:
        credentials = make_credentials(idp)
        assert isinstance(provider.authenticate(credentials), NotMine), credentials


@pytest.mark.parametrize("mood", MOODS)
@pytest.mark.parametrize("name", ASKING)
def test_an_identity_provider_that_is_away_is_no_wrong_password(  # noqa: PLR0917 - fixtures
    name: str, case: Case, idp: IdentityProvider, tmp_path: Path, clock: FakeClock, mood: str
) -> None:
    good = case.good(idp)
    port = idp.port
    if mood == "gone":
        idp.port = 1
    else:
        idp.mood = mood
    provider = make(kind_of(name), case, idp, tmp_path, clock)
    if mood == "gone" and not isinstance(good, Password):
        # What they were signed for is not what is gone.
        good = case.good(idp)
    with pytest.raises(ExternalError) as raised:
        provider.authenticate(good)
    assert raised.value.kind is ErrorKind.EXTERNAL
    assert "127.0.0.1" not in raised.value.message
    # It comes back.
    provider.close()
    idp.released.set()
    idp.mood, idp.port = "fine", port
    again = make(kind_of(name), case, idp, tmp_path, clock)
    assert isinstance(again.authenticate(case.good(idp)), Accepted)
    again.close()


@pytest.mark.parametrize("bad", BAD_NAMES)
@pytest.mark.parametrize("name", NAMED)
def test_names_that_could_break_out_of_a_header(
    name: str, provider: Provider, case: Case, idp: IdentityProvider, bad: str
) -> None:
    assert case.named is not None
    try:
        credentials = case.named(idp, bad)
    except ValueError:
        # The library that makes certificates has refused it already.
        assert name == "mtls"
        return
    assert isinstance(provider.authenticate(credentials), Rejected)


@pytest.mark.parametrize("name", known_types())
def test_the_gate_tells_nothing_of_why(provider: Provider, case: Case, idp: IdentityProvider, clock: FakeClock) -> None:
    gate = Gate([provider], clock=clock)
    texts = set()
    for make_credentials in (*case.wrong, *case.foreign):
        credentials = make_credentials(idp)
        with pytest.raises(UnauthenticatedError) as raised:
            gate.login(credentials, CALLER)
        if not isinstance(credentials, NoCredentials):
            texts.add((raised.value.message, raised.value.hint))
    assert len(texts) == 1, "the words tell cases apart"
    assert {message for message, _ in texts} == {"invalid credentials"}
    assert gate.login(case.good(idp), CALLER).identity.user == case.user
    gate.close()


@pytest.mark.parametrize("mood", ["fine", "error", "huge"])
@pytest.mark.parametrize("name", known_types())
def test_no_secret_is_shown(  # noqa: PLR0917 - fixtures
    name: str, case: Case, idp: IdentityProvider, tmp_path: Path, clock: FakeClock, logged: Logged, mood: str
) -> None:
    settings = kind_of(name).settings.model_validate(dict(case.settings(idp, tmp_path)))
    provider = make(kind_of(name), case, idp, tmp_path, clock)
    gate = Gate([provider], clock=clock)
    shown = [repr(settings), str(settings.model_dump()), repr(provider)]
    secrets = {*case.secrets, "wrong-secret-66"}
    idp.mood = mood
    for credentials in (case.good(idp), Password("alice", "wrong-secret-66"), BearerToken(idp.token() + "x")):
        if isinstance(credentials, BearerToken):
            secrets.add(credentials.token)
        shown.append(repr(credentials))
        try:
            login = gate.login(credentials, CALLER)
            shown += [repr(login), repr(login.identity), repr(login.renewal), gate.hand_out(login) and ""]
        except SqeError as error:
            shown += [repr(error), error.message, str(error.hint), str(error.to_dict())]
    clock.advance(290)
    gate.look_after(wait_for_renewals=True)
    gate.close()
    secrets |= set(idp.refresh_tokens)
    for secret in secrets:
        assert secret not in logged
        assert not any(secret in text for text in shown)
    assert logged.texts, "nothing was logged, so nothing was tested"


# What signed tokens must be.


def bad_tokens(idp: IdentityProvider, clock: FakeClock) -> dict[str, str]:
    claims = idp.claims("alice")
    body, _, signature = idp.token().rpartition(".")
    return {
        "expired": idp.token(exp=int(clock.now - 31)),
        "never ends": idp.token(exp=None),
        "ends in words": idp.token(exp="tomorrow"),
        "ends at infinity": unsigned(claims | {"exp": float("inf")}, {"alg": "RS256", "kid": "first"}, b"x"),
        "ends at true": idp.token(exp=True),
        "not yet": idp.token(nbf=int(clock.now + 60)),
        "of the future": idp.token(iat=int(clock.now + 60)),
        "unsigned": unsigned(claims, {"alg": "none"}),
        "unsigned in capitals": unsigned(claims, {"alg": "NONE", "kid": "first"}),
        "unsigned with a signature": unsigned(claims, {"alg": "none", "kid": "first"}, b"signature"),
        "signed with the public key": signed_with_public_key(idp, claims),
        "another's signature": f"{body}.{unsigned({}, {}, b'x' * 256).rpartition('.')[2]}",
        "no signature": f"{body}.",
        "cut": f"{body}.{signature[:-4]}",
        "changed": unsigned(claims | {"sub": "bob"}, {"alg": "RS256", "kid": "first"}, b"x").rpartition(".")[0]
        + f".{signature}",
        "unknown key": unsigned(claims, {"alg": "RS256", "kid": "another"}, b"x"),
        "no text as key": unsigned(claims, {"alg": "RS256", "kid": ["first"]}, b"x"),
        "100 kB of claims": idp.token(padding="x" * 100_000),
        "another type": idp.token(header={"typ": "logout+jwt"}),
        "no text as type": unsigned(claims, {"alg": "RS256", "kid": "first", "typ": 7}, b"x"),
        "critical header": unsigned(claims, {"alg": "RS256", "kid": "first", "crit": ["exp"], "exp": 1}, b"x"),
        "no object": unsigned([], {"alg": "RS256", "kid": "first"}, b"x"),  # type: ignore[arg-type]
        "nobody": idp.token(sub=None),
        "a number": idp.token(sub=7),
        "a list": idp.token(sub=["alice"]),
        "an ID token": idp.token(typ="ID"),
        "a refresh token": idp.token(typ="Refresh"),
    }


#: What an identity provider checks of a token that is to be exchanged is its business; these it must never see.
_EXCHANGE_CHECKS = ("expired", "100 kB of claims", "nobody", "unsigned", "signed with the public key", "not yet")


@pytest.mark.parametrize("name", SIGNED)
def test_bad_tokens(name: str, provider: Provider, idp: IdentityProvider, clock: FakeClock) -> None:
    for what, token in bad_tokens(idp, clock).items():
        if name == "bearer_token" or what in _EXCHANGE_CHECKS:
            for credentials in (BearerToken(token), Password("alice", token)):
                assert not isinstance(provider.authenticate(credentials), Accepted), what
    assert isinstance(provider.authenticate(BearerToken(idp.token())), Accepted)


@pytest.mark.parametrize("name", ["bearer_token"])
def test_bad_tokens_are_refused_not_passed_on(provider: Provider, idp: IdentityProvider, clock: FakeClock) -> None:
    # One that is too long to be looked at may be of another issuer, and is refused all the same.
    for what, token in bad_tokens(idp, clock).items():
        assert isinstance(provider.authenticate(BearerToken(token)), Rejected), what


@pytest.mark.parametrize("name", ["bearer_token"])
def test_clocks_may_differ_a_little(provider: Provider, idp: IdentityProvider, clock: FakeClock) -> None:
    now = int(clock.now)
    for token in (idp.token(exp=now - 20), idp.token(nbf=now + 20), idp.token(iat=now + 20)):
        outcome = provider.authenticate(BearerToken(token))
        assert isinstance(outcome, Accepted)
        assert outcome.identity.expires is not None
        assert outcome.identity.expires > clock.now


@pytest.mark.parametrize("name", ["bearer_token"])
def test_audiences(provider: Provider, idp: IdentityProvider) -> None:
    assert isinstance(provider.authenticate(BearerToken(idp.token(aud=["a", "sqe"]))), Accepted)
    for aud in ("", [], ["a"], None, {"sqe": 1}, 7, "sqe2"):
        assert isinstance(provider.authenticate(BearerToken(idp.token(aud=aud))), Rejected), aud


@pytest.mark.parametrize("name", ["bearer_token"])
def test_a_token_in_the_password_field(provider: Provider, idp: IdentityProvider) -> None:
    outcome = provider.authenticate(Password("whoever", idp.token()))
    assert isinstance(outcome, Accepted)
    assert outcome.identity.user == "alice"
    # A password that only begins like a token is a password.
    assert isinstance(provider.authenticate(Password("alice", "eyJhbGciOiJSUzI1NiJ9")), NotMine)
    assert isinstance(provider.authenticate(Password("alice", "eyJ.eyJ.eyJ")), NotMine)


@pytest.mark.parametrize("name", ["bearer_token"])
def test_an_unknown_key_is_looked_for_once(provider: Provider, idp: IdentityProvider, clock: FakeClock) -> None:
    assert isinstance(provider.authenticate(BearerToken(idp.token())), Accepted)
    assert idp.calls["/jwks"] == 1
    idp.rotate()
    assert isinstance(provider.authenticate(BearerToken(idp.token())), Accepted)
    assert idp.calls["/jwks"] == 2
    stranger = unsigned(idp.claims("alice"), {"alg": "RS256", "kid": "stranger"}, b"x")
    for _ in range(50):
        assert isinstance(provider.authenticate(BearerToken(stranger)), Rejected)
    assert idp.calls["/jwks"] == 2
    clock.advance(31)
    for _ in range(50):
        assert isinstance(provider.authenticate(BearerToken(stranger)), Rejected)
    assert idp.calls["/jwks"] == 3


@pytest.mark.parametrize("name", ["bearer_token"])
def test_keys_outlive_their_issuer_for_a_day(provider: Provider, idp: IdentityProvider, clock: FakeClock) -> None:
    assert isinstance(provider.authenticate(BearerToken(idp.token())), Accepted)
    idp.mood = "error"
    clock.advance(3600)
    for _ in range(20):
        assert isinstance(provider.authenticate(BearerToken(idp.token())), Accepted)
    assert idp.calls["/jwks"] == 2, "an issuer that is away is not hammered"
    clock.advance(86_400)
    with pytest.raises(ExternalError):
        provider.authenticate(BearerToken(idp.token()))


@pytest.mark.parametrize("name", ["bearer_token"])
def test_keys_that_are_none_do_not_hide_the_others(provider: Provider, idp: IdentityProvider) -> None:
    good = idp.answer("/jwks", {}, None)[1]["keys"]
    junk: list[object] = [
        None,
        7,
        {},
        {"kty": "RSA"},
        {"kty": "RSA", "n": "!", "e": 7},
        {"kty": "oct", "k": "c2VjcmV0"},
    ]
    document = {"keys": [*junk, {**good[0], "use": "enc", "kid": "first"}, *good]}
    answer = idp.answer
    idp.answer = lambda path, form, basic: (200, document) if path == "/jwks" else answer(path, form, basic)  # type: ignore[method-assign]
    assert isinstance(provider.authenticate(BearerToken(idp.token())), Accepted)


def test_a_key_of_the_file_with_a_bad_name(tmp_path: Path) -> None:
    for bad in BAD_NAMES:
        path = tmp_path / "keys.json"
        path.write_text(json.dumps({"keys": [{"key": API_KEY, "user": bad}]}))
        kind = kind_of("api_key")
        provider = kind.make(kind.settings.model_validate({"type": "api_key", "keys_file": str(path)}), Surroundings())
        try:
            assert isinstance(provider.authenticate(BearerToken(API_KEY)), Rejected)
        except ExternalError:
            assert not bad.strip()
