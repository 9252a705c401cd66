"""From the settings to a gate, and what an operator should know before it opens."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from sqe.auth.attempts import Attempts
from sqe.auth.gate import Gate, LoginLimits
from sqe.auth.login import Clock
from sqe.auth.people import People
from sqe.auth.plugins import Surroundings, kind_of
from sqe.auth.provider import Provider
from sqe.auth.provider_settings import ProviderSettings, address_warnings
from sqe.auth.settings import AuthSettings, SessionSettings
from sqe.core.errors import ConfigError
from sqe.observe.rate_limit import RateLimitSettings


def build_gate(
    auth: AuthSettings, session: SessionSettings, rate_limit: RateLimitSettings, clock: Clock = time.time
) -> Gate:
    """The gate that the settings describe. Raises `ConfigError` when they let nobody in."""
    if not auth.is_set:
        raise ConfigError(
            "auth: nobody can log in",
            hint="set auth.keycloak_url and auth.realm, auth.token_endpoint, or [[auth.providers]]",
        )
    limits = LoginLimits(session.idle_timeout_secs, session.absolute_timeout_secs, auth.token_refresh_buffer_secs)
    return Gate(build_providers(auth, clock), limits, Attempts(rate_limit.auth_attempts_per_minute), clock)


def people_of(auth: AuthSettings) -> People:
    """The rules of roles."""
    return People(auth.role_mappings, frozenset(auth.admin_roles))


def build_providers(auth: AuthSettings, clock: Clock = time.time) -> list[Provider]:
    """The chain, in its order."""
    surroundings = Surroundings(people_of(auth), auth.ssl_verification, clock)
    return [kind_of(settings.type).make(settings, surroundings) for settings in chain(auth)]


def chain(auth: AuthSettings) -> Sequence[ProviderSettings]:
    """The providers' settings; those of the one identity provider when no list is given."""
    if auth.providers:
        return auth.providers
    if auth.keycloak_url:
        return _of_keycloak(auth)
    return [_password(auth, auth.token_endpoint, "sub")] if auth.token_endpoint else []


def _of_keycloak(auth: AuthSettings) -> Sequence[ProviderSettings]:
    realm = f"{auth.keycloak_url.rstrip('/')}/realms/{auth.realm}"
    tokens = kind_of("bearer_token").settings.model_validate(
        {
            "type": "bearer_token",
            "jwks_url": f"{realm}/protocol/openid-connect/certs",
            "issuer": realm,
            "user_claim": "preferred_username",
        }
    )
    return [tokens, _password(auth, f"{realm}/protocol/openid-connect/token", "preferred_username")]


def _password(auth: AuthSettings, token_url: str, user_claim: str) -> ProviderSettings:
    return kind_of("oidc_password").settings.model_validate(
        {
            "type": "oidc_password",
            "token_url": token_url,
            "client_id": auth.client_id,
            "client_secret": auth.client_secret.get_secret_value(),
            "user_claim": user_claim,
        }
    )


def startup_warnings(auth: AuthSettings) -> list[str]:
    """What an operator should read in the log at each start."""
    found = [f"auth provider {settings.type}: {text}" for settings in chain(auth) for text in settings.warnings()]
    if not auth.ssl_verification:
        found.append("auth.ssl_verification is off: whoever is on the way can pretend to be the identity provider")
    if auth.external.issuer:
        found += [f"auth.external: {text}" for text in address_warnings(auth.external.issuer)]
    if auth.external.accept_invalid_certs:
        found.append("auth.external.accept_invalid_certs is on: whoever is on the way can pretend to be the issuer")
    return found


def production_problems(auth: AuthSettings, *, allow_shared_service_identity: bool = False) -> list[str]:
    """What `production_mode` refuses of the settings."""
    return list(_production_problems(auth, allow_shared_service_identity=allow_shared_service_identity))


def _production_problems(auth: AuthSettings, *, allow_shared_service_identity: bool) -> Iterable[str]:
    for settings in chain(auth):
        where = f"auth provider {settings.type}"
        if settings.is_for_development:
            yield f"{where}: is for development only"
        elif settings.is_shared and not allow_shared_service_identity:
            yield f"{where}: gives everybody one identity; security.allow_shared_service_identity would allow it"
        for address in settings.addresses():
            if address.startswith("http://"):
                yield f"{where}: an address does not start with https://"
    if auth.external.issuer.startswith("http://"):
        yield "auth.external.issuer: does not start with https://"
    if not auth.ssl_verification:
        yield "auth.ssl_verification: must be true"
    if auth.external.issuer and auth.external.accept_invalid_certs:
        yield "auth.external.accept_invalid_certs: must be false"
