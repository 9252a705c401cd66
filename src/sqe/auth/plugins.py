"""Finds providers by their type: the ones of SQE and those that other packages bring by entry points.

A package brings one by an entry point of the group `sqe.auth_providers` that leads to a `ProviderKind`. SQE's own come
by the same door and are in the table below too, so that they are there when the package's metadata is not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from sqe.auth.login import Clock
from sqe.auth.people import People
from sqe.auth.provider import Provider
from sqe.auth.provider_settings import ProviderSettings
from sqe.core.errors import ConfigError
from sqe.observe.logs import get_logger

_log = get_logger(__name__)
GROUP: Final = "sqe.auth_providers"

#: Must be what `pyproject.toml` says; nobody else may take one of these names.
BUILT_IN: Final = {
    name: f"sqe.auth.providers.{name}:KIND"
    for name in (
        "oidc_password",
        "bearer_token",
        "client_credentials",
        "client_credentials_passthrough",
        "oidc_m2m",
        "token_exchange",
        "api_key",
        "aws_iam",
        "mtls",
        "anonymous",
        "bearer_passthrough",
    )
}


@dataclass(frozen=True)
class Surroundings:
    """What a provider gets besides its own settings."""

    people: People = field(default_factory=People)
    #: Whether certificates of identity providers are checked.
    ssl_verification: bool = True
    clock: Clock = time.time
    #: How long an identity provider may take to answer.
    timeout_secs: float = 10.0


@dataclass(frozen=True)
class ProviderKind:
    """One type of provider: the model of its settings, and how one is made from them."""

    settings: type[ProviderSettings]
    make: Callable[[Any, Surroundings], Provider]


def known_types() -> list[str]:
    """The types that there are."""
    return [*BUILT_IN, *(point.name for point in _foreign())]


def find_kind(name: str) -> ProviderKind | None:
    """The provider of this type; None when there is none."""
    return kind_of(name) if name in known_types() else None


@cache
def kind_of(name: str) -> ProviderKind:
    """The provider of a known type. Raises `ConfigError` when its package is broken."""
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        found = getattr(import_module(module), attribute)
    else:
        found = _loaded(next(point for point in _foreign() if point.name == name))
    if not isinstance(found, ProviderKind):
        raise ConfigError(f"auth provider {name}: its entry point leads to no ProviderKind")
    return found


def _loaded(point: EntryPoint) -> object:
    try:
        return point.load()
    except Exception as error:
        raise ConfigError(f"auth provider {point.name}: cannot be loaded: {type(error).__name__}") from error


@cache
def _foreign() -> tuple[EntryPoint, ...]:
    """The entry points of other packages; one that takes the name of another is left out with a warning."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if BUILT_IN.get(point.name) == point.value:
            continue
        if point.name in BUILT_IN or point.name in found:
            _log.warning("an auth provider's name is taken", provider=point.name, ignored=point.value)
            continue
        found[point.name] = point
    return tuple(found.values())
