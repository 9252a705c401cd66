"""Any token is taken unseen, and only the catalogs look at it: for development."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

from pydantic import Field

from sqe.auth.credentials import BearerToken, Credentials
from sqe.auth.people import claim
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import NotEmpty, ProviderSettings
from sqe.auth.refused import Refused
from sqe.auth.tokens import MAX_TOKEN_CHARS, time_in, unverified_claims


class BearerPassthroughSettings(ProviderSettings):
    """Any token is taken without verification; for development only."""

    is_for_development: ClassVar[bool] = True

    type: Literal["bearer_passthrough"] = Field(default="bearer_passthrough", description="Which provider this is.")
    user: NotEmpty = Field(default="bearer", description="The name for tokens that tell none.")
    user_claim: NotEmpty = Field(default="sub", description="The claim with the user's name.")

    def warnings(self) -> Iterable[str]:
        """That anybody can be anybody."""
        yield "tokens are not verified: whoever can reach this server can claim to be anybody"


class BearerPassthroughProvider:
    """Believes what a token says of its owner's name, but gives nobody a role."""

    name = "bearer_passthrough"

    def __init__(self, settings: BearerPassthroughSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people
        self._clock = surroundings.clock

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Take the token."""
        if not isinstance(credentials, BearerToken):
            return NotMine()
        token = credentials.token
        if not token.isascii() or not token.isprintable() or not 0 < len(token) <= MAX_TOKEN_CHARS:
            return Rejected("the token is too long or no text")
        claims = unverified_claims(token)
        ends = time_in(claims, "exp")
        if ends is not None and ends <= self._clock():
            return Rejected("the token has expired")
        try:
            user = claim(claims, self._settings.user_claim) if claims else self._settings.user
            return Accepted(self._people.identity(user, provider=self.name, token=token, expires=ends))
        except Refused as refused:
            return Rejected(refused.reason)

    def close(self) -> None:
        """Nothing to let go of."""


KIND = ProviderKind(BearerPassthroughSettings, BearerPassthroughProvider)
