"""A login by a code in a browser, from the command line: who to ask, what to tell the person, what to keep."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqe.auth.device import DeviceFlow
from sqe.auth.grants import Tokens
from sqe.auth.settings import DeviceSettings, ExternalSettings
from sqe.cli.kept_logins import KeptLogin
from sqe.cli.target import DEFAULT_PORTS, FLIGHT, HTTP, Target
from sqe.core.errors import SqeError, UserError
from sqe.endpoints.trino_http.client_requests import Requests

LOGIN_FACTS_PATH = "/v1/sqe/login"


@dataclass(frozen=True)
class Provider:
    """Where a server's people log in, and as which client."""

    issuer: str
    client_id: str
    scopes: tuple[str, ...] = ("openid", "profile")

    def settings(self) -> ExternalSettings:
        """As the flow takes it. Raises `UserError` for what is no address."""
        try:
            return ExternalSettings(
                issuer=self.issuer,
                client_id=self.client_id,
                scopes=list(self.scopes),
                device=DeviceSettings(scopes=list(self.scopes)),
            )
        except ValueError as error:
            raise UserError(
                "the identity provider cannot be used: its issuer must be a web address, and the scopes hold openid"
            ) from error


def ask_server(target: Target, requests: Requests) -> tuple[Provider, tuple[str, ...]]:
    """What the server says of its logins: the provider, and the addresses that its tokens are for.

    Raises:
        UserError: The server offers no login by code, or the way to it is open to others.
        SqeError: It cannot be reached.
    """
    if not target.tls and not target.is_here:
        # Whoever stands in between could name a provider of their own.
        raise UserError(
            "the server is not asked for its identity provider over a plain connection",
            hint="add --tls, or name the provider with --issuer and --client-id",
        )
    told = requests.get(str(requests.origin.join(LOGIN_FACTS_PATH))).content
    provider = _provider(told)
    ports = [target.port, *([told["flightSqlPort"]] if _is_port(told.get("flightSqlPort")) else [])]
    return provider, tuple(replace(target, port=port).origin for port in dict.fromkeys(ports))


def _provider(told: Mapping[str, Any]) -> Provider:
    issuer, client_id, scopes = told.get("issuer"), told.get("clientId"), told.get("scopes")
    if not isinstance(issuer, str) or not isinstance(client_id, str) or not isinstance(scopes, list):
        raise UserError("the server offers no login by code", hint="auth.external there, or --user and --token here")
    if not all(isinstance(text, str) and text.isprintable() for text in (issuer, client_id, *scopes)):
        raise UserError("the server's answer about logins makes no sense")
    return Provider(issuer, client_id, tuple(scopes))


def servers_of(target: Target, *, any_port: bool) -> tuple[str, ...]:
    """The addresses that a login without a word of the server's is for: the one that was named, or the usual two."""
    if not any_port:
        return (target.origin,)
    return tuple(replace(target, port=DEFAULT_PORTS[protocol]).origin for protocol in (HTTP, FLIGHT))


def log_in(provider: Provider, servers: Sequence[str]) -> KeptLogin:
    """Have the person type a code in a browser; answers the login. Raises `SqeError`."""
    flow = DeviceFlow(provider.settings())
    try:
        code = flow.start()
        print(f"Identity provider: {provider.issuer}", file=sys.stderr)
        print(f"Open   {code.verification_uri}", file=sys.stderr)
        print(f"and type the code {code.user_code}", file=sys.stderr)
        if code.verification_uri_complete:
            print(f"or open {code.verification_uri_complete}", file=sys.stderr)
        print("Waiting …", file=sys.stderr, flush=True)
        return _kept(provider, servers, flow.wait(code, time.sleep))
    finally:
        flow.close()


def renew(login: KeptLogin) -> KeptLogin:
    """The login with new tokens. Raises `SqeError`."""
    provider = Provider(login.issuer, login.client_id, login.scopes)
    flow = DeviceFlow(provider.settings())
    try:
        return _kept(provider, login.servers, flow.refresh(login.refresh_token))
    except SqeError as error:
        error.hint = "sqe-cli auth login" if error.message == "your login is over" else error.hint
        raise
    finally:
        flow.close()


def _kept(provider: Provider, servers: Sequence[str], tokens: Tokens) -> KeptLogin:
    claims = tokens.claims
    user = next((claims[name] for name in ("preferred_username", "email", "sub") if name in claims), "")
    return KeptLogin(
        servers=tuple(servers),
        issuer=provider.issuer,
        client_id=provider.client_id,
        scopes=provider.scopes,
        access_token=tokens.access,
        refresh_token=tokens.refresh or "",
        expires=tokens.expires or 0.0,
        user=user if isinstance(user, str) and user.isprintable() else "",
    )


def _is_port(value: object) -> bool:
    return isinstance(value, int) and 0 < value < 65536
