"""The server itself: its port, its limits, TLS, and certificates of clients."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from sqe.auth.credentials import Certificate, Credentials
from sqe.auth.gate import Gate
from sqe.auth.provider import Accepted, NotMine, Outcome
from sqe.core.errors import ConfigError
from sqe.core.identity import Identity
from sqe.endpoints.trino_http.app import TrinoEndpoint
from sqe.endpoints.trino_http.server import HttpServer

from .certificates import Pair, make
from .conftest import People, World, basic


class Holders:
    """Whoever shows a certificate."""

    name = "holders"

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def authenticate(self, credentials: Credentials) -> Outcome:
        if not isinstance(credentials, Certificate):
            return NotMine()
        self.seen.append(credentials.encoded)
        return Accepted(Identity("holder"))

    def close(self) -> None:
        pass


@pytest.fixture
def endpoint(world: World) -> TrinoEndpoint:
    # One that nothing has been served by yet: an endpoint lives in one event loop.
    return TrinoEndpoint(world.endpoint.gate, world.work_of)


@pytest.fixture
def server(endpoint: TrinoEndpoint) -> Iterator[HttpServer]:
    server = HttpServer(endpoint.app(), "127.0.0.1", 0)
    yield server
    server.close()


def test_statements_over_a_socket(server: HttpServer) -> None:
    url = f"http://127.0.0.1:{server.port}"
    with httpx2.Client() as client:
        answer = client.post(f"{url}/v1/statement", content="SELECT 1", headers=basic("alice"))
    assert answer.json()["data"] == [[1]]
    assert answer.json()["infoUri"].startswith(url)
    assert "server" not in answer.headers


def test_small_answers_are_not_kept_back(server: HttpServer) -> None:
    """asyncio sends at once what goes to sockets of this protocol only."""
    assert server._socket.proto == socket.IPPROTO_TCP


def test_a_port_that_is_taken(endpoint: TrinoEndpoint) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ConfigError, match="cannot listen on"):
            HttpServer(endpoint.app(), "127.0.0.1", taken.getsockname()[1])


def test_headers_that_are_too_long(server: HttpServer) -> None:
    with httpx2.Client() as client:
        headers = basic("alice") | {"X-Trino-Source": "x" * 400_000}
        try:
            status = client.post(f"http://127.0.0.1:{server.port}/v1/statement", headers=headers).status_code
        except httpx2.HTTPError:
            # Hung up while the rest was still on its way.
            status = 431
        assert status in {400, 431}
        fine = client.post(f"http://127.0.0.1:{server.port}/v1/statement", content="SELECT 1", headers=basic("alice"))
    assert fine.status_code == 200


@pytest.mark.parametrize("text", [b"\x16\x03\x01\x00\x05hello", b"GET\r\n\r\n", b"POST /v1/statement HTTP/9.9\r\n\r\n"])
def test_what_is_no_http(server: HttpServer, text: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 10) as raw:
        raw.sendall(text)
        raw.shutdown(socket.SHUT_WR)
        found = raw.recv(1000)
    assert found == b"" or found.startswith(b"HTTP/1.1 4")


def test_a_client_that_hangs_up_stops_its_statement(world: World, server: HttpServer) -> None:
    from .test_paging import Gated

    world.scripts["slow"] = Gated()
    head = f"POST /v1/statement?maxWait=10s HTTP/1.1\r\nHost: x\r\nAuthorization: {basic('alice')['Authorization']}\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 10) as raw:
        raw.sendall(f"{head}Content-Length: 4\r\n\r\nslow".encode())
        while not world.statements:
            time.sleep(0.01)
    assert world.statements[0].canceled.wait(30)


def test_closing_cancels_what_runs(world: World, endpoint: TrinoEndpoint) -> None:
    from .test_paging import Gated

    world.scripts["slow"] = Gated()
    server = HttpServer(endpoint.app(), "127.0.0.1", 0)
    with httpx2.Client() as client:
        url = f"http://127.0.0.1:{server.port}/v1/statement?maxWait=10ms"
        query_id = client.post(url, content="slow", headers=basic("alice")).json()["id"]
    server.close()
    assert world.tracker.get(query_id).state.ended
    with pytest.raises(OSError, match=r".*"):
        socket.create_connection(("127.0.0.1", server.port), 1)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    folder: Path = tmp_path_factory.mktemp("certificates")
    authority = make(folder, "authority")
    return {
        "authority": authority,
        "server": make(folder, "server", authority),
        "client": make(folder, "client", authority),
        "stranger": make(folder, "stranger", make(folder, "other authority")),
    }


class TestTls:
    def _ask(self, port: int, pairs: dict[str, Pair], client: str | None) -> http.client.HTTPResponse:
        context = ssl.create_default_context(cafile=pairs["authority"].cert_file)
        if client:
            context.load_cert_chain(pairs[client].cert_file, pairs[client].key_file)
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=20)
        with closing(connection):
            connection.request("POST", "/v1/statement", "SELECT 1", basic("alice") if client is None else {})
            response = connection.getresponse()
            response.read()
            return response

    def test_passwords_over_tls(self, endpoint: TrinoEndpoint, pairs: dict[str, Pair]) -> None:
        own = pairs["server"]
        server = HttpServer(endpoint.app(), "127.0.0.1", 0, cert_file=own.cert_file, key_file=own.key_file)
        try:
            assert self._ask(server.port, pairs, None).status == 200
        finally:
            server.close()

    def test_certificates_of_clients(self, world: World, pairs: dict[str, Pair]) -> None:
        holders = Holders()
        gate = Gate([holders, People()])
        own = pairs["server"]
        server = HttpServer(
            TrinoEndpoint(gate, world.work_of).app(),
            "127.0.0.1",
            0,
            cert_file=own.cert_file,
            key_file=own.key_file,
            ca_file=pairs["authority"].cert_file,
        )
        try:
            assert self._ask(server.port, pairs, "client").status == 200
            with pytest.raises((ssl.SSLError, OSError, http.client.HTTPException)):
                self._ask(server.port, pairs, "stranger")
            with pytest.raises((ssl.SSLError, OSError, http.client.HTTPException)):
                self._ask(server.port, pairs, None)
        finally:
            server.close()
            gate.close()
        assert world.works[0].login.identity.user == "holder"
        assert len(holders.seen) == 1
        assert holders.seen[0][:1] == b"\x30"


def test_an_app_without_a_loop_can_be_made(world: World) -> None:
    with TestClient(TrinoEndpoint(world.endpoint.gate, world.work_of).app()) as client:
        assert client.get("/v1/info").status_code == 200
