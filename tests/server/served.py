"""A whole server in the test process: logins by an identity provider, tables in a REST catalog that is watched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from tests.services.iceberg_rest import iceberg_rest_server
from tests.services.identity_provider import AUDIENCE, IdentityProvider, identity_provider
from tests.services.recording_proxy import RecordingProxy, recording_proxy

from sqe.core.folders import Folders
from sqe.server.coordinator import Coordinator
from sqe.settings import Settings, load

#: People with passwords; everybody else comes with a token.
USERS = {"alice": "wonder", "bob": "builder"}


@dataclass(frozen=True)
class Served:
    """The server and what stands around it."""

    coordinator: Coordinator
    people: IdentityProvider
    catalog: RecordingProxy
    folder: Path

    @property
    def trino(self) -> str:
        return f"http://127.0.0.1:{self.coordinator.ports['trino_http']}"

    @property
    def flight(self) -> str:
        return f"grpc://127.0.0.1:{self.coordinator.ports['flight_sql']}"

    @property
    def health(self) -> str:
        return f"http://127.0.0.1:{self.coordinator.ports['health']}"

    def token(self, user: str, **changes: Any) -> str:
        return self.people.token(user, **changes)

    def run(self, token: str, sql: str, **headers: str) -> list[list[Any]]:
        """The rows of a statement over Trino's protocol. Raises `AssertionError` with the error's name and message."""
        with httpx2.Client(timeout=120, headers={"Authorization": f"Bearer {token}", **headers}) as http:
            answer = http.post(f"{self.trino}/v1/statement", content=sql.encode())
            rows: list[list[Any]] = []
            while True:
                assert answer.status_code == 200, answer.text
                page = answer.json()
                rows += page.get("data") or []
                assert "error" not in page, f"{page['error']['errorName']}: {page['error']['message']}"
                if "nextUri" not in page:
                    return rows
                answer = http.get(page["nextUri"])


def settings_text(people: IdentityProvider, catalog: str, **more: str) -> str:
    """The settings of a server for these people and this catalog."""
    return f"""
[coordinator]
flight_sql_port = 0
trino_http_port = {more.get("trino_http_port", "0")}
[metrics]
prometheus_port = {more.get("prometheus_port", "0")}
[engine]
memory_limit = "768MB"
[auth]
admin_roles = ["admin"]
[[auth.providers]]
type = "bearer_token"
jwks_url = "{people.url("jwks")}"
issuer = "{people.issuer}"
audience = "{AUDIENCE}"
[[auth.providers]]
type = "oidc_password"
token_url = "{people.url("token")}"
client_id = "sqe"
client_secret = "sqe-secret-a81"
[catalogs.lake]
catalog_url = "{catalog}"
"""


def read_settings(folder: Path, text: str) -> Settings:
    file = folder / "sqe.toml"
    file.write_text(text, encoding="utf-8")
    return load(config_path=file, environ={}, overrides={}, embedded=False, cwd=folder).settings


@contextmanager
def serving(folder: Path, more: Callable[[IdentityProvider], str] = lambda _: "") -> Iterator[Served]:
    """A server of its own in `folder`; `more` answers further settings."""
    from tests.services.process import free_port

    with (
        identity_provider() as people,
        iceberg_rest_server(folder) as target,
        recording_proxy(target) as catalog,
    ):
        people.users.update(USERS)
        text = settings_text(
            people, catalog.address, trino_http_port=str(free_port()), prometheus_port=str(free_port())
        ) + more(people)
        coordinator = Coordinator(
            read_settings(folder, text), Folders.of_user(os.environ), environ=os.environ, log_folder=folder / "log"
        )
        try:
            yield Served(coordinator, people, catalog, folder)
        finally:
            coordinator.close()
