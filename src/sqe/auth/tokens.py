"""Signed tokens (JWT): their form, and whether to believe them."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import time
from dataclasses import dataclass
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jws import JWSRegistry

from sqe.auth.credentials import BearerToken, Credentials, Password
from sqe.auth.jwks import KeySource
from sqe.auth.login import Clock
from sqe.auth.people import Claims
from sqe.auth.refused import Refused

#: Longer tokens are not even parsed.
MAX_TOKEN_CHARS: Final = 16 * 1024
#: What settings may choose from: only signatures that a public key verifies.
ALGORITHMS: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA",
)  # fmt: skip
SKEW_SECS: Final = 30.0

_PART = re.compile(r"[A-Za-z0-9_-]+")
_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
#: Keycloak says in a claim what a token is for.
_NOT_FOR_ACCESS = frozenset({"id", "refresh", "offline", "logout"})


def header_of(token: str) -> dict[str, Any] | None:
    """The header of a text that has a signed token's form: three parts, the first a JSON object with `alg`."""
    parts = token.split(".", 3)
    # An unsigned token has an empty third part: it has the form too, and is refused for its algorithm.
    if len(parts) != 3 or not all(_PART.fullmatch(part) for part in parts[:2]) or not re.fullmatch(r"[\w-]*", parts[2]):
        return None
    header = _object_in(parts[0]) if len(parts[0]) <= MAX_TOKEN_CHARS else None
    return header if header is not None and isinstance(header.get("alg"), str) else None


def is_jwt(token: str) -> bool:
    """Whether a text has the form of a signed token. Says nothing of its signature."""
    return header_of(token) is not None


def jwt_in(credentials: Credentials) -> str | None:
    """The signed token that somebody shows, as a bearer or in the place of a password; None when there is none."""
    if isinstance(credentials, BearerToken) and is_jwt(credentials.token):
        return credentials.token
    if isinstance(credentials, Password) and is_jwt(credentials.password):
        return credentials.password
    return None


def unverified_claims(token: str) -> Claims:
    """What a token says, unchecked: to choose who verifies it, or straight from its issuer. Empty when it is none."""
    if len(token) > MAX_TOKEN_CHARS or header_of(token) is None:
        return {}
    return _object_in(token.split(".")[1]) or {}


def time_in(claims: Claims, name: str) -> float | None:
    """A claim that is a time, in seconds since 1970; None when it is no such thing."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e12 and math.isfinite(value) else None


def _object_in(part: str) -> dict[str, Any] | None:
    try:
        found = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return found if isinstance(found, dict) else None


class _Registry(JWSRegistry):
    """Takes headers with names that are nobody's business; one that must be understood is still refused."""

    max_header_length = MAX_TOKEN_CHARS

    def __init__(self, algorithm: str) -> None:
        super().__init__(algorithms=[algorithm], strict_check_header=False)

    def get_alg(self, name: str) -> Any:  # noqa: ANN401 - the library does not export the type
        """The one algorithm. The settings have chosen it; the library need not warn of it with each token."""
        if self.allowed is None or name not in self.allowed:
            raise UnsupportedAlgorithmError(name)
        return self.algorithms[name]


@dataclass(frozen=True)
class TokenRules:
    """What a token must fulfil besides its signature."""

    algorithms: tuple[str, ...] = ("RS256", "ES256")
    #: Empty: not checked.
    issuer: str = ""
    #: One of them must be in the token's audience; none: not checked.
    audiences: tuple[str, ...] = ()
    skew_secs: float = SKEW_SECS
    #: An ID token tells a client who is there; it opens no doors.
    is_id_token: bool = False


class Verifier:
    """Verifies tokens of one issuer."""

    def __init__(self, keys: KeySource, rules: TokenRules, clock: Clock = time.time) -> None:
        self._keys = keys
        self._rules = rules
        self._clock = clock

    def claims(self, token: str) -> Claims:
        """What a good token says. Raises `Refused`, or `ExternalError` when its issuer's keys are not to be had."""
        if len(token) > MAX_TOKEN_CHARS:
            raise Refused("the token is too long")
        header = header_of(token)
        if header is None:
            raise Refused("not a signed token")
        self._check_header(header)
        claims = self._signed_claims(token, header)
        for check in (self._check_times, self._check_issuer, self._check_purpose):
            check(claims)
        return claims

    def _check_header(self, header: dict[str, Any]) -> None:
        if header["alg"] not in self._rules.algorithms:
            raise Refused("the token's algorithm is not allowed")
        kind = header.get("typ", "JWT")
        if not isinstance(kind, str) or kind.lower() not in _TYPES:
            raise Refused("the token is of another type")
        if not isinstance(header.get("kid"), str | None):
            raise Refused("the token's key id is no text")

    def _signed_claims(self, token: str, header: dict[str, Any]) -> Claims:
        candidates = self._keys.candidates(header.get("kid"), header["alg"])
        if not candidates:
            raise Refused("the token's key is unknown")
        for key in candidates:
            try:
                return jwt.decode(token, key, registry=_Registry(header["alg"])).claims
            except (JoseError, ValueError, TypeError, RecursionError):
                continue
        raise Refused("the token's signature is wrong")

    def _check_times(self, claims: Claims) -> None:
        now, skew = self._clock(), self._rules.skew_secs
        ends = time_in(claims, "exp")
        if ends is None:
            raise Refused("the token has no end")
        if ends + skew <= now:
            raise Refused("the token has expired")
        for name in ("nbf", "iat"):
            begins = time_in(claims, name)
            if name in claims and (begins is None or begins - skew > now):
                raise Refused("the token is not valid yet")

    def _check_issuer(self, claims: Claims) -> None:
        if self._rules.issuer and claims.get("iss") != self._rules.issuer:
            raise Refused("the token is of another issuer")
        audience = claims.get("aud")
        listed = audience if isinstance(audience, list) else [audience]
        if self._rules.audiences and not any(wanted in listed for wanted in self._rules.audiences):
            raise Refused("the token is for another audience")

    def _check_purpose(self, claims: Claims) -> None:
        kind = claims.get("typ")
        if isinstance(kind, str) and kind.lower() in _NOT_FOR_ACCESS and not self._rules.is_id_token:
            raise Refused("the token is not for access")
