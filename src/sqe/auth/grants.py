"""A token endpoint of OAuth 2: grants, the tokens they bring, and their renewal."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqe.auth.http import Http, provider_is_away
from sqe.auth.login import Clock
from sqe.auth.people import Claims
from sqe.auth.provider import Accepted
from sqe.auth.refused import Refused
from sqe.auth.tokens import MAX_TOKEN_CHARS, time_in, unverified_claims
from sqe.core.errors import SqeError, UnauthenticatedError
from sqe.observe.logs import get_logger

_log = get_logger(__name__)
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
#: Codes that blame this server's own registration, not the person.
_OUR_FAULT = frozenset({"invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"})


class GrantRefused(Refused):
    """The endpoint said no, with one of OAuth's codes."""

    def __init__(self, code: str) -> None:
        super().__init__(f"the identity provider says {code}")
        self.code = code


@dataclass(frozen=True)
class Tokens:
    """What a grant brings; never shown."""

    access: str = field(repr=False)
    refresh: str | None = field(repr=False, default=None)
    id: str | None = field(repr=False, default=None)
    #: Seconds since 1970.
    expires: float | None = None

    @property
    def claims(self) -> Claims:
        """What they say of the person. They came from the issuer itself, so their signatures need no second look."""
        return unverified_claims(self.access) or unverified_claims(self.id or "")


@dataclass(frozen=True)
class Client:
    """How this server, or whoever stands behind it, is registered there; a public client has no secret."""

    id: str
    secret: str = field(repr=False, default="")


class TokenEndpoint:
    """Where tokens come from. Used by many threads at once."""

    def __init__(self, http: Http, url: str, clock: Clock = time.time) -> None:
        self._http = http
        self._url = url
        self._clock = clock

    def grant(self, client: Client, fields: Mapping[str, str], *, client_is_ours: bool = True) -> Tokens:
        """The tokens for a grant.

        Args:
            client: Who asks.
            fields: The grant's type and what belongs to it.
            client_is_ours: Whether a client that is refused is a fault of the settings.

        Raises:
            GrantRefused: The endpoint says no.
            ExternalError: It is away, its answer makes no sense, or it does not know this server's client.
        """
        asked = self._clock()
        form = {name: text for name, text in fields.items() if text}
        basic = (client.id, client.secret) if client.secret else None
        status, answer = self._http.post_form(self._url, form if basic else form | {"client_id": client.id}, basic)
        if status != 200:
            raise self._refusal(answer, client_is_ours=client_is_ours)
        return self._tokens(answer, asked)

    @staticmethod
    def _refusal(answer: Mapping[str, Any], *, client_is_ours: bool) -> SqeError | GrantRefused:
        code = answer.get("error")
        if not isinstance(code, str) or not _CODE.fullmatch(code):
            return provider_is_away()
        if client_is_ours and code in _OUR_FAULT:
            _log.warning("the identity provider refuses this server's client", code=code)
            return provider_is_away()
        return GrantRefused(code)

    def _tokens(self, answer: Mapping[str, Any], asked: float) -> Tokens:
        access, refresh, id_token = (answer.get(name) for name in ("access_token", "refresh_token", "id_token"))
        if not isinstance(access, str) or not 0 < len(access) <= MAX_TOKEN_CHARS or not access.isprintable():
            raise provider_is_away()
        lifetime = time_in(answer, "expires_in")
        ends = [
            end
            for end in (
                None if lifetime is None else asked + lifetime,
                time_in(unverified_claims(access), "exp"),
            )
            if end is not None
        ]
        return Tokens(
            access=access,
            refresh=refresh if isinstance(refresh, str) and refresh else None,
            id=id_token if isinstance(id_token, str) else None,
            expires=min(ends) if ends else None,
        )


@dataclass(frozen=True)
class GrantedAgain:
    """Renews a login by one more grant; `accepted` makes of the tokens what the first grant's were made into."""

    grant: Callable[[], Accepted] = field(repr=False)

    def renew(self) -> Accepted:
        """The same person with a fresh token. Raises `SqeError` when there is none."""
        try:
            return self.grant()
        except Refused as refused:
            _log.warning("a login is not renewed", reason=refused.reason)
            raise UnauthenticatedError("your login could not be renewed", hint="log in again") from None
