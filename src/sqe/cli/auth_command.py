"""`sqe-cli auth login|logout|status`: a login in a browser that later commands use."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.cli.kept_logins import KeptLogin, KeptLogins
from sqe.cli.options import add_server_flags, target_of
from sqe.cli.reach import why_away
from sqe.cli.target import HTTP, Target
from sqe.core.folders import Folders
from sqe.core.usage import OneLineParser

if TYPE_CHECKING:
    from sqe.cli.device_login import Provider

_LOGIN_HELP = """\
The identity provider is the one of --issuer and --client-id, that of auth.external in --config FILE, or what the
server says at its HTTP port. The token is kept in ~/.sqe/tokens.json and sent to this server only.
"""


def run_auth_command(arguments: Sequence[str]) -> int:
    """One of the three; the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    logins = KeptLogins(Folders.of_user(os.environ))
    if given.what == "status":
        return _status(logins)
    # Logins are a matter of the HTTP port.
    given.protocol = given.protocol or HTTP
    target = target_of(parser, given)
    if given.what == "logout":
        return _logout(logins, target, given)
    return _login(logins, target, given, parser)


def _parser() -> OneLineParser:
    parser = OneLineParser(prog="sqe-cli auth", description="Log in to a server in a browser.", allow_abbrev=False)
    commands = parser.add_subparsers(dest="what", required=True, metavar="login|logout|status")
    login = commands.add_parser("login", help="log in", description=_LOGIN_HELP, allow_abbrev=False)
    logout = commands.add_parser("logout", help="forget a login", allow_abbrev=False)
    commands.add_parser("status", help="show the logins, without their tokens", allow_abbrev=False)
    for command in (login, logout):
        add_server_flags(command.add_argument_group("server"), "default: 8080; 50051 for flight")
    logout.add_argument("--all", action="store_true", help="forget all logins")
    login.add_argument("--issuer", metavar="URL", help="the identity provider")
    login.add_argument("--client-id", metavar="ID", help="the client there; a public one, without a secret")
    login.add_argument("--scope", action="append", metavar="NAME", help="what to ask for; may be repeated")
    login.add_argument("--config", type=Path, metavar="FILE", help="settings with auth.external")
    return parser


def _login(logins: KeptLogins, target: Target, given: argparse.Namespace, parser: OneLineParser) -> int:
    from sqe.cli import device_login

    if bool(given.issuer) != bool(given.client_id):
        parser.error("--issuer and --client-id go together")
    if given.issuer and given.config:
        parser.error("--issuer cannot be combined with --config")
    servers = device_login.servers_of(target, any_port=given.port is None)
    if given.issuer:
        provider = device_login.Provider(given.issuer, given.client_id)
    elif given.config:
        provider = _configured(given.config)
    else:
        provider, servers = _asked(target)
    if given.scope:
        provider = device_login.Provider(provider.issuer, provider.client_id, tuple(given.scope))
    login = device_login.log_in(provider, servers)
    logins.keep(login)
    print(f"logged in{f' as {login.user}' if login.user else ''} for {', '.join(login.servers)}")
    return 0


def _configured(file: Path) -> Provider:
    from sqe.cli.device_login import Provider
    from sqe.core.errors import ConfigError
    from sqe.settings import load

    settings = load(config_path=file, environ=os.environ, overrides={}, embedded=False, cwd=Path.cwd()).settings
    external = settings.auth.external
    if not external.issuer:
        raise ConfigError("auth.external.issuer: must be set for a login by code")
    device = external.device
    return Provider(external.issuer, device.client_id or external.client_id, tuple(device.scopes or external.scopes))


def _asked(target: Target) -> tuple[Provider, tuple[str, ...]]:
    from sqe.cli.device_login import ask_server
    from sqe.endpoints.trino_http.client_requests import Requests

    tls = target.ssl_context() if target.tls else None
    requests = Requests(target.origin, why_away=lambda: why_away(target), tls=tls)
    try:
        return ask_server(target, requests)
    finally:
        requests.close()


def _logout(logins: KeptLogins, target: Target, given: argparse.Namespace) -> int:
    from sqe.cli.device_login import servers_of

    servers = servers_of(target, any_port=given.port is None)
    if given.all:
        servers = tuple(server for login in logins.all() for server in login.servers)
    gone = logins.forget(servers)
    if not gone:
        print(f"no login for {' or '.join(servers)}" if servers else "no login is kept", file=sys.stderr)
        return 0
    for login in gone:
        print(f"logged out of {', '.join(login.servers)}")
    return 0


def _status(logins: KeptLogins) -> int:
    kept = logins.all()
    if not kept:
        print("no login is kept")
    for login in kept:
        print(f"{', '.join(login.servers)}: {login.user or 'logged in'} by {login.issuer}, {_lifetime(login)}")
    return 0


def _lifetime(login: KeptLogin) -> str:
    if not login.expires:
        return "without an end"
    left = int(login.expires - time.time())
    if left > 0:
        return f"token good for {left // 60} min {left % 60} s" + (", renewed by itself" * bool(login.refresh_token))
    return "token is over, renewed by the next command" if login.refresh_token else "over; log in again"
