"""Logins at a real Keycloak: passwords, tokens, refresh, services, exchange, a code, a browser."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
import pytest
from tests.services.keycloak import Keycloak
from tests.services.keycloak_realm import AUDIENCE, REALM, password_of, secret_of

from sqe.auth.build import build_gate, people_of
from sqe.auth.credentials import BearerToken, Caller, Password
from sqe.auth.device import DeviceFlow
from sqe.auth.external import Done, ExternalLogin
from sqe.auth.gate import Gate
from sqe.auth.login import Login
from sqe.auth.settings import AuthSettings, SessionSettings
from sqe.core.errors import UnauthenticatedError
from sqe.observe.rate_limit import RateLimitSettings

# The first test waits for Keycloak, which is built when it runs for the first time.
pytestmark = pytest.mark.timeout(1200)

CALLER = Caller("127.0.0.1", "test")
BACK = "http://127.0.0.1:8080/oauth2/callback"


@dataclass
class Gates:
    """Gates at Keycloak; all are closed in the end."""

    keycloak: Keycloak
    _made: list[Gate] = field(default_factory=list)

    def make(self, *providers: dict[str, Any], **more: Any) -> Gate:
        auth = AuthSettings.model_validate(
            {
                "providers": list(providers),
                "admin_roles": ["boss"],
                "role_mappings": {"analysts": ["querier"]},
                **more,
            }
        )
        gate = build_gate(auth, SessionSettings(), RateLimitSettings(auth_attempts_per_minute=0))
        self._made.append(gate)
        return gate

    def by_password(self, client: str = "sqe-client") -> Gate:
        return self.make(
            {
                "type": "oidc_password",
                "token_url": self.keycloak.url("token"),
                "client_id": client,
                "client_secret": secret_of(client),
                "user_claim": "preferred_username",
            }
        )

    def by_token(self, **more: object) -> Gate:
        return self.make(
            {
                "type": "bearer_token",
                "jwks_url": self.keycloak.url("certs"),
                "issuer": self.keycloak.issuer,
                "audience": AUDIENCE,
                "user_claim": "preferred_username",
                **more,
            }
        )

    def close(self) -> None:
        for gate in self._made:
            gate.close()


@pytest.fixture
def gates(keycloak: Keycloak) -> Iterator[Gates]:
    made = Gates(keycloak)
    yield made
    made.close()


def enter(gate: Gate, user: str = "alice") -> Login:
    return gate.login(Password(user, password_of(user)), CALLER)


def token_of(gates: Gates, user: str = "alice") -> str:
    token = enter(gates.by_password(), user).identity.token
    assert token is not None
    return token


def test_passwords(gates: Gates) -> None:
    gate = gates.by_password()
    alice = enter(gate).identity
    assert alice.user == "alice"
    assert alice.roles == {"reader", "querier"}
    assert alice.groups == {"/analysts"}
    assert alice.display_name == "Alice Example"
    assert not alice.admin
    assert alice.expires is not None
    assert enter(gate, "bob").identity.roles == {"writer"}
    assert enter(gate, "carol").identity.admin


@pytest.mark.parametrize(("user", "password"), [("alice", "wrong"), ("nobody", "wrong"), ("alice", password_of("bob"))])
def test_wrong_passwords(gates: Gates, user: str, password: str) -> None:
    with pytest.raises(UnauthenticatedError, match=r"^invalid credentials$"):
        gates.by_password().login(Password(user, password), CALLER)


def test_whoever_types_it_differently_is_the_same_person(gates: Gates) -> None:
    gate = gates.by_password()
    for typed in ("ALICE", "alice@example.com"):
        assert gate.login(Password(typed, password_of("alice")), CALLER).identity.user == "alice"


def test_keycloak_by_its_address_alone(gates: Gates, keycloak: Keycloak) -> None:
    gate = gates.make(keycloak_url=keycloak.address, realm=REALM, client_secret=secret_of("sqe-client"))
    login = enter(gate)
    assert login.identity.provider == "oidc_password"
    assert login.identity.token is not None
    by_token = gate.login(BearerToken(login.identity.token), CALLER)
    assert by_token.identity.provider == "bearer_token"
    assert by_token.identity.user == login.identity.user
    assert by_token.identity.roles == login.identity.roles


def test_tokens(gates: Gates) -> None:
    token = token_of(gates, "carol")
    gate = gates.by_token()
    for credentials in (BearerToken(token), Password("whoever", token)):
        carol = gate.login(credentials, CALLER).identity
        assert carol.user == "carol"
        assert carol.admin
        assert carol.token == token


@pytest.mark.parametrize(
    "more", [{"audience": "another"}, {"issuer": "https://another.example.com"}, {"algorithms": ["ES256"]}]
)
def test_tokens_for_others(gates: Gates, more: dict[str, object]) -> None:
    with pytest.raises(UnauthenticatedError):
        gates.by_token(**more).login(BearerToken(token_of(gates)), CALLER)


def test_tokens_that_are_not_for_access(gates: Gates, keycloak: Keycloak) -> None:
    form = {"grant_type": "password", "username": "alice", "password": password_of("alice"), "scope": "openid"}
    client = ("sqe-client", secret_of("sqe-client"))
    answer = httpx2.post(keycloak.url("token"), data=form, auth=client, timeout=60).raise_for_status().json()
    gate = gates.by_token(audience="")
    gate.login(BearerToken(answer["access_token"]), CALLER)
    for name in ("id_token", "refresh_token"):
        with pytest.raises(UnauthenticatedError):
            gate.login(BearerToken(answer[name]), CALLER)


def test_a_login_outlives_its_tokens(gates: Gates) -> None:
    gate = gates.by_password("sqe-short")
    login = enter(gate)
    session = gate.hand_out(login)
    seen = [login.identity.token]
    for _ in range(2):
        gate.look_after(wait_for_renewals=True)
        seen.append(login.identity.token)
    # Nobody has looked after it in time: it is renewed by the one who needs it.
    while not login.has_expired:
        time.sleep(0.1)
    assert gate.login(BearerToken(session), CALLER) is login
    seen.append(login.identity.token)
    assert len(set(seen)) == 4
    assert login.identity.user == "alice"
    assert login.identity.roles == {"reader", "querier"}


def test_a_login_that_keycloak_ends_is_over(gates: Gates, keycloak: Keycloak) -> None:
    gate = gates.by_password("sqe-short")
    session = gate.hand_out(enter(gate))
    keycloak.end_sessions()
    gate.look_after(wait_for_renewals=True)
    with pytest.raises(UnauthenticatedError, match="could not be renewed"):
        gate.login(BearerToken(session), CALLER)
    assert enter(gate).identity.user == "alice"


def test_services(gates: Gates, keycloak: Keycloak) -> None:
    own = {"client_id": "sqe-service", "client_secret": secret_of("sqe-service")}
    for kind in ("client_credentials", "oidc_m2m"):
        gate = gates.make({"type": kind, "token_endpoint": keycloak.url("token"), **own})
        login = gate.login(Password("anybody", "anything"), CALLER)
        assert login.identity.user == "sqe-service"
        assert login.identity.display_name == "anybody"
        assert login.renewal is not None
        assert login.renewal.renew().identity.user == "sqe-service"


def test_services_that_log_in_as_themselves(gates: Gates, keycloak: Keycloak) -> None:
    gate = gates.make({"type": "client_credentials_passthrough", "token_endpoint": keycloak.url("token")})
    login = gate.login(Password("sqe-service", secret_of("sqe-service")), CALLER)
    assert login.identity.user == "sqe-service"
    assert "offline_access" in login.identity.roles
    for name, secret in (("sqe-service", "wrong"), ("nobody", "wrong"), ("sqe-client", secret_of("sqe-client"))):
        with pytest.raises(UnauthenticatedError, match=r"^invalid credentials$"):
            gate.login(Password(name, secret), CALLER)


def test_exchange(gates: Gates, keycloak: Keycloak) -> None:
    gate = gates.make(
        {
            "type": "token_exchange",
            "token_url": keycloak.url("token"),
            "client_id": "sqe-exchange",
            "client_secret": secret_of("sqe-exchange"),
            "issuer": keycloak.issuer,
            "user_claim": "preferred_username",
        }
    )
    token = token_of(gates)
    login = gate.login(BearerToken(token), CALLER)
    assert login.identity.user == "alice"
    assert login.identity.roles == {"reader", "querier"}
    assert login.identity.token not in {None, token}
    with pytest.raises(UnauthenticatedError):
        gate.login(BearerToken(token[:-8] + "AAAAAAAA"), CALLER)


# What a person does in a browser.


class Browser:
    """Opens pages and fills in forms; stops at an address that is not Keycloak's.

    Like other browsers it trusts loopback: cookies that are for TLS only are kept and sent back there.
    """

    def __init__(self, keycloak: Keycloak) -> None:
        self._keycloak = keycloak
        self._http = httpx2.Client(timeout=60)
        self._cookies: dict[str, str] = {}

    def visit(self, url: str, fill: dict[str, str], answer: str = "accept") -> str:
        """From a page, through forms, to the address or the page at the end."""
        page = self._send("GET", url)
        for _ in range(20):
            if page.is_redirect:
                target = urljoin(str(page.url), page.headers["Location"])
                if not target.startswith(self._keycloak.address):
                    return target
                page = self._send("GET", target)
                continue
            form = re.search(r'<form[^>]*\saction="([^"]*)"[^>]*>(.*?)</form>', page.text, flags=re.DOTALL)
            if form is None:
                return page.text
            fields = {name: fill[name] for name in re.findall(r'name="([^"]+)"', form[2]) if name in fill}
            hidden = {"code": code[1]} if (code := re.search(r'name="code" value="([^"]+)"', form[2])) else {}
            pressed = {answer: "yes"} if f'name="{answer}"' in form[2] else {}
            page = self._send("POST", urljoin(str(page.url), html.unescape(form[1])), fields | hidden | pressed)
        raise AssertionError("the forms have no end")

    def _send(self, method: str, url: str, form: dict[str, str] | None = None) -> httpx2.Response:
        self._http.cookies.clear()
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        page = self._http.request(method, url, data=form, headers={"Cookie": cookies} if cookies else {})
        for line in page.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            self._cookies[name] = value
        assert page.status_code < 400, page.text
        return page

    def close(self) -> None:
        self._http.close()


@pytest.fixture
def browser(keycloak: Keycloak) -> Iterator[Browser]:
    made = Browser(keycloak)
    yield made
    made.close()


def external_settings(keycloak: Keycloak) -> AuthSettings:
    return AuthSettings.model_validate(
        {
            "role_mappings": {"analysts": ["querier"]},
            "external": {
                "issuer": keycloak.issuer,
                "client_id": "sqe-browser",
                "client_secret": secret_of("sqe-browser"),
                "redirect_uri": BACK,
                "user_claim": "preferred_username",
                "device": {"client_id": "sqe-device"},
            },
        }
    )


@pytest.mark.parametrize("answer", ["accept", "cancel"])
def test_a_code_on_another_device(gates: Gates, keycloak: Keycloak, browser: Browser, answer: str) -> None:
    flow = DeviceFlow(external_settings(keycloak).external)
    code = flow.start()

    def confirm(_: float) -> None:
        """What the person does during the first pause."""
        fill = {"username": "bob", "password": password_of("bob")}
        browser.visit(code.verification_uri_complete, fill, answer)

    pauses = iter([confirm])

    def wait(secs: float) -> None:
        next(pauses, time.sleep)(secs)

    if answer == "cancel":
        with pytest.raises(UnauthenticatedError, match="refused"):
            flow.wait(code, wait)
    else:
        tokens = flow.wait(code, wait)
        assert gates.by_token().login(BearerToken(tokens.access), CALLER).identity.user == "bob"
        assert tokens.refresh is not None
        assert flow.refresh(tokens.refresh).claims["preferred_username"] == "bob"
    flow.close()


def test_a_login_in_a_browser(gates: Gates, keycloak: Keycloak, browser: Browser) -> None:
    auth = external_settings(keycloak)
    gate = gates.by_token()
    external = ExternalLogin(auth.external, people_of(auth), gate)
    begun = external.begin()
    back = browser.visit(begun.redirect_url, {"username": "alice", "password": password_of("alice")})
    assert back.startswith(BACK)
    query = parse_qs(urlsplit(back).query)
    external.callback(query["code"][0], query["state"][0])
    outcome = external.poll(begun.id)
    assert isinstance(outcome, Done)
    login = gate.login(BearerToken(outcome.token), CALLER)
    assert login.identity.user == "alice"
    assert login.identity.roles == {"reader", "querier"}
    assert login.renewal is not None
    assert login.renewal.renew().identity.user == "alice"
    external.close()
