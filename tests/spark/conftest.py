"""One engine, and so one JVM, for the whole tier; a fresh session for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.server.local import LocalEngine

from .support import Client, make_engine, open_client, value


@pytest.fixture(scope="session")
def mounts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The catalogs of the engine: `again` is the folder of `iceberg` once more, `odd` has a difficult name."""
    base = tmp_path_factory.mktemp("engine")
    return {
        "iceberg": base / "warehouse",
        "again": base / "warehouse",
        "second": base / "second",
        "odd": base / 'it\'s 100%41 "ünï✓" #1?',
    }


@pytest.fixture(scope="session")
def engine(mounts: dict[str, Path]) -> Iterator[LocalEngine]:
    # Little room for results that nobody reads, so that tests reach its end soon.
    engine = make_engine(mounts["iceberg"].parent, mounts, engine__bytes_in_flight="4MB")
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def warehouse(mounts: dict[str, Path]) -> Path:
    return mounts["iceberg"]


@pytest.fixture
def session(engine: LocalEngine) -> Iterator[Client]:
    with open_client(engine) as client:
        yield client


@pytest.fixture
def schema(session: Client, request: pytest.FixtureRequest) -> str:
    """A schema of this test's own in the persistent catalog."""
    name = "iceberg.s" + str(abs(hash(request.node.nodeid)))
    assert value(session, "SELECT 1") == 1
    list(session.run(f"CREATE SCHEMA {name}"))
    return name
