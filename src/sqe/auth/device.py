"""The login by a code that somebody types on another device (RFC 8628), from the client's side."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqe.auth.discovery import discover, endpoint_in
from sqe.auth.grants import Client, GrantRefused, TokenEndpoint, Tokens
from sqe.auth.http import Http, provider_is_away
from sqe.auth.login import Clock
from sqe.auth.settings import ExternalSettings
from sqe.auth.tokens import time_in
from sqe.core.errors import ConfigError, ExternalError, UnauthenticatedError

_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
#: What the standard adds when it is told to slow down.
_SLOWER_SECS = 5.0


@dataclass(frozen=True)
class DeviceCode:
    """What the person types, and where; the code that only this program knows is not shown."""

    user_code: str
    verification_uri: str
    #: With the code in it; empty when the provider has none.
    verification_uri_complete: str
    expires: float
    interval_secs: float
    device_code: str = field(repr=False)


class DeviceFlow:
    """One login at one provider."""

    def __init__(self, settings: ExternalSettings, clock: Clock = time.time) -> None:
        if not settings.issuer:
            raise ConfigError("auth.external.issuer: must be set for a login by code")
        self._settings = settings
        self._clock = clock
        self._http = Http(verify=not settings.accept_invalid_certs)
        own = settings.device.client_id
        # A secret belongs to the client that it was made for.
        secret = "" if own else settings.client_secret.get_secret_value()
        self._client = Client(own or settings.client_id, secret)
        self._token_url = settings.token_endpoint
        self._device_url = settings.device_authorization_endpoint

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def start(self) -> DeviceCode:
        """Ask for a code. Raises `ExternalError` or `UnauthenticatedError`."""
        self._find_endpoints()
        scopes = self._settings.device.scopes or self._settings.scopes
        basic = (self._client.id, self._client.secret) if self._client.secret else None
        form = {"client_id": self._client.id, "scope": " ".join(scopes)}
        status, answer = self._http.post_form(self._device_url, form, basic)
        if status != 200:
            raise UnauthenticatedError("the identity provider offers this client no login by code")
        texts = {name: answer.get(name) for name in ("device_code", "user_code", "verification_uri")}
        lifetime = time_in(answer, "expires_in")
        if not all(isinstance(text, str) and text.isprintable() and text for text in texts.values()) or not lifetime:
            raise provider_is_away()
        complete = answer.get("verification_uri_complete")
        interval = time_in(answer, "interval")
        return DeviceCode(
            user_code=str(texts["user_code"]),
            verification_uri=str(texts["verification_uri"]),
            verification_uri_complete=complete if isinstance(complete, str) and complete.isprintable() else "",
            expires=self._clock() + lifetime,
            interval_secs=max(1.0, _SLOWER_SECS if interval is None else interval),
            device_code=str(texts["device_code"]),
        )

    def wait(self, code: DeviceCode, sleep: Callable[[float], object] = time.sleep) -> Tokens:
        """The tokens, when the person has said yes.

        Raises:
            UnauthenticatedError: They said no, or took too long.
            ExternalError: The provider does not answer as it should.
        """
        interval = code.interval_secs
        while True:
            sleep(interval)
            if self._clock() >= code.expires:
                raise UnauthenticatedError("the code has expired", hint="start again")
            try:
                return self._poll(code)
            except GrantRefused as refused:
                if refused.code == "slow_down":
                    interval += _SLOWER_SECS
                elif refused.code != "authorization_pending":
                    raise _final(refused.code) from None
            except ExternalError:
                # The standard wants ever longer pauses while nobody answers; the code's end is the end of it.
                interval = min(interval * 2, 60.0)

    def _poll(self, code: DeviceCode) -> Tokens:
        endpoint = TokenEndpoint(self._http, self._token_url, self._clock)
        return endpoint.grant(
            self._client, {"grant_type": _GRANT, "device_code": code.device_code}, client_is_ours=False
        )

    def refresh(self, refresh_token: str) -> Tokens:
        """New tokens for old ones. Raises `UnauthenticatedError` when the login is over."""
        self._find_endpoints()
        endpoint = TokenEndpoint(self._http, self._token_url, self._clock)
        try:
            return endpoint.grant(self._client, {"grant_type": "refresh_token", "refresh_token": refresh_token})
        except GrantRefused:
            raise UnauthenticatedError("your login is over", hint="log in again") from None

    def _find_endpoints(self) -> None:
        if self._token_url and self._device_url:
            return
        page = discover(self._http, self._settings.issuer)
        self._token_url = self._token_url or endpoint_in(page, "token_endpoint")
        self._device_url = self._device_url or endpoint_in(page, "device_authorization_endpoint")


def _final(code: str) -> UnauthenticatedError:
    known = {"access_denied": "the login was refused", "expired_token": "the code has expired"}
    return UnauthenticatedError(known.get(code, "the identity provider ended the login"), hint="start again")
