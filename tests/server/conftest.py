"""One server, and so one JVM, for the whole tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.services.keycloak import Keycloak, keycloak_server

from sqe.auth.gate import Gate
from sqe.endpoints.flight_sql.service import FlightSqlService
from sqe.server.local import Engine

from .served import USERS, Served, serving

__all__ = ["USERS", "Server"]


@pytest.fixture(scope="session")
def keycloak(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keycloak]:
    """A real identity provider, started when the first test needs it."""
    with keycloak_server(tmp_path_factory.mktemp("keycloak")) as started:
        yield started


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A whole server with what stands around it."""
    with serving(tmp_path_factory.mktemp("served")) as started:
        started.run(started.token("carol"), "CREATE SCHEMA lake.default")
        yield started


@dataclass(frozen=True)
class Server:
    """What a client needs, and what stands behind it."""

    uri: str
    engine: Engine
    gate: Gate
    service: FlightSqlService
    served: Served


@pytest.fixture(scope="session")
def server(served: Served) -> Server:
    """The same server, as clients of one endpoint see it."""
    parts = served.coordinator
    return Server(served.flight, parts.engine, parts.gate, parts.flight, served)
