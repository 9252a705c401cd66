"""Everybody who shows nothing is one and the same: for trying things out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

from pydantic import Field

from sqe.auth.credentials import Credentials, NoCredentials
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import NotEmpty, ProviderSettings
from sqe.auth.refused import Refused


class AnonymousSettings(ProviderSettings):
    """Everybody who sends no credentials is this user."""

    is_for_development: ClassVar[bool] = True
    is_shared: ClassVar[bool] = True

    type: Literal["anonymous"] = Field(default="anonymous", description="Which provider this is.")
    user: NotEmpty = Field(default="anonymous", description="The name that everybody gets.")
    roles: list[str] = Field(default=[], description="The roles that everybody gets.")
    groups: list[str] = Field(default=[], description="The groups that everybody is in.")

    def warnings(self) -> Iterable[str]:
        """That the door is open."""
        yield f"whoever can reach this server comes in as {self.user}, without credentials"


class AnonymousProvider:
    """Takes those who show nothing; wrong credentials are not its business."""

    name = "anonymous"

    def __init__(self, settings: AnonymousSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Let in whoever shows nothing."""
        if not isinstance(credentials, NoCredentials):
            return NotMine()
        settings = self._settings
        try:
            return Accepted(
                self._people.identity(settings.user, provider=self.name, roles=settings.roles, groups=settings.groups)
            )
        except Refused as refused:
            return Rejected(refused.reason)

    def close(self) -> None:
        """Nothing to let go of."""


KIND = ProviderKind(AnonymousSettings, AnonymousProvider)
