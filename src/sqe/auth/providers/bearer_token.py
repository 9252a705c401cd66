"""Signed tokens that a client brings along, verified with their issuer's public keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from sqe.auth.credentials import Credentials
from sqe.auth.http import Http
from sqe.auth.jwks import KeySource
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import ClaimSettings, WebAddress
from sqe.auth.refused import Refused
from sqe.auth.tokens import ALGORITHMS, SKEW_SECS, TokenRules, Verifier, jwt_in, time_in, unverified_claims
from sqe.core.identity import Identity
from sqe.observe.model import Seconds, refuse


def _known_algorithms(names: list[str]) -> list[str]:
    if not names or not set(names) <= set(ALGORITHMS):
        raise refuse(f"must be some of {', '.join(ALGORITHMS)}")
    return names


class BearerTokenSettings(ClaimSettings):
    """Signed tokens, also in the place of a password."""

    type: Literal["bearer_token"] = Field(default="bearer_token", description="Which provider this is.")
    jwks_url: WebAddress = Field(min_length=1, description="Where the issuer's public keys are.")
    issuer: str = Field(default="", description="The issuer of the tokens; tokens of others go to the next provider.")
    audience: str = Field(default="", description="Whom the tokens must be for; empty: for whomever, with a warning.")
    algorithms: Annotated[list[str], AfterValidator(_known_algorithms)] = Field(
        default=["RS256", "RS384", "RS512", "PS256", "ES256", "ES384"],
        description="The signatures that are believed; only such that a public key verifies.",
    )
    jwks_ttl_secs: Seconds = Field(default=300, ge=1, description="How long keys are used without a new look.")

    def warnings(self) -> Iterable[str]:
        """Also that tokens for others are taken."""
        yield from super().warnings()
        if not self.audience:
            yield "audience is not set: tokens that were made for other services are taken"
        if not self.issuer:
            yield "issuer is not set: tokens of every issuer that has these keys are taken"


class BearerTokenProvider:
    """Asks nobody but for keys."""

    name = "bearer_token"

    def __init__(self, settings: BearerTokenSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people
        self._http = Http(verify=surroundings.ssl_verification, timeout_secs=surroundings.timeout_secs)
        keys = KeySource(self._http, settings.jwks_url, ttl_secs=settings.jwks_ttl_secs, clock=surroundings.clock)
        rules = TokenRules(
            algorithms=tuple(settings.algorithms),
            issuer=settings.issuer,
            audiences=(settings.audience,) if settings.audience else (),
        )
        self._verifier = Verifier(keys, rules, surroundings.clock)

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Verify the token."""
        token = jwt_in(credentials)
        if token is None or self._is_of_another_issuer(token):
            return NotMine()
        try:
            return Accepted(self._identity(token))
        except Refused as refused:
            return Rejected(refused.reason)

    def _is_of_another_issuer(self, token: str) -> bool:
        issuer = unverified_claims(token).get("iss")
        return bool(self._settings.issuer) and issuer is not None and issuer != self._settings.issuer

    def _identity(self, token: str) -> Identity:
        claims = self._verifier.claims(token)
        ends = time_in(claims, "exp")
        return self._people.identity_of_claims(
            claims,
            self._settings.claim_names,
            provider=self.name,
            token=token,
            # As long as the token is taken, so that a clock that differs a little does not end a login at once.
            expires=None if ends is None else ends + SKEW_SECS,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


KIND = ProviderKind(BearerTokenSettings, BearerTokenProvider)
