"""The login in a browser that Trino's clients start: authorization code with PKCE, handed over once.

A client without credentials is told a page to open and an address to ask. The page is the identity provider's, which
sends the browser back here with a code. The code becomes a login, and the client gets a session token for it.

Nothing is kept of a login that has only begun: all that is needed later is derived from its id and a key of this
process, so that requests without credentials cost no memory, however many there are.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlencode

from cachetools import TTLCache

from sqe.auth.credentials import Caller
from sqe.auth.discovery import endpoint_in
from sqe.auth.gate import Gate
from sqe.auth.grants import Client, GrantedAgain, TokenEndpoint, Tokens
from sqe.auth.http import Http
from sqe.auth.issuer import Issuer
from sqe.auth.login import Clock, Login
from sqe.auth.people import ClaimNames, Claims, People
from sqe.auth.provider import Accepted
from sqe.auth.refused import Refused
from sqe.auth.settings import ExternalSettings
from sqe.core.errors import ConfigError, NotFoundError, SqeError, UnauthenticatedError
from sqe.observe.logs import get_logger

_log = get_logger(__name__)
#: How many answers of browsers wait for their clients; the oldest is forgotten first.
_MAX_WAITING = 10_000


@dataclass(frozen=True)
class Begun:
    """A login that has begun: the id that the client asks with, and the page that the browser opens."""

    id: str = field(repr=False)
    redirect_url: str = field(repr=False)


@dataclass(frozen=True)
class Pending:
    """Nobody has logged in yet."""


@dataclass(frozen=True)
class Done:
    """The session token, for the client and nobody else."""

    token: str = field(repr=False)


@dataclass(frozen=True)
class Failed:
    """The login did not succeed."""

    message: str


Poll = Pending | Done | Failed


@dataclass
class _Answer:
    """What a browser has brought back; None once the client has it."""

    outcome: Poll | None = None
    login: Login | None = None


class ExternalLogin:
    """Used by many threads at once."""

    def __init__(self, settings: ExternalSettings, people: People, gate: Gate, clock: Clock = time.time) -> None:
        if not settings.issuer or not settings.redirect_uri:
            raise ConfigError("auth.external.redirect_uri: must be set for logins in a browser")
        self._settings = settings
        self._people = people
        self._gate = gate
        self._clock = clock
        self._http = Http(verify=not settings.accept_invalid_certs)
        self._issuer = Issuer(self._http, settings.issuer, settings.client_id, clock)
        self._client = Client(settings.client_id, settings.client_secret.get_secret_value())
        self._key = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._answers: TTLCache[str, _Answer] = TTLCache(_MAX_WAITING, settings.challenge_timeout_secs, timer=clock)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def begin(self) -> Begun:
        """Start a login. Raises `ExternalError` when the identity provider's page is not to be had."""
        ends = int(self._clock()) + self._settings.challenge_timeout_secs
        login_id = self._sealed("id", f"{ends}-{secrets.token_urlsafe(32)}")
        state = self._sealed("state", f"{ends}-{_name_of(login_id)}")
        return Begun(login_id, self._page(state))

    def _page(self, state: str) -> str:
        page = self._settings.authorization_endpoint or endpoint_in(self._issuer.page(), "authorization_endpoint")
        challenge = hashlib.sha256(self._derived("verifier", state).encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._client.id,
            "redirect_uri": self._settings.redirect_uri,
            "scope": " ".join(self._settings.scopes),
            "state": state,
            "nonce": self._derived("nonce", state),
            "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{page}{'&' if '?' in page else '?'}{urlencode(query)}"

    def callback(self, code: str, state: str, caller: Caller | None = None, *, error: str = "") -> None:
        """Take what the browser brings back: a code, or an error.

        Raises:
            NotFoundError: The state is not one of ours, is too old, or was used already.
            TooManyRequestsError: This address has failed too often of late.
            UnauthenticatedError: The person was refused; the client is told so too.
            ExternalError: The identity provider does not answer as it should; so is the client.
        """
        where = caller or Caller(endpoint="browser")
        # Each code is a question to the identity provider.
        self._gate.attempts.refuse_if_too_many(where)
        name = self._opened("state", state)
        answer = _Answer()
        with self._lock:
            if name is None or name in self._answers:
                raise _unknown()
            # From here on the state is used up.
            self._answers[name] = answer
            answer.outcome = Pending()
        try:
            login = self._gate.admit(self._first("" if error else code, state), where)
            answer.login, answer.outcome = login, Done(self._gate.hand_out(login))
        except Refused as refused:
            self._gate.attempts.failed(where)
            _log.warning("login refused", provider="external", reason=refused.reason, address=where.address)
            answer.outcome = Failed("the login was refused")
            raise UnauthenticatedError("the login was refused", hint="start again") from None
        except SqeError as failure:
            answer.outcome = Failed(failure.message)
            raise

    def poll(self, login_id: str) -> Poll:
        """How far a login is; a token comes once. Raises `NotFoundError` for an id that is none, or over."""
        if self._opened("id", login_id) is None:
            raise _unknown()
        with self._lock:
            answer = self._answers.get(_name_of(login_id))
            outcome = Pending() if answer is None else answer.outcome
            if answer is not None and not isinstance(outcome, Pending):
                answer.outcome, answer.login = None, None
        if outcome is None:
            raise _unknown()
        return outcome

    def abandon(self, login_id: str) -> None:
        """The client has gone: a login that it has not fetched ends, and none can come."""
        if self._opened("id", login_id) is None:
            return
        with self._lock:
            answer = self._answers.setdefault(_name_of(login_id), _Answer())
            login, answer.login, answer.outcome = answer.login, None, None
        if login is not None:
            self._gate.logout(login)

    # From a code to a person.

    def _first(self, code: str, state: str) -> Accepted:
        if not code:
            raise Refused("the identity provider sent no code")
        grant = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._settings.redirect_uri,
            "code_verifier": self._derived("verifier", state),
        }
        tokens = self._endpoint().grant(self._client, grant)
        about = self._issuer.id_claims(tokens.id or "")
        if not hmac.compare_digest(str(about.get("nonce")), self._derived("nonce", state)):
            raise Refused("the ID token is for another login")
        return self._accepted(tokens, about, None)

    def _accepted(self, tokens: Tokens, about: Claims, earlier: str | None) -> Accepted:
        names = ClaimNames(self._settings.user_claim, self._settings.roles_claim, self._settings.groups_claim)
        # The access token knows the roles, the ID token the person; both must speak of the same one.
        claims = {**about, **self._issuer.access_claims(tokens.access, about)}
        identity = self._people.identity_of_claims(
            claims, names, provider="external", token=tokens.access, expires=tokens.expires
        )
        refresh = tokens.refresh or earlier
        again = GrantedAgain(partial(self._refreshed, refresh, about)) if refresh else None
        return Accepted(identity, again)

    def _refreshed(self, refresh: str, about: Claims) -> Accepted:
        grant = {"grant_type": "refresh_token", "refresh_token": refresh}
        return self._accepted(self._endpoint().grant(self._client, grant), about, refresh)

    def _endpoint(self) -> TokenEndpoint:
        url = self._settings.token_endpoint or endpoint_in(self._issuer.page(), "token_endpoint")
        return TokenEndpoint(self._http, url, self._clock)

    # Ids and states that need no memory: what they say, and a seal that only this process makes.

    def _derived(self, purpose: str, text: str) -> str:
        seal = hmac.new(self._key, f"{purpose}:{text}".encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(seal).rstrip(b"=").decode()

    def _sealed(self, purpose: str, text: str) -> str:
        return f"{text}.{self._derived(purpose, text)}"

    def _opened(self, purpose: str, sealed: str) -> str | None:
        """What was sealed, without its end; None when it is not ours, or over."""
        text, _, seal = sealed.rpartition(".")
        if not sealed.isascii() or not hmac.compare_digest(seal, self._derived(purpose, text)):
            return None
        ends, _, said = text.partition("-")
        return said if int(ends) > self._clock() else None


def _name_of(login_id: str) -> str:
    """The id as the browser may see it: it leads to the login, but fetches no token."""
    return hashlib.sha256(login_id.encode(errors="replace")).hexdigest()


def _unknown() -> NotFoundError:
    return NotFoundError("no such login is on its way", hint="start again")
