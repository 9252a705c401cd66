"""Signed tokens with every kind of key."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from joserfc import jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry
from tests.services.identity_provider import IdentityProvider, unsigned

from sqe.auth.http import Http
from sqe.auth.jwks import KeySource
from sqe.auth.refused import Refused
from sqe.auth.tokens import ALGORITHMS, MAX_TOKEN_CHARS, TokenRules, Verifier, is_jwt

if TYPE_CHECKING:
    from tests.unit.auth.conftest import FakeClock

CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}


@pytest.fixture
def http() -> Iterator[Http]:
    made = Http()
    yield made
    made.close()


def verifier(http: Http, idp: IdentityProvider, clock: FakeClock, *algorithms: str) -> Verifier:
    return Verifier(KeySource(http, idp.url("jwks"), clock=clock), TokenRules(algorithms or ALGORITHMS), clock)


def key_for(algorithm: str) -> RSAKey | ECKey | OKPKey:
    if algorithm.startswith("Ed"):
        return OKPKey.generate_key("Ed25519", {"kid": "k"})
    if algorithm in CURVES:
        return ECKey.generate_key(CURVES[algorithm], {"kid": "k"})
    return RSAKey.generate_key(2048, {"kid": "k"})


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_that_can_be_set(http: Http, idp: IdentityProvider, clock: FakeClock, algorithm: str) -> None:
    key = key_for(algorithm)
    idp.keys = [key]  # type: ignore[list-item]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SecurityWarning)
        token = jwt.encode({"alg": algorithm, "kid": "k"}, idp.claims("alice"), key, algorithms=[algorithm])
    assert verifier(http, idp, clock).claims(token)["sub"] == "alice"
    others = [name for name in ALGORITHMS if name != algorithm]
    with pytest.raises(Refused, match="algorithm is not allowed"):
        verifier(http, idp, clock, *others).claims(token)


def test_a_key_that_says_its_algorithm_serves_no_other(http: Http, idp: IdentityProvider, clock: FakeClock) -> None:
    same = RSAKey.import_key(idp.key.as_pem(private=True))
    token = jwt.encode({"alg": "PS256", "kid": "first"}, idp.claims("alice"), same, algorithms=["PS256"])
    with pytest.raises(Refused, match="key is unknown"):
        verifier(http, idp, clock).claims(token)


def test_short_keys_are_not_used(http: Http, idp: IdentityProvider, clock: FakeClock) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SecurityWarning)
        short = RSAKey.generate_key(1024, {"kid": "short"})
        token = jwt.encode({"alg": "RS256", "kid": "short"}, idp.claims("alice"), short)
        idp.keys = [idp.key, short]
        with pytest.raises(Refused, match="key is unknown"):
            verifier(http, idp, clock).claims(token)


def test_without_a_key_id_all_keys_are_tried(http: Http, idp: IdentityProvider, clock: FakeClock) -> None:
    right = idp.key
    idp.rotate()
    idp.keys = [idp.key, right]
    assert verifier(http, idp, clock).claims(jwt.encode({"alg": "RS256"}, idp.claims("alice"), right))["sub"] == "alice"


def test_headers_that_are_nobodys_business(http: Http, idp: IdentityProvider, clock: FakeClock) -> None:
    more = {"nonce": "x", "x5t": "y", "vendor": "z" * 2000, "typ": "at+jwt"}
    registry = JWSRegistry(strict_check_header=False)
    token = jwt.encode({"alg": "RS256", "kid": "first", **more}, idp.claims("alice"), idp.key, registry=registry)
    assert verifier(http, idp, clock).claims(token)["sub"] == "alice"


@pytest.mark.parametrize(("chars", "is_fine"), [(11_000, True), (13_000, False)])
def test_long_tokens(http: Http, idp: IdentityProvider, clock: FakeClock, chars: int, is_fine: bool) -> None:
    token = idp.token(padding="x" * chars)
    assert (len(token) <= MAX_TOKEN_CHARS) is is_fine
    if is_fine:
        assert verifier(http, idp, clock).claims(token)["sub"] == "alice"
    else:
        with pytest.raises(Refused, match="too long"):
            verifier(http, idp, clock).claims(token)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        "eyJ.eyJ.eyJ",
        "e30.e30.e30",
        "W10.e30.x",
        "eyJhbGciOjF9.e30.x",
        "\u00e9.e30.x",
    ],
)
def test_texts_that_are_no_tokens(text: str) -> None:
    assert not is_jwt(text)


def test_a_header_without_end_is_no_token() -> None:
    deep = unsigned({}, {"alg": "RS256"}).partition(".")[2]
    nested = base64.urlsafe_b64encode(b'{"alg":' + b"[" * 10_000).rstrip(b"=").decode()
    assert not is_jwt(f"{nested}.{deep}")
