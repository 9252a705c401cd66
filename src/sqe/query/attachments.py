"""What people have attached: their catalogs and the secrets for them, until they detach them or the engine ends.

Sessions follow this register: each looks before its statements whether it has changed.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.core.errors import AlreadyExistsError, NotFoundError, UserError


@dataclass(frozen=True)
class Secret:
    """Credentials of one kind."""

    kind: str
    options: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class Attached:
    """A catalog: Spark's settings for it, the jars it needs, the secret it uses."""

    settings: Mapping[str, str] = field(repr=False)
    groups: frozenset[str] = frozenset()
    secret: str | None = None


@dataclass
class _Owned:
    """What belongs to one person."""

    secrets: dict[str, Secret] = field(default_factory=dict)
    catalogs: dict[str, Attached] = field(default_factory=dict)


class Attachments:
    """Safe for use by many threads; everybody sees only what is theirs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owned: dict[str, _Owned] = {}

    def catalogs(self, user: str) -> dict[str, Attached]:
        """The catalogs that a person has attached."""
        with self._lock:
            return dict(self._of(user).catalogs)

    def secrets(self, user: str) -> dict[str, Secret]:
        """A person's secrets."""
        with self._lock:
            return dict(self._of(user).secrets)

    def secret(self, user: str, name: str) -> Secret:
        """One secret. Raises `NotFoundError`."""
        found = self.secrets(user).get(name)
        if found is None:
            raise NotFoundError(f"secret '{name}' not found", hint="SHOW SECRETS lists what there is")
        return found

    def add_secret(self, user: str, name: str, secret: Secret, *, replace: bool = False) -> None:
        """Keep a secret."""
        with self._lock:
            owned = self._of(user)
            if name in owned.secrets and not replace:
                raise AlreadyExistsError(f"secret '{name}' already exists", hint="DROP SECRET it first")
            owned.secrets[name] = secret

    def drop_secret(self, user: str, name: str) -> None:
        """Forget a secret that no catalog uses."""
        with self._lock:
            owned = self._of(user)
            users = sorted(catalog for catalog, facts in owned.catalogs.items() if facts.secret == name)
            if users:
                raise UserError(f"secret '{name}' is referenced by attached catalogs: {', '.join(users)}")
            if owned.secrets.pop(name, None) is None:
                raise NotFoundError(f"secret '{name}' not found", hint="SHOW SECRETS lists what there is")

    def add_catalog(self, user: str, name: str, attached: Attached) -> None:
        """Keep an attachment."""
        with self._lock:
            owned = self._of(user)
            if name in owned.catalogs:
                raise AlreadyExistsError(f"catalog '{name}' is already attached; DETACH it first")
            owned.catalogs[name] = attached

    def drop_catalog(self, user: str, name: str) -> None:
        """Forget an attachment. Raises `NotFoundError`."""
        with self._lock:
            if self._of(user).catalogs.pop(name, None) is None:
                raise NotFoundError(f"catalog '{name}' is not attached", condition="CATALOG_NOT_FOUND")

    def _of(self, user: str) -> _Owned:
        return self._owned.setdefault(user, _Owned())
