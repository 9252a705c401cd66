"""Logins that are kept: who can read them, whom they are sent to, how they are renewed."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from sqe.cli.kept_logins import KeptLogin, KeptLogins
from sqe.core.errors import UnauthenticatedError, UserError
from sqe.core.folders import Folders

LOGIN = KeptLogin(
    servers=("http://localhost:8080", "http://localhost:50051"),
    issuer="https://idp.example.com",
    client_id="shell",
    scopes=("openid",),
    access_token="access-secret-1",
    refresh_token="refresh-secret-1",
    expires=1000.0,
    user="alice",
)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def logins(tmp_path: Path, clock: Clock) -> KeptLogins:
    return KeptLogins(Folders.of_user({"HOME": str(tmp_path)}), clock)


def no_renewal(login: KeptLogin) -> KeptLogin:
    raise AssertionError(login.servers)


def test_none(logins: KeptLogins) -> None:
    assert logins.all() == ()
    assert logins.token("http://localhost:8080", no_renewal) is None
    assert logins.forget(["http://localhost:8080"]) == []
    assert not logins.path.exists()


def test_kept_for_its_servers_only(logins: KeptLogins) -> None:
    logins.keep(LOGIN)
    for server in LOGIN.servers:
        assert logins.token(server, no_renewal) == "access-secret-1"
    for other in ("https://localhost:8080", "http://localhost:8081", "http://127.0.0.1:8080", ""):
        assert logins.token(other, no_renewal) is None


def test_only_the_owner_can_read_it(logins: KeptLogins) -> None:
    logins.keep(LOGIN)
    assert stat.S_IMODE(logins.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(logins.path.parent.stat().st_mode) == 0o700
    logins.path.chmod(0o644)
    with pytest.raises(UserError, match="open to others"):
        logins.token(LOGIN.servers[0], no_renewal)


def test_a_link_is_not_followed(logins: KeptLogins, tmp_path: Path) -> None:
    logins.keep(LOGIN)
    elsewhere = logins.path.rename(tmp_path / "elsewhere.json")
    logins.path.symlink_to(elsewhere)
    with pytest.raises(UserError, match="cannot be read"):
        logins.all()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"logins": 5}', '{"logins": [{}]}', '{"logins": [{"access_token": "x-secret"}]}']
)
def test_a_file_that_makes_no_sense(logins: KeptLogins, text: str) -> None:
    logins.keep(LOGIN)
    logins.path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="not readable") as raised:
        logins.all()
    assert "x-secret" not in str(raised.value)


def test_a_new_login_replaces_the_old_one(logins: KeptLogins) -> None:
    logins.keep(LOGIN)
    logins.keep(replace(LOGIN, servers=("http://other:1",), user="bob"))
    logins.keep(replace(LOGIN, access_token="access-secret-2", servers=("http://localhost:50051",)))
    assert [login.user for login in logins.all()] == ["alice", "bob"]
    assert logins.token("http://localhost:50051", no_renewal) == "access-secret-2"


def test_logout(logins: KeptLogins) -> None:
    logins.keep(LOGIN)
    assert logins.forget(["http://localhost:50051"]) == [LOGIN]
    assert logins.all() == ()
    assert "secret" not in logins.path.read_text(encoding="utf-8")


def test_renewed_when_it_ends_soon(logins: KeptLogins, clock: Clock) -> None:
    logins.keep(LOGIN)
    clock.now = 980.0
    asked: list[KeptLogin] = []

    def renew(login: KeptLogin) -> KeptLogin:
        asked.append(login)
        return replace(login, access_token="access-secret-2", refresh_token="", expires=2000.0)

    assert logins.token(LOGIN.servers[0], renew) == "access-secret-2"
    assert logins.token(LOGIN.servers[1], renew) == "access-secret-2"
    assert asked == [LOGIN]
    assert logins.all()[0].refresh_token == "refresh-secret-1", (
        "a provider that sends no new one leaves the old one good"
    )


def test_a_login_that_is_over(logins: KeptLogins, clock: Clock) -> None:
    logins.keep(replace(LOGIN, refresh_token=""))
    clock.now = 2000.0
    with pytest.raises(UnauthenticatedError, match="over"):
        logins.token(LOGIN.servers[0], no_renewal)


def test_nothing_is_shown(logins: KeptLogins) -> None:
    assert "secret" not in repr(LOGIN)
    logins.keep(LOGIN)
    assert json.loads(logins.path.read_text(encoding="utf-8"))["logins"][0]["access_token"] == "access-secret-1"
    assert [path.name for path in logins.path.parent.iterdir() if path.name.startswith(".tokens")] == []
