"""The command line of a remote client: servers, credentials, and ports that speak something else."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.unit.trino_http.certificates import Pair, make

from sqe.cli import remote
from sqe.cli.kept_logins import KeptLogin, KeptLogins
from sqe.cli.options import parse_options
from sqe.cli.reach import why_away
from sqe.cli.target import HTTP, Target
from sqe.core.errors import SqeError, UserError
from sqe.core.folders import Folders
from sqe.endpoints.trino_http.server import HttpServer


def target(*flags: str) -> Target:
    return parse_options(flags).target


def test_defaults() -> None:
    assert target() == Target("localhost", 50051)
    assert target("--protocol", "http") == Target("localhost", 8080, HTTP)
    assert target("--protocol", "http", "-p", "99", "--tls").origin == "https://localhost:99"


@pytest.mark.parametrize(
    ("host", "origin", "here"),
    [
        ("::1", "http://[::1]:50051", True),
        ("[::1]", "http://[::1]:50051", True),
        ("127.9.9.9", "http://127.9.9.9:50051", True),
        ("example.com", "http://example.com:50051", False),
        ("localhost.example.com", "http://localhost.example.com:50051", False),
    ],
)
def test_hosts(host: str, origin: str, here: bool) -> None:
    made = target("-H", host)
    assert (made.origin, made.is_here) == (origin, here)


@pytest.mark.parametrize(
    "flags",
    [
        ("-H", "http://x"),
        ("-H", "a b"),
        ("-H", "user@host"),
        ("-H", "host:80"),
        ("--insecure",),
        ("--ca", "x"),
        ("--cert", "x"),
        ("--tls", "--key", "x"),
        ("--tls", "--ca", "x", "--insecure"),
        ("--protocol", "grpc"),
        ("--embedded", "--protocol", "http"),
        ("--embedded", "--ca", "x"),
    ],
)
def test_flags_that_make_no_sense(flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        parse_options(flags)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("SQE_TOKEN", "SQE_USER", "SQE_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def credentials(*flags: str) -> tuple[str, str, str]:
    """User, password, token."""
    found = remote._credentials(parse_options(flags))
    return found.user, found.password, found.token() if found.token is not None else ""


def keep(servers: tuple[str, ...]) -> None:
    login = KeptLogin(servers, "https://idp.example.com", "shell", ("openid",), "kept-secret")
    KeptLogins(Folders.of_user({"HOME": str(Path.home())})).keep(login)


@pytest.mark.usefixtures("home")
def test_flags_come_before_the_environment_and_that_before_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert credentials() == ("", "", "")
    keep(("http://localhost:50051",))
    assert credentials() == ("", "", "kept-secret")
    assert credentials("-p", "50052") == ("", "", "")
    assert credentials("--tls") == ("", "", "")
    monkeypatch.setenv("SQE_USER", "eve")
    monkeypatch.setenv("SQE_PASSWORD", "pw")
    assert credentials() == ("eve", "pw", "")
    monkeypatch.setenv("SQE_TOKEN", "env-token")
    assert credentials() == ("", "", "env-token")
    assert credentials("--user", "bob") == ("bob", "pw", "")
    assert credentials("--token", "flag-token") == ("", "", "flag-token")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("token", ["", " ", "a\nb", "ä"])
def test_what_is_no_token(token: str) -> None:
    with pytest.raises(UserError) as raised:
        credentials("--token", token)
    assert token.strip() == "" or token not in str(raised.value)


@pytest.mark.usefixtures("home")
def test_no_password_where_nobody_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(UserError, match="no password"):
        credentials("--user", "bob")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("flags", "warned"),
    [
        (("-H", "192.0.2.1", "--token", "t"), True),
        (("-H", "192.0.2.1", "--token", "t", "--tls"), False),
        (("-H", "127.0.0.1", "--token", "t"), False),
        (("-H", "192.0.2.1"), False),
    ],
)
def test_a_warning_before_secrets_go_out_in_the_open(
    flags: tuple[str, ...], warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    connection, banner = remote.connect_remote(parse_options([*flags, "--protocol", "http"]))
    connection.close()
    assert ("unencrypted" in capsys.readouterr().err) is warned
    assert "(http)" in banner


# Ports that speak something else.


@contextmanager
def listening(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port that does as it is told with each connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                with suppress(OSError):
                    talk(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    # A thread that waits in accept does not notice that its socket is closed.
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(10)


def http_1(connection: socket.socket) -> None:
    if connection.recv(1000).startswith(b"GET"):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    else:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def http_2(connection: socket.socket) -> None:
    if connection.recv(1000).startswith(b"GET"):
        connection.sendall(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")


def silence(connection: socket.socket) -> None:
    connection.recv(1)


def test_the_other_protocol() -> None:
    with listening(http_1) as port:
        error = why_away(Target("127.0.0.1", port))
        assert error.message == f"the port {port} of 127.0.0.1 speaks Trino's HTTP protocol, not Flight SQL"
        assert "--protocol http" in (error.hint or "")
    with listening(http_2) as port:
        error = why_away(Target("127.0.0.1", port, HTTP))
        assert "speaks Flight SQL, not Trino's" in error.message


def test_no_tls_there() -> None:
    with listening(http_1) as port:
        error = why_away(Target("127.0.0.1", port, HTTP, tls=True))
    assert (error.message, error.hint) == (f"the server at 127.0.0.1:{port} has no TLS", "leave --tls out")


def test_nobody_knows() -> None:
    with listening(silence) as port:
        assert "ended the connection" in why_away(Target("127.0.0.1", port)).message


def test_nobody_there() -> None:
    error = why_away(Target("127.0.0.1", 1))
    assert error.message == "no server answers at http://127.0.0.1:1: connection refused"
    assert "coordinator.flight_sql_port" in (error.hint or "")
    assert "there is no host" in why_away(Target("nobody.invalid", 1)).message


# TLS.


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return make(tmp_path_factory.mktemp("authority"), "authority")


async def _one(_: Request) -> Response:
    kind = {"rawType": "bigint", "arguments": []}
    return JSONResponse({"id": "q1", "columns": [{"name": "n", "typeSignature": kind}], "data": [[1]]})


@contextmanager
def encrypted(authority: Pair, folder: Path, ca: Path | None = None) -> Iterator[int]:
    own = make(folder, "server", authority)
    app = Starlette(routes=[Route("/v1/statement", _one, methods=["POST"])])
    server = HttpServer(app, "127.0.0.1", 0, cert_file=own.cert_file, key_file=own.key_file, ca_file=ca)
    yield server.port
    server.close()


def outcome(*flags: str) -> str:
    """What becomes of a statement: `rows`, or the error's message."""
    connection, _ = remote.connect_remote(parse_options(["--protocol", "http", "-H", "127.0.0.1", *flags]))
    try:
        assert [batch.to_pylist() for batch in connection.execute("SELECT 1")] == [[{"n": 1}]]
    except SqeError as error:
        return error.message
    finally:
        connection.close()
    return "rows"


