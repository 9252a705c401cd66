"""A server in this process: an engine, logins, and Flight SQL on a port of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.services.keycloak import Keycloak, keycloak_server
from tests.spark.support import make_engine

from sqe.auth.credentials import BearerToken, Credentials, Password
from sqe.auth.gate import Gate
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.core.identity import Identity
from sqe.endpoints.flight_sql.access import GateAccess
from sqe.endpoints.flight_sql.service import FlightSqlService
from sqe.server.local import LocalEngine

from .served import Served, serving

USERS = {"alice": "wonder", "bob": "builder"}


class Users:
    """Two people with passwords; `jwt-<user>` stands for a signed token."""

    name = "users"

    def authenticate(self, credentials: Credentials) -> Outcome:
        if isinstance(credentials, Password):
            good = USERS.get(credentials.user) == credentials.password
            return Accepted(Identity(credentials.user)) if good else Rejected("wrong password")
        if isinstance(credentials, BearerToken) and credentials.token.removeprefix("jwt-") in USERS:
            return Accepted(Identity(credentials.token.removeprefix("jwt-")))
        return NotMine()

    def close(self) -> None:
        pass


@pytest.fixture(scope="session")
def keycloak(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keycloak]:
    """A real identity provider, started when the first test needs it."""
    with keycloak_server(tmp_path_factory.mktemp("keycloak")) as started:
        yield started


@dataclass(frozen=True)
class Server:
    """What a client needs, and what stands behind it."""

    uri: str
    engine: LocalEngine
    gate: Gate
    service: FlightSqlService


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A whole server: one JVM for all who use it."""
    with serving(tmp_path_factory.mktemp("served")) as started:
        yield started


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("server")
    engine = make_engine(folder, {"lake": folder / "lake"})
    gate = Gate([Users()])
    gate.listen(renewed=engine.sessions.renewed, ended=engine.sessions.end_login)
    service = FlightSqlService("grpc://127.0.0.1:0", engine.pipeline, GateAccess(engine.sessions, gate))
    yield Server(f"grpc://127.0.0.1:{service.port}", engine, gate, service)
    engine.tracker.close()
    service.close()
    gate.close()
    engine.close()
