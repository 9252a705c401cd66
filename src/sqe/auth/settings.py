"""The settings of authentication and of logins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from sqe.auth.provider_settings import AnyProvider, WebAddress
from sqe.observe.model import Conflict, Seconds, SettingsModel, refuse


def _only_memory(text: str) -> str:
    if text != "memory":
        raise refuse('must be "memory": logins end with the server')
    return text


class DeviceSettings(SettingsModel):
    """The login by a code that is typed on another device: `sqe-cli auth login`."""

    client_id: str = Field(default="", description="The client of this flow; empty: `auth.external.client_id`.")
    scopes: list[str] = Field(default=[], description="The scopes to ask for; empty: `auth.external.scopes`.")


class ExternalSettings(SettingsModel):
    """The login in a browser, which Trino's clients start by themselves."""

    issuer: WebAddress = Field(
        default="", description="The identity provider, such as `https://idp.example.com/realms/data`; empty: off."
    )
    client_id: str = Field(default="", description="The client that this server is there.")
    client_secret: SecretStr = Field(default=SecretStr(""), description="The client's secret; a public one has none.")
    redirect_uri: WebAddress = Field(
        default="",
        description="Where browsers come back to: this server's own `/oauth2/callback`, as they reach it.",
    )
    scopes: list[str] = Field(default=["openid", "profile"], description="The scopes to ask for.")
    challenge_timeout_secs: Seconds = Field(
        default=900, ge=10, le=86_400, description="How long somebody may take to log in, in seconds."
    )
    accept_invalid_certs: bool = Field(
        default=False, description="Whether certificates of this identity provider are believed unseen."
    )
    authorization_endpoint: WebAddress = Field(default="", description="Empty: what the issuer's own page says.")
    token_endpoint: WebAddress = Field(default="", description="Empty: what the issuer's own page says.")
    device_authorization_endpoint: WebAddress = Field(default="", description="Empty: what the issuer's own page says.")
    user_claim: str = Field(default="sub", description="The claim with the user's name; it should never change.")
    roles_claim: str = Field(default="realm_access.roles", description="The claim with the roles.")
    groups_claim: str = Field(default="groups", description="The claim with the groups.")
    device: DeviceSettings = Field(default_factory=DeviceSettings)

    def conflicts(self) -> Iterable[Conflict]:
        """A browser needs a client and a way back."""
        if self.issuer and not self.client_id:
            yield Conflict(("client_id", "issuer"), "must be set when auth.external.issuer is")
        if self.issuer and "openid" not in self.scopes:
            yield Conflict(("scopes", "issuer"), "must hold openid")


class AuthSettings(SettingsModel):
    """Who may come in, and as whom."""

    keycloak_url: WebAddress = Field(
        default="", description="A Keycloak whose users log in with passwords or tokens; needs `auth.realm`."
    )
    realm: str = Field(default="", description="Keycloak's realm.")
    token_endpoint: WebAddress = Field(
        default="", description="The token endpoint of another identity provider; `auth.keycloak_url` wins over it."
    )
    client_id: str = Field(default="sqe-client", description="The client that this server is there.")
    client_secret: SecretStr = Field(default=SecretStr(""), description="The client's secret; a public one has none.")
    token_refresh_buffer_secs: Seconds = Field(
        default=60, le=3600, description="A token with less time left is renewed, in seconds."
    )
    ssl_verification: bool = Field(
        default=True, description="Whether certificates of identity providers are checked; false is for tests only."
    )
    admin_roles: list[str] = Field(default=[], description="The roles of administrators; empty: nobody is one.")
    role_mappings: dict[str, list[str]] = Field(
        default={}, description='The roles that a group, an ARN or an OU brings, such as `{ analysts = ["reader"] }`.'
    )
    providers: list[AnyProvider] = Field(
        default=[],
        description=(
            "Who verifies credentials, in this order, as `[[auth.providers]]`; "
            "when there is one, the keys of one identity provider above are not used."
        ),
    )
    external: ExternalSettings = Field(default_factory=ExternalSettings)

    def conflicts(self) -> Iterable[Conflict]:
        """The keys of one identity provider must be whole."""
        if self.keycloak_url and not self.realm:
            yield Conflict(("realm", "keycloak_url"), "must be set when auth.keycloak_url is")
        if (self.keycloak_url or self.token_endpoint) and not self.client_id and not self.providers:
            yield Conflict(("client_id", "keycloak_url", "token_endpoint"), "must not be empty")

    @property
    def is_set(self) -> bool:
        """Whether there is anybody to verify people; a server does not start without."""
        return bool(self.providers or self.keycloak_url or self.token_endpoint or self.external.issuer)


class SessionSettings(SettingsModel):
    """How long logins and their sessions live."""

    idle_timeout_secs: Seconds = Field(default=900, ge=1, description="A login that is not used ends after this time.")
    absolute_timeout_secs: Seconds = Field(default=28_800, ge=1, description="No login lives longer, in seconds.")
    persistence: Annotated[str, AfterValidator(_only_memory)] = Field(
        default="memory", description="Where logins are kept: in memory only, so their tokens are never on a disk."
    )
