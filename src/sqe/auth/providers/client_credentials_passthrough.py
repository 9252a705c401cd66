"""A client's own id and secret in the places of name and password: services that log in as themselves."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sqe.auth.credentials import Credentials, Password
from sqe.auth.grants import Client, GrantedAgain, TokenEndpoint
from sqe.auth.http import Http
from sqe.auth.people import is_usable_name, names_in
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import ProviderSettings, WebAddress
from sqe.auth.refused import Refused


class PassthroughSettings(ProviderSettings):
    """A client's own id and secret in the places of name and password."""

    type: Literal["client_credentials_passthrough"] = Field(
        default="client_credentials_passthrough", description="Which provider this is."
    )
    token_endpoint: WebAddress = Field(min_length=1, description="The token endpoint.")
    scope: str = Field(default="", description="The scopes to ask for, with spaces between them.")
    roles_claim: str = Field(default="realm_access.roles", description="The claim with the roles.")
    groups_claim: str = Field(default="groups", description="The claim with the groups.")
    fallthrough_on_reject: bool = Field(
        default=False, description="Whether the next provider is asked when this one refuses a secret."
    )


class PassthroughProvider:
    """Asks the token endpoint for each new login."""

    name = "client_credentials_passthrough"

    def __init__(self, settings: PassthroughSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people
        self._http = Http(verify=surroundings.ssl_verification, timeout_secs=surroundings.timeout_secs)
        self._endpoint = TokenEndpoint(self._http, settings.token_endpoint, surroundings.clock)

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Try the secret."""
        if not isinstance(credentials, Password):
            return NotMine()
        if not is_usable_name(credentials.user) or not credentials.password:
            return Rejected("no usable name, or no secret")
        try:
            return self._accepted(Client(credentials.user, credentials.password))
        except Refused as refused:
            return NotMine() if self._settings.fallthrough_on_reject else Rejected(refused.reason)

    def _accepted(self, client: Client) -> Accepted:
        grant = {"grant_type": "client_credentials", "scope": self._settings.scope}
        tokens = self._endpoint.grant(client, grant, client_is_ours=False)
        identity = self._people.identity(
            client.id,
            provider=self.name,
            roles=names_in(tokens.claims, self._settings.roles_claim),
            groups=names_in(tokens.claims, self._settings.groups_claim),
            token=tokens.access,
            expires=tokens.expires,
        )
        return Accepted(identity, GrantedAgain(lambda: self._accepted(client)))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


KIND = ProviderKind(PassthroughSettings, PassthroughProvider)
