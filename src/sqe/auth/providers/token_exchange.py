"""A client's token in exchange for one that the catalogs take (RFC 8693); the identity provider verifies it."""

from __future__ import annotations

from functools import partial
from typing import Literal

from pydantic import Field, SecretStr

from sqe.auth.credentials import Credentials
from sqe.auth.grants import Client, GrantedAgain, TokenEndpoint, Tokens
from sqe.auth.http import Http
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import ClaimSettings, NotEmpty, WebAddress
from sqe.auth.refused import Refused
from sqe.auth.tokens import MAX_TOKEN_CHARS, jwt_in, time_in, unverified_claims

_ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a type


class TokenExchangeSettings(ClaimSettings):
    """A client's token in exchange for one that the catalogs take (RFC 8693)."""

    type: Literal["token_exchange"] = Field(default="token_exchange", description="Which provider this is.")
    token_url: WebAddress = Field(min_length=1, description="The token endpoint.")
    client_id: NotEmpty = Field(description="The client that this server is there.")
    client_secret: SecretStr = Field(default=SecretStr(""), description="The client's secret; a public one has none.")
    issuer: str = Field(default="", description="The issuer of the clients' tokens; others go to the next provider.")
    audience: str = Field(default="", description="Whom the new token is for.")
    scope: str = Field(default="", description="The scopes of the new token, with spaces between them.")
    subject_token_type: NotEmpty = Field(default=_ACCESS_TOKEN, description="What the clients' tokens are.")


class TokenExchangeProvider:
    """Asks the token endpoint for each new login."""

    name = "token_exchange"

    def __init__(self, settings: TokenExchangeSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people
        self._clock = surroundings.clock
        self._http = Http(verify=surroundings.ssl_verification, timeout_secs=surroundings.timeout_secs)
        self._endpoint = TokenEndpoint(self._http, settings.token_url, surroundings.clock)
        self._client = Client(settings.client_id, settings.client_secret.get_secret_value())

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Exchange the token."""
        token = jwt_in(credentials)
        if token is None:
            return NotMine()
        if len(token) > MAX_TOKEN_CHARS:
            return Rejected("the token is too long")
        claims = unverified_claims(token)
        if self._settings.issuer and claims.get("iss") != self._settings.issuer:
            return NotMine()
        ends = time_in(claims, "exp")
        if ends is not None and ends <= self._clock():
            return Rejected("the token has expired")
        try:
            return self._exchanged(token)
        except Refused as refused:
            return Rejected(refused.reason)

    def _exchanged(self, token: str) -> Accepted:
        grant = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": token,
            "subject_token_type": self._settings.subject_token_type,
            "requested_token_type": _ACCESS_TOKEN,
            "audience": self._settings.audience,
            "scope": self._settings.scope,
        }
        return self._accepted(self._endpoint.grant(self._client, grant), None)

    def _accepted(self, tokens: Tokens, earlier: str | None) -> Accepted:
        identity = self._people.identity_of_claims(
            tokens.claims, self._settings.claim_names, provider=self.name, token=tokens.access, expires=tokens.expires
        )
        refresh = tokens.refresh or earlier
        return Accepted(identity, GrantedAgain(partial(self._refreshed, refresh)) if refresh else None)

    def _refreshed(self, refresh: str) -> Accepted:
        grant = {"grant_type": "refresh_token", "refresh_token": refresh}
        return self._accepted(self._endpoint.grant(self._client, grant), refresh)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


KIND = ProviderKind(TokenExchangeSettings, TokenExchangeProvider)
