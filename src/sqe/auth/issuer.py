"""An OpenID provider by its issuer's name: its page, its keys, and what its tokens say."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from sqe.auth.discovery import discover, endpoint_in
from sqe.auth.http import Http
from sqe.auth.jwks import KeySource
from sqe.auth.kept import Kept
from sqe.auth.login import Clock
from sqe.auth.people import Claims
from sqe.auth.refused import Refused
from sqe.auth.tokens import TokenRules, Verifier, is_jwt

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
_PAGE_TTL_SECS = 3600


class Issuer:
    """Used by many threads at once."""

    def __init__(self, http: Http, issuer: str, client_id: str, clock: Clock = time.time) -> None:
        self._http = http
        self._issuer = issuer
        self._client_id = client_id
        self._clock = clock
        self._page = Kept(lambda: discover(http, issuer), ttl_secs=_PAGE_TTL_SECS, clock=clock)
        self._lock = threading.Lock()
        self._keys: dict[str, KeySource] = {}

    def page(self) -> Mapping[str, Any]:
        """What the provider says of itself. Raises `ExternalError` when it is away."""
        return self._page.get()

    def id_claims(self, token: str) -> Claims:
        """What an ID token for our client says. Raises `Refused` when it is not to be believed."""
        rules = TokenRules(_ALGORITHMS, self._issuer, (self._client_id,), is_id_token=True)
        claims = self._verifier(rules).claims(token)
        if claims.get("azp", self._client_id) != self._client_id or not isinstance(claims.get("sub"), str):
            raise Refused("the ID token is for another client")
        return claims

    def access_claims(self, token: str, about: Claims) -> Claims:
        """What an access token says of the person of an ID token; nothing when it is no signed token."""
        if not is_jwt(token):
            return {}
        claims = self._verifier(TokenRules(_ALGORITHMS, self._issuer)).claims(token)
        if claims.get("sub", about.get("sub")) != about.get("sub"):
            raise Refused("the access token is of another person")
        return claims

    def _verifier(self, rules: TokenRules) -> Verifier:
        url = endpoint_in(self.page(), "jwks_uri")
        with self._lock:
            if url not in self._keys:
                # The page has moved its keys: those of the old place are of no use.
                self._keys = {url: KeySource(self._http, url, clock=self._clock)}
            keys = self._keys[url]
        return Verifier(keys, rules, self._clock)
