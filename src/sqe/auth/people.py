"""From what an identity provider says of somebody to an `Identity`."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqe.auth.refused import Refused
from sqe.core.identity import Identity

#: Longer names are nobody's.
MAX_NAME_CHARS = 256

Claims = Mapping[str, Any]


def is_usable_name(name: str) -> bool:
    """Whether a name can stand in logs, headers and policies: not empty, not huge, nothing that does not print."""
    return (
        0 < len(name) <= MAX_NAME_CHARS
        and name == name.strip()
        and not any(unicodedata.category(character).startswith("C") for character in name)
    )


def claim(claims: Claims, path: str) -> object:
    """The claim of that name, or the one that the dotted path leads to; None when there is none."""
    if path in claims:
        return claims[path]
    found: object = claims
    for part in path.split("."):
        if not isinstance(found, Mapping):
            return None
        found = found.get(part)
    return found


def names_in(claims: Claims, path: str) -> frozenset[str]:
    """The names that a claim lists; a single text counts as a list of one, what is no usable name is left out."""
    value = claim(claims, path) if path else None
    items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return frozenset(item for item in items if isinstance(item, str) and is_usable_name(item))


@dataclass(frozen=True)
class ClaimNames:
    """Which claims say what."""

    user: str = "sub"
    roles: str = "realm_access.roles"
    groups: str = "groups"
    email: str = "email"


@dataclass(frozen=True)
class People:
    """The rules of roles: which groups bring which, and which make an administrator."""

    role_mappings: Mapping[str, Iterable[str]] = field(default_factory=dict)
    admin_roles: frozenset[str] = frozenset()

    def identity(
        self,
        user: object,
        *,
        provider: str,
        roles: Iterable[str] = (),
        groups: Iterable[str] = (),
        token: str | None = None,
        expires: float | None = None,
        display_name: str = "",
    ) -> Identity:
        """Somebody who was verified. Raises `Refused` for a name that is none."""
        if not isinstance(user, str) or not is_usable_name(user):
            raise Refused("the name is missing, too long, or has characters that do not print")
        all_groups = frozenset(groups)
        all_roles = frozenset(roles) | self._mapped(all_groups)
        return Identity(
            user=user,
            groups=all_groups,
            roles=all_roles,
            token=token,
            expires=expires,
            display_name=display_name if is_usable_name(display_name) else user,
            provider=provider,
            admin=not self.admin_roles.isdisjoint(all_roles),
        )

    def identity_of_claims(
        self, claims: Claims, names: ClaimNames, *, provider: str, token: str | None, expires: float | None
    ) -> Identity:
        """Somebody whom claims tell of. Raises `Refused` when they name nobody."""
        shown = next((text for text in _shown_names(claims, names) if is_usable_name(text)), "")
        return self.identity(
            claim(claims, names.user),
            provider=provider,
            roles=names_in(claims, names.roles),
            groups=names_in(claims, names.groups),
            token=token,
            expires=expires,
            display_name=shown,
        )

    def _mapped(self, groups: frozenset[str]) -> frozenset[str]:
        # Keycloak writes a group as a path: /analysts.
        spellings = groups | {group.removeprefix("/") for group in groups}
        return frozenset(role for group in spellings for role in self.role_mappings.get(group, ()))


def _shown_names(claims: Claims, names: ClaimNames) -> list[str]:
    found = [claim(claims, name) for name in ("name", "preferred_username", names.email)]
    return [text for text in found if isinstance(text, str)]
