"""What keeps a server from starting, and what an operator should read when it starts."""

from __future__ import annotations

from collections.abc import Iterable

from sqe.auth import build as auth
from sqe.core.errors import ConfigError
from sqe.settings import Settings


def refuse_unfit(settings: Settings) -> None:
    """Raise with everything that keeps the server from starting, one line each."""
    found = list(_problems(settings))
    if settings.coordinator.production_mode:
        found += (f"production_mode: {text}" for text in _unfit_for_production(settings))
    if found:
        raise ConfigError("\n".join(found))


def startup_warnings(settings: Settings) -> list[str]:
    """What weakens the server although it may start."""
    found = auth.startup_warnings(settings.auth)
    if not settings.coordinator.tls.on:
        found.append("coordinator.tls is off: passwords and tokens cross the network as they are")
    if not settings.rate_limit.enabled:
        found.append("rate_limit.enabled is off: nothing bounds how much one person asks")
    if not settings.rate_limit.auth_attempts_per_minute:
        found.append("rate_limit.auth_attempts_per_minute is 0: passwords can be guessed without end")
    found += (
        f"catalogs.{name}.auth.type is static: everybody asks this catalog as one identity"
        for name, catalog in settings.catalogs.items()
        if catalog.auth.type == "static"
    )
    return found


def _problems(settings: Settings) -> Iterable[str]:
    if not settings.catalogs:
        yield "catalogs: the server has none; add [catalogs.<name>] with catalog_url"
    elif settings.query.default_catalog and settings.query.default_catalog not in settings.catalogs:
        yield f"query.default_catalog: there is no catalog {settings.query.default_catalog}"
    if not settings.auth.is_set:
        yield "auth: nobody can log in; set auth.keycloak_url and auth.realm, auth.token_endpoint or [[auth.providers]]"
    chosen, metrics = settings.coordinator, settings.metrics.prometheus_port
    if not chosen.loopback and not chosen.tls.on and not settings.security.allow_insecure_transport:
        yield (
            "coordinator.bind_address: passwords would cross the network as they are; "
            "set coordinator.tls, or security.allow_insecure_transport"
        )
    for name, port in (("flight_sql_port", chosen.flight_sql_port), ("trino_http_port", chosen.trino_http_port)):
        if port and metrics and port in {metrics, metrics + 1}:
            yield f"coordinator.{name}: must differ from metrics.prometheus_port and the port after it"


def _unfit_for_production(settings: Settings) -> Iterable[str]:
    shared = settings.security.allow_shared_service_identity
    yield from auth.production_problems(settings.auth, allow_shared_service_identity=shared)
    if not settings.rate_limit.enabled:
        yield "rate_limit.enabled: must be true"
    if not settings.rate_limit.auth_attempts_per_minute:
        yield "rate_limit.auth_attempts_per_minute: must not be 0"
    if settings.security.allow_insecure_transport:
        yield "security.allow_insecure_transport: must be false"
    if not settings.coordinator.tls.on:
        yield "coordinator.tls: must be set"
    if settings.coordinator.debug:
        yield "coordinator.debug: must be false"
    if not settings.query.max_sql_bytes:
        yield "query.max_sql_bytes: must not be 0"
    for name, catalog in settings.catalogs.items():
        if catalog.auth.type == "static" and not shared:
            yield f"catalogs.{name}.auth.type: gives everybody one identity"
        if catalog.backend.type == "rest" and catalog.catalog_url.startswith("http://"):
            yield f"catalogs.{name}.catalog_url: does not start with https://"
