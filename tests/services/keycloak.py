"""Keycloak: a real identity provider, in memory, with the realm of `keycloak_realm`."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from .cache import ServiceError, kept, run
from .fetch import MavenFile, fetch_maven, java
from .keycloak_realm import REALM, realm
from .process import free_port, running

VERSION = "26.7.3"
_DIST = MavenFile(
    "org.keycloak",
    "keycloak-quarkus-dist",
    VERSION,
    "77657f30b7e90d70f727712ce1c967f430fd6a5e9f458d32d8c6df0635345f47",
    extension="tar.gz",
)
#: It runs for a minute or two: quick to start is better than quick later.
_OPTIONS = {
    "JAVA_OPTS_KC_HEAP": "-Xms128m -Xmx512m",
    "JAVA_OPTS_APPEND": "-XX:TieredStopAtLevel=1",
}
#: Keycloak fills its database first; on a busy machine that takes minutes.
_READY_SECS = 600
_ADMIN = ("admin", "admin-of-the-tests")


@dataclass
class Keycloak:
    """A running server."""

    address: str
    _http: httpx2.Client = field(repr=False)

    @property
    def issuer(self) -> str:
        """The realm."""
        return f"{self.address}/realms/{REALM}"

    def url(self, endpoint: str) -> str:
        """An endpoint of the realm: `token`, `certs`."""
        return f"{self.issuer}/protocol/openid-connect/{endpoint}"

    def admin(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """A call of the administrator's."""
        user, password = _ADMIN
        form = {"grant_type": "password", "client_id": "admin-cli", "username": user, "password": password}
        answer = self._http.post(f"{self.address}/realms/master/protocol/openid-connect/token", data=form)
        token = answer.raise_for_status().json()["access_token"]
        headers = {"Authorization": f"Bearer {token}"}
        return self._http.request(method, f"{self.address}/admin{path}", headers=headers, **more).raise_for_status()

    def end_sessions(self) -> None:
        """Log everybody out of the realm; refresh tokens are worth nothing from now on."""
        self.admin("POST", f"/realms/{REALM}/logout-all")


def _home() -> Path:
    """Keycloak, unpacked and built for a database in memory."""
    archive = fetch_maven(_DIST)

    def make(folder: Path) -> None:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        home = folder / f"keycloak-{VERSION}"
        run("Keycloak", [home / "bin" / "kc.sh", "build", "--db=dev-mem"], home, _java() | _OPTIONS)

    return kept(f"keycloak-{VERSION}-in-memory", make) / f"keycloak-{VERSION}"


def _java() -> dict[str, str]:
    return {"JAVA": str(java())}


@contextmanager
def keycloak_server(folder: Path) -> Iterator[Keycloak]:
    """A server with its realm; `folder` takes its log."""
    port, management = free_port(), free_port()
    address = f"http://127.0.0.1:{port}"
    command: list[str | Path] = [
        _home() / "bin" / "kc.sh",
        "start",
        "--optimized",
        "--http-enabled=true",
        "--http-host=127.0.0.1",
        f"--http-port={port}",
        f"--http-management-port={management}",
        f"--hostname={address}",
        "--cache=local",
    ]
    admin = {"KC_BOOTSTRAP_ADMIN_USERNAME": _ADMIN[0], "KC_BOOTSTRAP_ADMIN_PASSWORD": _ADMIN[1]}
    with (
        running(
            "Keycloak",
            command,
            f"{address}/realms/master",
            folder / "keycloak.log",
            _java() | _OPTIONS | admin,
            ready_secs=_READY_SECS,
        ),
        httpx2.Client(timeout=60) as http,
    ):
        server = Keycloak(address, http)
        try:
            server.admin("POST", "/realms", json=realm())
        except httpx2.HTTPError as error:
            raise ServiceError(f"Keycloak did not take the realm: {error}") from error
        yield server
