"""Connecting to an SQE server over the network, by Flight SQL."""

from __future__ import annotations

import getpass
import os
import sys
from typing import TYPE_CHECKING, Any

import sqe
from sqe.core.errors import EngineUnavailableError, UserError
from sqe.endpoints.flight_sql.client import FlightConnection, basic_login

if TYPE_CHECKING:
    from sqe.cli.connect import Connection
    from sqe.cli.options import Options


def connect_remote(options: Options) -> tuple[Connection, str]:
    """A connection and the shell's first lines."""
    scheme = "grpc+tls" if options.tls else "grpc"
    location = f"{scheme}://{options.host}:{options.port}"
    tls: dict[str, Any] = {"disable_server_verification": True} if options.tls and options.insecure else {}
    shown = f"{'https' if options.tls else 'http'}://{options.host}:{options.port}"
    away = EngineUnavailableError(
        f"no server answers at {shown}", hint="name one with -H and -p, or use --embedded for an engine on this machine"
    )
    token = options.token or os.environ.get("SQE_TOKEN")
    user = options.user or os.environ.get("SQE_USER")
    if token is None and user is not None:
        token = basic_login(location, user, _password(user), away, **tls)
    banner = f"sqe-cli {sqe.__version__} connected to {shown} (flight)\nEnd a statement with `;`."
    return FlightConnection(location, token=token, away=away, **tls), banner


def _password(user: str) -> str:
    given = os.environ.get("SQE_PASSWORD")
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise UserError("no password", hint="set SQE_PASSWORD, or give --token")
    return getpass.getpass(f"Password of {user}: ")
