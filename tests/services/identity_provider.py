"""A little OpenID provider and STS in the test process: it signs with fresh keys, and fails when told to."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

AUDIENCE = "sqe"
_DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"


@cache
def _key(kid: str) -> RSAKey:
    """Fresh for each test run; making one takes a while."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


Form = Mapping[str, str]
Answer = tuple[int, dict[str, Any]]


@dataclass
class IdentityProvider:
    """What it knows, and how it feels."""

    users: dict[str, str] = field(default_factory=lambda: {"alice": "alice-password-3f9", "bob": "bob-password-7c1"})
    #: A client without a secret is public.
    clients: dict[str, str] = field(default_factory=lambda: {"sqe": "sqe-secret-a81", "robot": "robot-secret-5d2"})
    token_secs: float = 300
    #: What is in all tokens besides the usual.
    more_claims: dict[str, Any] = field(default_factory=dict)
    #: `fine`, or a way to fail: `error`, `garbage`, `page`, `huge`, `redirect`, `slow`, `list`.
    mood: str = "fine"
    calls: Counter[str] = field(default_factory=Counter)
    #: Codes of the device login: None until somebody has said yes or no.
    device_answer: str | None = None
    slow_downs: int = 0
    clock: Callable[[], float] = time.time
    port: int = 0
    #: Arn that the STS half tells; empty: it refuses.
    arn: str = ""
    last_sts_headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keys = [_key("first")]
        self.refresh_tokens: dict[str, str] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.released = threading.Event()
        self.issued = 0

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> RSAKey:
        return self.keys[-1]

    def url(self, path: str) -> str:
        return f"{self.issuer}/{path}"

    def rotate(self, kid: str = "second") -> None:
        """A new key signs; the old ones are gone."""
        self.keys = [_key(kid)]

    def claims(self, user: str, **changes: Any) -> dict[str, Any]:
        """What a token says; a change to None leaves a claim out."""
        now = self.clock()
        self.issued += 1
        usual = {
            "iss": self.issuer,
            "sub": user,
            "aud": AUDIENCE,
            "exp": int(now + self.token_secs),
            "iat": int(now),
            "jti": str(self.issued),
            "realm_access": {"roles": ["reader"]},
            "groups": ["/analysts"],
        }
        return {name: value for name, value in (usual | self.more_claims | changes).items() if value is not None}

    def token(self, user: str = "alice", header: Mapping[str, Any] | None = None, **changes: Any) -> str:
        """A good token, but for what is changed."""
        return jwt.encode(
            {"alg": "RS256", "kid": self.key.kid, **(header or {})}, self.claims(user, **changes), self.key
        )

    def code_for(self, redirect_url: str, user: str = "alice") -> tuple[str, str]:
        """What the browser brings back after somebody has logged in at the page: code and state."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(redirect_url).query).items()}
        code = f"code-{len(self.codes)}"
        self.codes[code] = query | {"user": user}
        return code, query["state"]

    # The endpoints.

    def answer(self, path: str, form: Form, basic: tuple[str, str] | None) -> Answer:
        if path == "/.well-known/openid-configuration":
            return 200, self._page()
        if path == "/jwks":
            return 200, dict(KeySet(list(self.keys)).as_dict(private=False))
        if path == "/device":
            return 200, {
                "device_code": "device-code-secret-91", "user_code": "ABCD-EFGH",
                "verification_uri": self.url("activate"),
                "verification_uri_complete": self.url("activate?user_code=ABCD-EFGH"), "expires_in": 600, "interval": 5,
            }  # fmt: skip
        if path == "/token":
            return self._grant(form, basic)
        return 404, {"error": "not_found"}

    def _page(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": self.url("authorize"),
            "token_endpoint": self.url("token"),
            "device_authorization_endpoint": self.url("device"),
            "jwks_uri": self.url("jwks"),
        }

    def _grant(self, form: Form, basic: tuple[str, str] | None) -> Answer:
        client, secret = basic or (form.get("client_id", ""), "")
        if client not in self.clients or self.clients[client] != secret:
            return 401, {"error": "invalid_client", "error_description": f"no client {client} or wrong {secret}"}
        grants: dict[str, Callable[[Form], Answer]] = {
            "password": self._by_password,
            "refresh_token": self._by_refresh,
            "client_credentials": lambda _: self._tokens(f"service-{client}", refresh=False),
            "authorization_code": self._by_code,
            _EXCHANGE: self._by_exchange,
            _DEVICE: self._by_device,
        }
        grant = grants.get(form.get("grant_type", ""))
        return grant(form) if grant else (400, {"error": "unsupported_grant_type"})

    def _tokens(self, user: str, *, refresh: bool = True, **more: Any) -> Answer:
        answer: dict[str, Any] = {
            "access_token": self.token(user),
            "expires_in": self.token_secs,
            "token_type": "Bearer",
        }
        if refresh:
            answer["refresh_token"] = f"refresh-secret-{self.issued}-of-{user}"
            self.refresh_tokens[answer["refresh_token"]] = user
        return 200, answer | more

    def _by_password(self, form: Form) -> Answer:
        user, password = form.get("username", ""), form.get("password", "")
        if self.users.get(user) != password:
            return 400, {"error": "invalid_grant", "error_description": f"{user} is known, but {password} is wrong"}
        return self._tokens(user)

    def _by_refresh(self, form: Form) -> Answer:
        user = self.refresh_tokens.pop(form.get("refresh_token", ""), None)
        return self._tokens(user) if user else (400, {"error": "invalid_grant"})

    def _by_exchange(self, form: Form) -> Answer:
        try:
            claims = jwt.decode(form["subject_token"], KeySet(list(self.keys)), algorithms=["RS256"]).claims
        except (JoseError, ValueError):
            return 400, {"error": "invalid_request"}
        if claims["iss"] != self.issuer or claims["exp"] < self.clock() or claims.get("nbf", 0) > self.clock():
            return 400, {"error": "invalid_request"}
        return self._tokens(claims.get("sub") or "", refresh=False)

    def _by_code(self, form: Form) -> Answer:
        asked = self.codes.pop(form.get("code", ""), None)
        proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proven = base64.urlsafe_b64encode(proof).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != proven or asked["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        id_token = self.token(asked["user"], aud=asked["client_id"], nonce=asked["nonce"], typ="ID")
        return self._tokens(asked["user"], id_token=id_token)

    def _by_device(self, form: Form) -> Answer:
        if form.get("device_code") != "device-code-secret-91":
            return 400, {"error": "invalid_grant"}
        if self.slow_downs:
            self.slow_downs -= 1
            return 400, {"error": "slow_down"}
        if self.device_answer is None:
            return 400, {"error": "authorization_pending"}
        return self._tokens("alice") if self.device_answer == "yes" else (400, {"error": self.device_answer})

    def sts(self, body: str, headers: Mapping[str, str]) -> tuple[int, str]:
        """What AWS would say of a signed request."""
        self.last_sts_headers = {name.lower(): text for name, text in headers.items()}
        if not self.arn or "Signature=" + "a" * 64 not in self.last_sts_headers.get("authorization", ""):
            return 403, "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>"
        return 200, f"<GetCallerIdentityResponse><Arn>{self.arn}</Arn>{'' if body else ' '}</GetCallerIdentityResponse>"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: IdentityProvider

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        pass

    def do_GET(self) -> None:
        self._serve("")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

    def _serve(self, body: str) -> None:
        path = urlsplit(self.path).path
        provider = self.provider
        provider.calls[path] += 1
        if provider.mood == "slow":
            provider.released.wait(30)
        elif provider.mood != "fine":
            self._fail(provider.mood)
            return
        if path == "/":
            status, text = provider.sts(body, dict(self.headers))
            self._send(status, text.encode())
            return
        form = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
        status, answer = provider.answer(path, form, self._basic())
        self._send(status, json.dumps(answer).encode())

    def _basic(self) -> tuple[str, str] | None:
        kind, _, text = self.headers.get("Authorization", "").partition(" ")
        if kind != "Basic":
            return None
        name, _, secret = base64.b64decode(text).decode().partition(":")
        return unquote(name), unquote(secret)

    def _fail(self, mood: str) -> None:
        if mood == "redirect":
            self.send_response(302)
            self.send_header("Location", self.provider.url("token"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        status, body = {
            "error": (500, b'{"error": "server_error"}'),
            "garbage": (200, b"\x00\xff{{{"),
            "page": (200, b"<html>Please log in</html>"),
            "list": (200, b"[1, 2, 3]"),
            "empty": (200, b"{}"),
            "huge": (200, b'{"access_token": "' + b"a" * 1_000_000 + b'"}'),
        }[mood]
        self._send(status, body)

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients hang up in the middle of long answers; that is what the tests are about."""


@contextmanager
def identity_provider() -> Iterator[IdentityProvider]:
    """A provider on loopback until the end of the block."""
    provider = IdentityProvider()
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = _Server(("127.0.0.1", 0), handler)
    provider.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def unsigned(claims: Mapping[str, Any], header: Mapping[str, Any], signature: bytes = b"") -> str:
    """A token with any header, and whatever for a signature."""
    return ".".join(_part(part) for part in (json.dumps(header).encode(), json.dumps(claims).encode(), signature))


def signed_with_public_key(provider: IdentityProvider, claims: Mapping[str, Any]) -> str:
    """The old trick: HS256 with the public key as the secret."""
    header = {"alg": "HS256", "kid": provider.key.kid}
    body = unsigned(claims, header).rpartition(".")[0]
    seal = hmac.new(provider.key.as_pem(private=False), body.encode(), hashlib.sha256).digest()
    return f"{body}.{_part(seal)}"


def _part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
