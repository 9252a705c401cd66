"""`sqe-cli auth`: whom it asks, what it keeps, what it shows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.services.identity_provider import IdentityProvider, identity_provider

from sqe.cli.auth_command import run_auth_command
from sqe.core.errors import ConfigError, ExternalError, SqeError, UnauthenticatedError, UserError


class Facts:
    """What a server says of its logins."""

    told: Any = None
    port = 0


@pytest.fixture
def server() -> Iterator[Facts]:
    facts = Facts()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            pass

        def do_GET(self) -> None:
            known = facts.told is not None and self.path == "/v1/sqe/login"
            body = json.dumps(facts.told).encode() if known else b"no login by code here"
            self.send_response(200 if known else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    facts.port = made.server_address[1]
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield facts
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def people() -> Iterator[IdentityProvider]:
    with identity_provider() as made:
        made.clients["shell"] = ""
        made.device_answer = "yes"
        yield made


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("time.sleep", lambda _: None)
    return tmp_path


def kept(home: Path) -> list[dict[str, Any]]:
    file = home / ".sqe" / "tokens.json"
    return list(json.loads(file.read_text(encoding="utf-8"))["logins"]) if file.exists() else []


def test_the_server_says_whom_to_ask(
    server: Facts, people: IdentityProvider, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.told = {"issuer": people.issuer, "clientId": "shell", "scopes": ["openid"], "flightSqlPort": 50051}
    assert run_auth_command(["login", "-H", "127.0.0.1", "-p", str(server.port)]) == 0
    (login,) = kept(home)
    assert login["servers"] == [f"http://127.0.0.1:{server.port}", "http://127.0.0.1:50051"]
    assert login["user"] == "alice"
    run_auth_command(["status"])
    shown = capsys.readouterr()
    assert people.issuer in shown.err
    assert "ABCD-EFGH" in shown.err
    for secret in (login["access_token"], login["refresh_token"], "device-code-secret-91"):
        assert secret not in shown.out + shown.err
    assert run_auth_command(["logout", "-H", "127.0.0.1", "-p", "50051"]) == 0
    assert kept(home) == []


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"issuer": 5, "clientId": "shell", "scopes": []},
        {"issuer": "ftp://x", "clientId": "shell", "scopes": ["openid"]},
        {"issuer": "http://127.0.0.1:1", "clientId": "shell\n", "scopes": ["openid"]},
        {"issuer": "http://127.0.0.1:1", "clientId": "shell", "scopes": "openid"},
    ],
)
def test_a_server_that_makes_no_sense(server: Facts, home: Path, told: Any) -> None:
    server.told = told
    with pytest.raises(UserError):
        run_auth_command(["login", "-H", "127.0.0.1", "-p", str(server.port)])
    assert kept(home) == []


def test_a_server_without_such_logins(server: Facts) -> None:
    with pytest.raises(SqeError, match="no login by code"):
        run_auth_command(["login", "-H", "127.0.0.1", "-p", str(server.port)])


def test_nobody_is_asked_over_an_open_line() -> None:
    with pytest.raises(UserError, match="plain connection"):
        run_auth_command(["login", "-H", "192.0.2.1"])


def test_a_provider_by_name(people: IdentityProvider, home: Path) -> None:
    flags = ["--issuer", people.issuer, "--client-id", "shell"]
    assert run_auth_command(["login", "-H", "sqe.example.com", "--tls", *flags]) == 0
    assert kept(home)[0]["servers"] == ["https://sqe.example.com:8080", "https://sqe.example.com:50051"]
    assert run_auth_command(["login", "-H", "other.example.com", "--tls", "-p", "9", *flags]) == 0
    assert kept(home)[0]["servers"] == ["https://other.example.com:9"]
    assert run_auth_command(["logout", "--all"]) == 0
    assert kept(home) == []


def test_a_provider_of_the_settings(people: IdentityProvider, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "sqe.toml"
    file.write_text(f'[auth.external]\nissuer = "{people.issuer}"\nclient_id = "shell"\n', encoding="utf-8")
    assert run_auth_command(["login", "--config", str(file)]) == 0
    assert kept(home)[0]["issuer"] == people.issuer
    file.write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"auth\.external\.issuer"):
        run_auth_command(["login", "--config", str(file)])


@pytest.mark.parametrize(("answer", "words"), [("access_denied", "refused"), ("expired_token", "expired")])
def test_a_person_who_says_no(people: IdentityProvider, home: Path, answer: str, words: str) -> None:
    people.device_answer = answer
    with pytest.raises(UnauthenticatedError, match=words):
        run_auth_command(["login", "--issuer", people.issuer, "--client-id", "shell"])
    assert kept(home) == []


def test_a_provider_that_is_away(home: Path) -> None:
    with pytest.raises(ExternalError, match="identity provider"):
        run_auth_command(["login", "--issuer", "http://127.0.0.1:1", "--client-id", "shell"])
    assert kept(home) == []


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["nonsense"],
        ["login", "--issuer", "http://x"],
        ["login", "--client-id", "x"],
        ["login", "--issuer", "http://x", "--client-id", "x", "--config", "y"],
        ["login", "--token", "x"],
    ],
)
def test_flags_that_make_no_sense(flags: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run_auth_command(flags)
    assert left.value.code == 2
