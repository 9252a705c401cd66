"""The gate: the one way from credentials to a login, for every endpoint.

A chain of providers verifies; the first that knows the credentials decides. A login lives until it is idle for too
long, too old, logged out, or its token can no longer be renewed. The same credentials lead to the same login, so that a
client which sends them with each request does not make the identity provider work each time.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace

from sqe.auth.attempts import Attempts
from sqe.auth.book import LoginBook
from sqe.auth.credentials import BearerToken, Caller, Credentials, NoCredentials, Password
from sqe.auth.digests import MAX_BYTES, Digests, parts_of
from sqe.auth.login import Clock, Login
from sqe.auth.people import is_usable_name
from sqe.auth.provider import Accepted, Outcome, Provider, Rejected
from sqe.auth.renewals import Renewals
from sqe.core.errors import ExternalError, InternalError, SqeError, UnauthenticatedError
from sqe.core.identity import Identity
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
        book: LoginBook | None = None,
    ) -> None:
        self._providers = tuple(providers)
        self._limits = limits or LoginLimits()
        #: Counts failures; a login elsewhere counts its own here too.
        self.attempts = attempts or Attempts()
        self._clock = clock
        self._book = book or LoginBook()
        self._digests = Digests()
        self._renewals = Renewals(self._renew)
        self._lock = threading.Lock()
        #: Verifications under way: whoever comes with the same credentials waits for the first one's answer.
        self._verifying: dict[bytes, Future[Login]] = {}
        self._on_renewed: list[LoginListener] = []
        self._on_ended: list[LoginListener] = []
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._rounds, name="logins", daemon=True)
        self._thread.start()

    def listen(self, *, renewed: LoginListener | None = None, ended: LoginListener | None = None) -> None:
        """Have somebody told when a login gets a fresh token, or ends. They are called by threads of the gate's."""
        if renewed is not None:
            self._on_renewed.append(renewed)
        if ended is not None:
            self._on_ended.append(ended)

    def login(self, credentials: Credentials, caller: Caller, *, fresh: bool = False) -> Login:
        """The login of these credentials; with `fresh` always a new one. Raises `SqeError`, telling nothing of why."""
        if not _is_possible(credentials):
            raise self._refusal(caller, "", "credentials that nobody can have")
        digest = self._digests.of(credentials)
        if fresh:
            return self._verify(credentials, caller, digest)
        return self._known(digest) or self._joined(credentials, caller, digest)

    def admit(self, accepted: Accepted, caller: Caller) -> Login:
        """A new login of somebody who was verified elsewhere: in a browser."""
        return self._let_in(accepted, caller, None)

    def hand_out(self, login: Login) -> str:
        """A session token that leads back to this login: `Authorization: Bearer` takes it. Random, never logged."""
        token = secrets.token_urlsafe(32)
        if not self._book.hang(login, self._digests.of(BearerToken(token))):
            login.refuse_if_over()
            raise UnauthenticatedError("your login is over", hint="log in again")
        return token

    def logout(self, login: Login) -> None:
        """End a login; its session tokens lead nowhere from now on."""
        self._end(login, UnauthenticatedError("you have logged out", hint="log in again"))

    def logins(self) -> list[Login]:
        """All logins that hold."""
        return self._book.logins()

    def close(self) -> None:
        """Stop renewing and close the providers."""
        self._closed.set()
        self._thread.join()
        self._renewals.close()
        for provider in self._providers:
            provider.close()

    # Credentials that lead to a login already.

    def _known(self, digest: bytes) -> Login | None:
        found = self._book.find(digest)
        if found is None:
            ended = self._book.reason(digest)
            if ended is not None:
                raise _copy(ended)
            return None
        login, is_session_token = found
        failure = self._why_over(login)
        if failure is None:
            login.touch()
            return login
        self._end(login, failure)
        if is_session_token:
            raise _copy(failure)
        # Passwords and tokens of others are simply verified once more.
        return None

    def _is_in_use(self, login: Login) -> bool:
        now = self._clock()
        return now - login.created <= self._limits.absolute_secs and now - login.last_used <= self._limits.idle_secs

    def _is_due(self, login: Login) -> bool:
        ends = login.identity.expires
        return (
            ends is not None and login.renewal is not None and ends - self._clock() <= self._limits.refresh_buffer_secs
        )

    def _why_over(self, login: Login) -> SqeError | None:
        now = self._clock()
        if now - login.created > self._limits.absolute_secs:
            return UnauthenticatedError("your login is too old", hint="log in again")
        if now - login.last_used > self._limits.idle_secs:
            return UnauthenticatedError("your login was idle for too long", hint="log in again")
        if login.has_expired and login.renewal is not None:
            # The machine slept, or the token lives shorter than a round: there is still somebody to ask.
            self._renewals.start(login).result()
        try:
            login.refuse_if_over()
        except SqeError as failure:
            return failure
        return None

    # Credentials that must be verified.

    def _joined(self, credentials: Credentials, caller: Caller, digest: bytes) -> Login:
        with self._lock:
            underway = self._verifying.get(digest)
            mine: Future[Login] = Future()
            if underway is None:
                self._verifying[digest] = mine
        if underway is not None:
            self.attempts.refuse_if_too_many(caller)
            return self._of_another(underway, caller)
        try:
            # Whoever was first may have finished just before.
            login = self._known(digest) or self._verify(credentials, caller, digest)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(login)
            return login
        finally:
            with self._lock:
                del self._verifying[digest]

    def _of_another(self, underway: Future[Login], caller: Caller) -> Login:
        try:
            return underway.result()
        except UnauthenticatedError as error:
            self.attempts.failed(caller)
            raise _copy(error) from None
        except SqeError as error:
            raise _copy(error) from None

    def _verify(self, credentials: Credentials, caller: Caller, digest: bytes) -> Login:
        self.attempts.refuse_if_too_many(caller)
        return self._let_in(self._accepted(credentials, caller), caller, digest)

    def _let_in(self, accepted: Accepted, caller: Caller, digest: bytes | None) -> Login:
        login = Login(accepted, self._clock)
        login.refuse_if_over()
        for one_too_many in self._book.add(login, digest):
            self._end(one_too_many, UnauthenticatedError("too many logins are open", hint="log in again"))
        identity = login.identity
        _log.info("login", user=identity.user, provider=identity.provider, endpoint=caller.endpoint)
        return login

    def _accepted(self, credentials: Credentials, caller: Caller) -> Accepted:
        for provider in self._providers:
            outcome = _asked(provider, credentials)
            if isinstance(outcome, Accepted):
                return outcome
            if isinstance(outcome, Rejected):
                raise self._refusal(caller, provider.name, outcome.reason)
        if isinstance(credentials, NoCredentials):
            raise UnauthenticatedError(
                "log in first: no credentials were sent", hint="a user and a password, or a token"
            )
        raise self._refusal(caller, "", "no provider knows such credentials")

    def _refusal(self, caller: Caller, provider: str, reason: str) -> UnauthenticatedError:
        self.attempts.failed(caller)
        _log.warning(
            "login refused", provider=provider, reason=reason, address=caller.address, endpoint=caller.endpoint
        )
        return UnauthenticatedError(
            "invalid credentials", hint="the login was refused: look at the user, the password or the token"
        )

    # What happens to logins over time.

    def _end(self, login: Login, failure: SqeError) -> None:
        login.end(failure)
        if self._book.remove(login, failure):
            _log.info("login ended", user=login.identity.user, reason=failure.message)
            self._tell(self._on_ended, login)

    def _rounds(self) -> None:
        while not self._closed.wait(_ROUND_SECS):
            try:
                self.look_after()
            except Exception:  # noqa: BLE001 - the next round must come
                _log.exception("a round of renewals failed")

    def look_after(self, *, wait_for_renewals: bool = False) -> None:
        """Renew tokens that end soon; end logins that are idle, too old, or cannot be renewed."""
        started = []
        for login in self.logins():
            if self._is_in_use(login) and self._is_due(login):
                started.append(self._renewals.start(login))
                continue
            failure = self._why_over(login)
            if failure is not None:
                self._end(login, failure)
        if wait_for_renewals:
            wait(started)

    def _renew(self, login: Login) -> None:
        """One renewal; raises nothing."""
        before, renewal = login.identity, login.renewal
        if renewal is None:
            return
        try:
            login.renewed(renewal.renew())
            login.refuse_if_over()
        except ExternalError as error:
            _log.warning("login not renewed", user=before.user, error=error.message)
            # Somebody who is away may be back before the token ends.
            if login.has_expired:
                self._end_unrenewed(login)
        except SqeError as error:
            _log.warning("login not renewed", user=before.user, error=error.message)
            self._end_unrenewed(login)
        except Exception as error:  # noqa: BLE001 - a provider of somebody else's may raise anything
            _log.warning("login not renewed", user=before.user, error=type(error).__name__)
            self._end_unrenewed(login)
        else:
            if not _is_same(before, login.identity):
                self._tell(self._on_renewed, login)

    def _end_unrenewed(self, login: Login) -> None:
        self._end(login, UnauthenticatedError("your login could not be renewed", hint="log in again"))

    @staticmethod
    def _tell(listeners: list[LoginListener], login: Login) -> None:
        for listener in listeners:
            try:
                listener(login)
            except Exception as error:  # noqa: BLE001 - one listener must not keep the others from knowing
                what = error.message if isinstance(error, SqeError) else type(error).__name__
                _log.warning("a login's change was not taken up", user=login.identity.user, error=what)


def _is_possible(credentials: Credentials) -> bool:
    if isinstance(credentials, Password) and credentials.user and not is_usable_name(credentials.user):
        return False
    try:
        return sum(len(part) for part in parts_of(credentials)) <= MAX_BYTES
    except UnicodeEncodeError:
        return False


def _asked(provider: Provider, credentials: Credentials) -> Outcome:
    try:
        return provider.authenticate(credentials)
    except ExternalError as error:
        _log.warning("provider is away", provider=provider.name, error=error.message)
        raise
    except SqeError:
        raise
    except Exception as error:  # noqa: BLE001 - a provider of somebody else's may raise anything
        # Not the error itself: nobody knows what its text and its stack hold.
        _log.warning("a provider failed", provider=provider.name, error=type(error).__name__)
        raise InternalError("the login could not be checked") from None


def _is_same(before: Identity, after: Identity) -> bool:
    return replace(before, expires=None) == replace(after, expires=None)


def _copy(error: SqeError) -> SqeError:
    """An error that several threads raise; each gets a stack trace of its own."""
    return type(error)(error.message, hint=error.hint)