@pytest.mark.usefixtures("home")
def test_trust(authority: Pair, tmp_path: Path) -> None:
    with encrypted(authority, tmp_path) as number:
        port = str(number)
        assert outcome("-p", port, "--tls", "--ca", str(authority.cert_file)) == "rows"
        assert outcome("-p", port, "--tls", "--insecure") == "rows"
        assert "is not trusted: unable to get local issuer" in outcome("-p", port, "--tls")
        assert outcome("-p", port) == f"the server at 127.0.0.1:{port} wants TLS"


@pytest.mark.usefixtures("home")
def test_certificates_of_clients(authority: Pair, tmp_path: Path) -> None:
    own = make(tmp_path, "alice", authority)
    with encrypted(authority, tmp_path, authority.cert_file) as number:
        flags = ["-p", str(number), "--tls", "--ca", str(authority.cert_file)]
        assert outcome(*flags, "--cert", str(own.cert_file), "--key", str(own.key_file)) == "rows"
        assert "wants a certificate of its clients" in outcome(*flags)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("flag", ["--ca", "--cert"])
def test_files_that_cannot_be_used(flag: str, tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("secret-key-text", encoding="utf-8")
    for file in (garbage, tmp_path / "nothing.pem"):
        for protocol in ("http", "flight"):
            with pytest.raises(UserError, match=flag) as raised:
                remote.connect_remote(parse_options(["--protocol", protocol, "--tls", flag, str(file)]))
            assert "secret-key-text" not in str(raised.value)
