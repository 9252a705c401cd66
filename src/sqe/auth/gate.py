"""The gate: the one way from credentials to a login, for every endpoint.

A chain of providers verifies; the first that knows the credentials decides. A login lives until it is idle for too
long, too old, logged out, or its token can no longer be renewed. The same credentials lead to the same login, so that a
client which sends them with each request does not make the identity provider work each time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqe.auth.attempts import Attempts
from sqe.auth.credentials import BearerToken, Caller, Certificate, CertificateName, Credentials, NoCredentials, Password
from sqe.auth.login import Clock, Login
from sqe.auth.provider import Accepted, NotMine, Provider, Rejected
from sqe.core.errors import ExternalError, SqeError, UnauthenticatedError
from sqe.observe.logs import get_logger

_log = get_logger(__name__)
#: How often tokens are looked at that end soon, and logins that nobody uses.
_ROUND_SECS = 10.0

LoginListener = Callable[[Login], None]


@dataclass(frozen=True)
class LoginLimits:
    """How long a login lives."""

    idle_secs: float = 900
    absolute_secs: float = 28_800
    #: A token with less time left is renewed.
    refresh_buffer_secs: float = 60


class Gate:
    """Lets people in, remembers them, renews their tokens."""

    def __init__(
        self,
        providers: Sequence[Provider],
        limits: LoginLimits | None = None,
        attempts: Attempts | None = None,
        clock: Clock = time.time,
    ) -> None:
        self._providers = tuple(providers)
        self._limits = limits or LoginLimits()
        self._attempts = attempts or Attempts()
        self._clock = clock
        self._lock = threading.Lock()
        self._logins: dict[str, Login] = {}
        #: Logins by a keyed digest of what they were made from, and of the session tokens handed out for them.
        self._by_digest: dict[bytes, Login] = {}
        self._key = secrets.token_bytes(32)
        self._on_renewed: list[LoginListener] = []
        self._on_ended: list[LoginListener] = []
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._rounds, name="logins", daemon=True)
        self._thread.start()

    def listen(self, *, renewed: LoginListener | None = None, ended: LoginListener | None = None) -> None:
        """Have somebody told when a login gets a fresh token, or ends."""
        if renewed is not None:
            self._on_renewed.append(renewed)
        if ended is not None:
            self._on_ended.append(ended)

    def login(self, credentials: Credentials, caller: Caller, *, fresh: bool = False) -> Login:
        """The login of these credentials; with `fresh` always a new one. Raises `SqeError`, telling nothing of why."""
        digest = self._digest(credentials)
        known = None if fresh else self._known(digest)
        if known is not None:
            return known
        self._attempts.refuse_if_too_many(caller)
        login = Login(self._verified(credentials, caller), self._clock)
        with self._lock:
            earlier = self._by_digest.get(digest)
            if earlier is not None and not fresh:
                # Somebody with the same credentials was faster; one login is enough.
                return earlier
            self._logins[login.id] = login
            self._by_digest[digest] = login
        _log.info("login", user=login.identity.user, provider=login.identity.provider, endpoint=caller.endpoint)
        return login

    def hand_out(self, login: Login) -> str:
        """A session token that leads back to this login: `Authorization: Bearer` takes it. Random, never logged."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._by_digest[self._digest(BearerToken(token))] = login
        return token

    def logout(self, login: Login) -> None:
        """End a login; its session tokens lead nowhere from now on."""
        self._end(login, UnauthenticatedError("you have logged out", hint="log in again"))

    def logins(self) -> list[Login]:
        """All logins that hold."""
        with self._lock:
            return list(self._logins.values())

    def close(self) -> None:
        """Stop renewing and close the providers."""
        self._closed.set()
        self._thread.join()
        for provider in self._providers:
            provider.close()

    def _known(self, digest: bytes) -> Login | None:
        with self._lock:
            login = self._by_digest.get(digest)
        if login is None:
            return None
        try:
            login.refuse_if_over()
        except SqeError as failure:
            self._end(login, failure)
            raise
        login.touch()
        return login

    def _verified(self, credentials: Credentials, caller: Caller) -> Accepted:
        for provider in self._providers:
            try:
                outcome = provider.authenticate(credentials)
            except ExternalError as error:
                _log.warning("provider is away", provider=provider.name, error=error.message)
                raise
            if isinstance(outcome, Accepted):
                return outcome
            if isinstance(outcome, Rejected):
                self._attempts.failed(caller)
                _log.warning("login refused", provider=provider.name, reason=outcome.reason, address=caller.address)
                raise UnauthenticatedError("invalid credentials")
            assert isinstance(outcome, NotMine)  # noqa: S101 - the three outcomes are all there are
        if isinstance(credentials, NoCredentials):
            raise UnauthenticatedError("log in first: no credentials were sent")
        self._attempts.failed(caller)
        _log.warning("login refused", reason="no provider knows such credentials", address=caller.address)
        raise UnauthenticatedError("invalid credentials")

    def _digest(self, credentials: Credentials) -> bytes:
        parts: tuple[bytes, ...]
        if isinstance(credentials, Password):
            parts = (
                b"password",
                credentials.user.encode(errors="replace"),
                credentials.password.encode(errors="replace"),
            )
        elif isinstance(credentials, BearerToken):
            parts = b"bearer", credentials.token.encode(errors="replace")
        elif isinstance(credentials, Certificate):
            parts = b"certificate", credentials.encoded
        elif isinstance(credentials, CertificateName):
            parts = b"certificate name", credentials.name.encode(errors="replace")
        else:
            parts = (b"nothing",)
        framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        return hmac.new(self._key, framed, hashlib.sha256).digest()

    def _end(self, login: Login, failure: SqeError) -> None:
        login.end(failure)
        with self._lock:
            gone = self._logins.pop(login.id, None)
            for digest in [digest for digest, held in self._by_digest.items() if held is login]:
                del self._by_digest[digest]
        if gone is not None:
            self._tell(self._on_ended, login)

    def _rounds(self) -> None:
        while not self._closed.wait(_ROUND_SECS):
            self.look_after()

    def look_after(self) -> None:
        """Renew tokens that end soon; end logins that are idle, too old, or cannot be renewed."""
        for login in self.logins():
            now = self._clock()
            if now - login.created > self._limits.absolute_secs:
                self._end(login, UnauthenticatedError("your login is too old", hint="log in again"))
            elif now - login.last_used > self._limits.idle_secs:
                self._end(login, UnauthenticatedError("your login was idle for too long", hint="log in again"))
            else:
                self._renew_if_due(login, now)

    def _renew_if_due(self, login: Login, now: float) -> None:
        ends = login.identity.expires
        if ends is None or ends - now > self._limits.refresh_buffer_secs:
            return
        if login.renewal is None:
            if ends <= now:
                self._end(login, UnauthenticatedError("your login has expired", hint="log in again"))
            return
        try:
            login.renewed(login.renewal.renew())
            login.refuse_if_over()
        except SqeError as error:
            _log.warning("login not renewed", user=login.identity.user, error=error.message)
            # Somebody who is away may be back before the token ends.
            if not isinstance(error, ExternalError) or ends <= now:
                self._end(login, UnauthenticatedError("your login could not be renewed", hint="log in again"))
            return
        self._tell(self._on_renewed, login)

    def _tell(self, listeners: list[LoginListener], login: Login) -> None:
        for listener in listeners:
            try:
                listener(login)
            except SqeError as error:
                _log.warning("a login's change was not taken up", user=login.identity.user, error=error.message)
