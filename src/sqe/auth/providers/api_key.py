"""Keys that an operator hands out, listed in a file that is read again whenever it changes."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr, ValidationError

from sqe.auth.credentials import BearerToken, Credentials, Password
from sqe.auth.grants import GrantedAgain
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import NotEmpty, ProviderSettings
from sqe.auth.refused import Refused
from sqe.core.errors import ExternalError
from sqe.observe.logs import get_logger
from sqe.observe.model import Conflict, SettingsModel, refuse

_log = get_logger(__name__)
#: A login by a key is looked at again after this time, so that a key that was taken away ends it.
_REVIEW_SECS = 120
_MAX_FILE_BYTES = 16 * 1024 * 1024
_SHORTEST = 16


def _hex_digest(text: str) -> str:
    if text and (len(text) != 64 or not all(digit in "0123456789abcdef" for digit in text)):
        raise refuse("must be a SHA-256 in 64 small hex digits")
    return text


class ApiKeySettings(ProviderSettings):
    """Keys that an operator hands out, as a bearer token or in the place of a password."""

    type: Literal["api_key"] = Field(default="api_key", description="Which provider this is.")
    keys_file: NotEmpty = Field(
        description="A TOML or JSON file with entries `[[keys]]`: `key` or `sha256`, `user`, `roles`, `groups`, "
        "`description`. It is read again when it changes; a broken one lets nobody in."
    )
    key_prefix: NotEmpty = Field(default="sqe_", description="What every key starts with; others are not looked at.")

    def warnings(self) -> Iterable[str]:
        """Also that others can read the keys."""
        yield from super().warnings()
        try:
            mode = Path(self.keys_file).stat().st_mode
        except OSError as error:
            yield f"the file of keys cannot be read: {error.strerror}"
            return
        if mode & 0o077:
            yield "the file of keys can be read by others than its owner"


class KeyEntry(SettingsModel):
    """One key: itself or its SHA-256, and whose it is."""

    key: SecretStr = SecretStr("")
    sha256: Annotated[str, AfterValidator(_hex_digest)] = ""
    user: NotEmpty
    roles: list[str] = Field(default=[])
    groups: list[str] = Field(default=[])
    description: str = ""

    def conflicts(self) -> Iterable[Conflict]:
        """Exactly one of the two, and none that can be guessed."""
        if bool(self.key.get_secret_value()) == bool(self.sha256):
            yield Conflict(("key", "sha256"), "one of key and sha256 must be set")
        elif self.key.get_secret_value() and len(self.key.get_secret_value()) < _SHORTEST:
            yield Conflict(("key",), f"must have at least {_SHORTEST} characters")

    @property
    def digest(self) -> bytes:
        """The key's SHA-256."""
        plain = self.key.get_secret_value()
        return hashlib.sha256(plain.encode()).digest() if plain else bytes.fromhex(self.sha256)


class KeysFile(SettingsModel):
    """What a file of keys holds."""

    keys: list[KeyEntry] = Field(default=[])


@dataclass(frozen=True)
class _Read:
    """A file's content, and how the file looked."""

    stamp: tuple[int, int, int]
    entries: tuple[tuple[bytes, KeyEntry], ...]


class ApiKeyProvider:
    """Looks keys up by their digests."""

    name = "api_key"

    def __init__(self, settings: ApiKeySettings, surroundings: Surroundings) -> None:
        self._path = Path(settings.keys_file)
        self._prefix = settings.key_prefix
        self._people = surroundings.people
        self._clock = surroundings.clock
        self._lock = threading.Lock()
        self._read: _Read | None = None

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Look the key up."""
        key = self._key_in(credentials)
        if key is None:
            return NotMine()
        try:
            return self._accepted(hashlib.sha256(key.encode(errors="replace")).digest())
        except Refused as refused:
            return Rejected(refused.reason)

    def _key_in(self, credentials: Credentials) -> str | None:
        if isinstance(credentials, BearerToken):
            key = credentials.token
        elif isinstance(credentials, Password):
            key = credentials.password
        else:
            return None
        return key if key.startswith(self._prefix) else None

    def _accepted(self, digest: bytes) -> Accepted:
        found: KeyEntry | None = None
        # All are compared, so that the time tells nothing.
        for listed, entry in self._entries():
            if hmac.compare_digest(listed, digest):
                found = entry
        if found is None:
            raise Refused("the key is unknown")
        identity = self._people.identity(
            found.user,
            provider=self.name,
            roles=found.roles,
            groups=found.groups,
            expires=self._clock() + _REVIEW_SECS,
        )
        return Accepted(identity, GrantedAgain(partial(self._accepted, digest)))

    def _entries(self) -> tuple[tuple[bytes, KeyEntry], ...]:
        with self._lock:
            try:
                facts = self._path.stat()
                stamp = (facts.st_mtime_ns, facts.st_size, facts.st_ino)
                if self._read is None or self._read.stamp != stamp:
                    self._read = _Read(stamp, _entries_of(self._path))
            except (OSError, ValueError, RecursionError) as error:
                # Nobody knows which keys were taken away: let nobody in.
                self._read = None
                _log.warning("the file of keys cannot be used", file=str(self._path), why=_why(error))
                raise ExternalError("logins by key are out of order", hint="ask the operator of this server") from None
            return self._read.entries

    def close(self) -> None:
        """Nothing to let go of."""


def _entries_of(path: Path) -> tuple[tuple[bytes, KeyEntry], ...]:
    with path.open("rb") as file:
        content = file.read(_MAX_FILE_BYTES)
    tree: Any = json.loads(content) if path.suffix == ".json" else tomllib.loads(content.decode("utf-8-sig"))
    return tuple((entry.digest, entry) for entry in KeysFile.model_validate(tree).keys)


def _why(error: Exception) -> str:
    """What is wrong with the file, without what is in it."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['type']}"
    return (error.strerror or "") if isinstance(error, OSError) else f"not to be parsed ({type(error).__name__})"


KIND = ProviderKind(ApiKeySettings, ApiKeyProvider)
