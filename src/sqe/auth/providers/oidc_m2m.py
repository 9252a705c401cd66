"""One token of a service for everybody, fetched once and shared until shortly before it ends."""

from __future__ import annotations

import threading
from typing import Literal

from pydantic import Field

from sqe.auth.grants import GrantedAgain
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted
from sqe.auth.providers.client_credentials import ClientCredentialsProvider, ServiceSettings
from sqe.core.identity import Identity

#: A token with less time left is not handed to a new login.
_EARLY_SECS = 60


class OidcM2mSettings(ServiceSettings):
    """One token of a service for everybody, shared by all logins; names and passwords are not verified."""

    type: Literal["oidc_m2m"] = Field(default="oidc_m2m", description="Which provider this is.")


class OidcM2mProvider(ClientCredentialsProvider):
    """Keeps one token for all."""

    name = "oidc_m2m"

    def __init__(self, settings: OidcM2mSettings, surroundings: Surroundings) -> None:
        super().__init__(settings, surroundings)
        self._clock = surroundings.clock
        self._lock = threading.Lock()
        self._latest: Identity | None = None

    def _accepted(self, shown: str) -> Accepted:
        # One caller fetches, the others wait for what it gets.
        with self._lock:
            latest = self._latest
            if latest is None or (latest.expires or 0) - self._clock() < _EARLY_SECS:
                latest = self._latest = super()._accepted(shown).identity
        return Accepted(self._for(latest, shown), GrantedAgain(lambda: self._accepted(shown)))

    def _for(self, latest: Identity, shown: str) -> Identity:
        return self._people.identity(
            latest.user, provider=self.name, token=latest.token, expires=latest.expires, display_name=shown
        )


KIND = ProviderKind(OidcM2mSettings, OidcM2mProvider)
