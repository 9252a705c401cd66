"""Names and passwords, verified by an identity provider (OAuth's password grant); tokens are renewed while in use."""

from __future__ import annotations

from functools import partial
from typing import Literal

from pydantic import Field, SecretStr

from sqe.auth.credentials import Credentials, Password
from sqe.auth.grants import Client, GrantedAgain, TokenEndpoint, Tokens
from sqe.auth.http import Http
from sqe.auth.people import is_usable_name
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import ClaimSettings, NotEmpty, WebAddress
from sqe.auth.refused import Refused


class OidcPasswordSettings(ClaimSettings):
    """Names and passwords, verified by an OpenID provider."""

    type: Literal["oidc_password"] = Field(default="oidc_password", description="Which provider this is.")
    token_url: WebAddress = Field(min_length=1, description="The token endpoint.")
    client_id: NotEmpty = Field(description="The client that this server is there.")
    client_secret: SecretStr = Field(default=SecretStr(""), description="The client's secret; a public one has none.")
    scope: str = Field(default="openid", description="The scopes to ask for, with spaces between them.")
    fallthrough_on_reject: bool = Field(
        default=False, description="Whether the next provider is asked when this one refuses a password."
    )


class OidcPasswordProvider:
    """Asks the token endpoint for each new login."""

    name = "oidc_password"

    def __init__(self, settings: OidcPasswordSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people
        self._http = Http(verify=surroundings.ssl_verification, timeout_secs=surroundings.timeout_secs)
        self._endpoint = TokenEndpoint(self._http, settings.token_url, surroundings.clock)
        self._client = Client(settings.client_id, settings.client_secret.get_secret_value())

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Try the password."""
        if not isinstance(credentials, Password):
            return NotMine()
        if not is_usable_name(credentials.user) or not credentials.password:
            return Rejected("no usable name, or no password")
        grant = {
            "grant_type": "password",
            "username": credentials.user,
            "password": credentials.password,
            "scope": self._settings.scope,
        }
        try:
            return self._accepted(self._endpoint.grant(self._client, grant), None)
        except Refused as refused:
            return NotMine() if self._settings.fallthrough_on_reject else Rejected(refused.reason)

    def _accepted(self, tokens: Tokens, earlier: str | None) -> Accepted:
        identity = self._people.identity_of_claims(
            tokens.claims,
            self._settings.claim_names,
            provider=self.name,
            token=tokens.access,
            expires=tokens.expires,
        )
        # Some endpoints hand out a new refresh token each time, some only once.
        refresh = tokens.refresh or earlier
        return Accepted(identity, GrantedAgain(partial(self._refreshed, refresh)) if refresh else None)

    def _refreshed(self, refresh: str) -> Accepted:
        grant = {"grant_type": "refresh_token", "refresh_token": refresh}
        return self._accepted(self._endpoint.grant(self._client, grant), refresh)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


KIND = ProviderKind(OidcPasswordSettings, OidcPasswordProvider)
