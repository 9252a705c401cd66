"""Connecting to an SQE server over the network: by Flight SQL, or by Trino's HTTP protocol."""

from __future__ import annotations

import base64
import getpass
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import sqe
from sqe.cli.reach import why_away
from sqe.cli.target import HTTP, Target
from sqe.core.errors import UserError
from sqe.core.folders import Folders

if TYPE_CHECKING:
    from sqe.cli.connect import Connection
    from sqe.cli.options import Options


@dataclass(frozen=True)
class Credentials:
    """How somebody logs in: user and password, or a token that may have to be fetched; neither: as nobody."""

    user: str = ""
    password: str = field(repr=False, default="")
    token: Callable[[], str] | None = field(repr=False, default=None)

    @property
    def secret(self) -> str:
        """What must not be overheard."""
        return "password" if self.user else "token" if self.token is not None else ""


def connect_remote(options: Options) -> tuple[Connection, str]:
    """A connection and the shell's first lines."""
    target = options.target
    credentials = _credentials(options)
    if credentials.secret and not target.tls and not target.is_here:
        print(f"warning: your {credentials.secret} goes to {target.host} unencrypted; use --tls", file=sys.stderr)
    connect = _by_http if target.protocol == HTTP else _by_flight
    banner = f"sqe-cli {sqe.__version__} connected to {target.origin} ({target.protocol})\nEnd a statement with `;`."
    return connect(target, credentials), banner


def _credentials(options: Options) -> Credentials:
    """Flags first, then the environment, then the login that is kept for the server."""
    given, user = options.token, options.user
    if given is None and user is None:
        given, user = os.environ.get("SQE_TOKEN") or None, os.environ.get("SQE_USER") or None
    if given is not None:
        token = given.strip()
        if not token or not token.isascii() or not token.isprintable():
            raise UserError("the token is no token", hint="it is one word of printable characters")
        return Credentials(token=lambda: token)
    if user is not None:
        return Credentials(user, _password(user))
    return _kept(options.target)


def _kept(target: Target) -> Credentials:
    from sqe.cli.kept_logins import KeptLogins

    logins = KeptLogins(Folders.of_user(os.environ))
    if logins.find(target.origin) is None:
        return Credentials()

    def token() -> str:
        from sqe.cli.device_login import renew

        return logins.token(target.origin, renew) or ""

    return Credentials(token=token)


def _password(user: str) -> str:
    given = os.environ.get("SQE_PASSWORD")
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise UserError("no password", hint="set SQE_PASSWORD, or give --token")
    return getpass.getpass(f"Password of {user}: ")


def _by_flight(target: Target, credentials: Credentials) -> Connection:
    # What gRPC says of failed connections is for those who build it.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from sqe.endpoints.flight_sql.client import FlightConnection, basic_login

    why = partial(why_away, target)
    tls = target.flight_options()
    token = credentials.token
    if credentials.user:
        token = partial(basic_login, target.flight_location, credentials.user, credentials.password, why, **tls)
    return FlightConnection(target.flight_location, token=token, why_away=why, **tls)


def _by_http(target: Target, credentials: Credentials) -> Connection:
    from sqe.endpoints.trino_http.client import TrinoConnection
    from sqe.endpoints.trino_http.client_state import local_zone

    def authorization() -> str:
        if credentials.user:
            pair = f"{credentials.user}:{credentials.password}".encode()
            return f"Basic {base64.b64encode(pair).decode('ascii')}"
        token = credentials.token() if credentials.token is not None else ""
        return f"Bearer {token}" if token else ""

    return TrinoConnection(
        target.origin,
        authorization=authorization,
        why_away=partial(why_away, target),
        tls=target.ssl_context() if target.tls else None,
        time_zone=local_zone(os.environ),
    )
