"""The logins of `sqe-cli auth login`, kept between two commands in a file that only its owner can read."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sqe.core.errors import UnauthenticatedError, UserError
from sqe.core.folders import Folders, private_folder

#: A token with less time left is renewed before it is used.
_SOON_SECS = 30.0
_MAX_BYTES = 4 << 20


@dataclass(frozen=True)
class KeptLogin:
    """A login at the servers of one issuer; its tokens go to these servers and to no other."""

    servers: tuple[str, ...]
    issuer: str
    client_id: str
    scopes: tuple[str, ...]
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False, default="")
    #: Seconds since 1970; 0: it does not say.
    expires: float = 0.0
    user: str = ""

    def ends_by(self, moment: float) -> bool:
        """Whether the token can no longer be used then."""
        return bool(self.expires) and self.expires <= moment


#: Gets new tokens for a login. Raises `SqeError`.
Renew = Callable[[KeptLogin], KeptLogin]


class KeptLogins:
    """The file. Commands that run at the same time take turns: a refresh token may be good for one use only."""

    def __init__(self, folders: Folders, clock: Callable[[], float] = time.time) -> None:
        self._home = folders.home
        self._clock = clock

    @property
    def path(self) -> Path:
        """Where they are."""
        return self._home / "tokens.json"

    def all(self) -> tuple[KeptLogin, ...]:
        """The logins that are kept. Raises `UserError` for a file that others can read, or that makes no sense."""
        return tuple(self._read())

    def find(self, server: str) -> KeptLogin | None:
        """The login for a server."""
        return next((login for login in self._read() if server in login.servers), None)

    def keep(self, login: KeptLogin) -> None:
        """Remember a login; an older one for the same servers is forgotten."""
        with self._turn():
            self._write([login, *_without(self._read(), login.servers)])

    def forget(self, servers: Sequence[str]) -> list[KeptLogin]:
        """Forget the logins for these servers; answers which there were."""
        with self._turn():
            known = self._read()
            left = _without(known, servers)
            if len(left) != len(known):
                self._write(left)
        return [login for login in known if login not in left]

    def token(self, server: str, renew: Renew) -> str | None:
        """A token that is good for a while; None when there is no login for the server.

        Raises:
            UnauthenticatedError: The login is over.
            ExternalError: The identity provider does not answer.
        """
        found = self.find(server)
        if found is None or not found.ends_by(self._clock() + _SOON_SECS):
            return None if found is None else found.access_token
        with self._turn():
            # Somebody else may have renewed it in the meantime.
            found = self.find(server)
            if found is None:
                return None
            if found.ends_by(self._clock() + _SOON_SECS):
                found = self._renewed(found, renew)
            return found.access_token

    def _renewed(self, login: KeptLogin, renew: Renew) -> KeptLogin:
        if not login.refresh_token:
            raise UnauthenticatedError("your login is over", hint="sqe-cli auth login")
        fresh = renew(login)
        # A provider that sends no new refresh token leaves the old one good.
        fresh = replace(fresh, refresh_token=fresh.refresh_token or login.refresh_token)
        self._write([fresh, *_without(self._read(), login.servers)])
        return fresh

    @contextmanager
    def _turn(self) -> Iterator[None]:
        private_folder(self._home)
        lock = os.open(self._home / "tokens.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _read(self) -> list[KeptLogin]:
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UserError(f"{self.path} cannot be read: {error.strerror}") from error
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(file.fileno())
            if facts.st_uid != os.getuid() or stat.S_IMODE(facts.st_mode) & 0o077:
                raise UserError(f"{self.path} is open to others", hint=f"chmod 600 {self.path}, and log in again")
            text = file.read(_MAX_BYTES)
        try:
            return [_login(entry) for entry in json.loads(text)["logins"]]
        except (ValueError, TypeError, KeyError):
            # Without the cause: it would quote what is in the file.
            raise UserError(f"{self.path} is not readable", hint="remove it, and log in again") from None

    def _write(self, logins: Sequence[KeptLogin]) -> None:
        """Replace the file as a whole; it is never there with another mode, nor half of it."""
        text = json.dumps({"logins": [asdict(login) for login in logins]}, indent=1)
        handle, name = tempfile.mkstemp(prefix=".tokens-", dir=self._home)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _without(logins: Sequence[KeptLogin], servers: Sequence[str]) -> list[KeptLogin]:
    return [login for login in logins if not set(login.servers) & set(servers)]


def _login(entry: Any) -> KeptLogin:  # noqa: ANN401 - whatever the file holds
    texts = {name: entry[name] for name in ("issuer", "client_id", "access_token", "refresh_token", "user")}
    servers, scopes = tuple(entry["servers"]), tuple(entry["scopes"])
    if not all(isinstance(text, str) for text in (*texts.values(), *servers, *scopes)):
        raise TypeError("no texts")
    return KeptLogin(**texts, servers=servers, scopes=scopes, expires=float(entry["expires"]))
