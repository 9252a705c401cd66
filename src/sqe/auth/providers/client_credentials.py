"""One token of a service for everybody: whoever comes with a name and a password is that service."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

from pydantic import Field, SecretStr

from sqe.auth.credentials import Credentials, Password
from sqe.auth.grants import Client, GrantedAgain, TokenEndpoint
from sqe.auth.http import Http
from sqe.auth.people import is_usable_name
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import NotEmpty, ProviderSettings, WebAddress
from sqe.auth.refused import Refused


class ServiceSettings(ProviderSettings):
    """A service whose token everybody gets."""

    is_shared: ClassVar[bool] = True

    token_endpoint: WebAddress = Field(min_length=1, description="The token endpoint.")
    client_id: NotEmpty = Field(description="The service, which everybody becomes.")
    client_secret: SecretStr = Field(min_length=1, description="The service's secret.")
    scope: str = Field(default="", description="The scopes to ask for, with spaces between them.")

    def warnings(self) -> Iterable[str]:
        """Also that nobody is verified."""
        yield from super().warnings()
        yield "whoever can reach this server becomes one shared service; names and passwords are not verified"


class ClientCredentialsSettings(ServiceSettings):
    """One token of a service for everybody; names and passwords are not verified."""

    type: Literal["client_credentials"] = Field(default="client_credentials", description="Which provider this is.")


class ClientCredentialsProvider:
    """Fetches a token of the service for each login."""

    name = "client_credentials"

    def __init__(self, settings: ServiceSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people
        self._http = Http(verify=surroundings.ssl_verification, timeout_secs=surroundings.timeout_secs)
        self._endpoint = TokenEndpoint(self._http, settings.token_endpoint, surroundings.clock)

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Whoever has a name becomes the service."""
        if not isinstance(credentials, Password):
            return NotMine()
        if not is_usable_name(credentials.user):
            return Rejected("no usable name")
        try:
            return self._accepted(credentials.user)
        except Refused as refused:
            return Rejected(refused.reason)

    def _accepted(self, shown: str) -> Accepted:
        tokens = self._endpoint.grant(
            Client(self._settings.client_id, self._settings.client_secret.get_secret_value()),
            {"grant_type": "client_credentials", "scope": self._settings.scope},
        )
        identity = self._people.identity(
            self._settings.client_id,
            provider=self.name,
            token=tokens.access,
            expires=tokens.expires,
            display_name=shown,
        )
        return Accepted(identity, GrantedAgain(lambda: self._accepted(shown)))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


KIND = ProviderKind(ClientCredentialsSettings, ClientCredentialsProvider)
