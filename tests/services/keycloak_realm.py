"""The realm that the tests log in to: three people, two groups, and a client for each way to log in."""

from __future__ import annotations

from typing import Any

REALM = "sqe"
#: Whom tokens are for.
AUDIENCE = "sqe-server"
#: How long tokens of the client `sqe-short` live.
SHORT_SECS = 10


def password_of(user: str) -> str:
    """The password of somebody in the realm."""
    return f"{user}-opens-sesame"


def secret_of(client: str) -> str:
    """The secret of a client of the realm."""
    return f"{client}-has-a-secret"


def realm() -> dict[str, Any]:
    """The realm as Keycloak imports it."""
    return {
        "realm": REALM,
        "enabled": True,
        "sslRequired": "none",
        "accessTokenLifespan": 300,
        "roles": {"realm": [{"name": name} for name in ("reader", "writer", "boss")]},
        "groups": [{"name": "analysts"}, {"name": "engineers"}],
        "users": [
            _user("alice", roles=["reader"], groups=["analysts"]),
            _user("bob", roles=["writer"], groups=["engineers"]),
            _user("carol", roles=["boss"], groups=["analysts", "engineers"]),
        ],
        "clients": [
            _client("sqe-client", directAccessGrantsEnabled=True),
            _client("sqe-short", lifespan=SHORT_SECS, directAccessGrantsEnabled=True),
            _client("sqe-service", serviceAccountsEnabled=True),
            _client("sqe-exchange", attributes={"standard.token.exchange.enabled": "true"}),
            _client("sqe-device", public=True, attributes={"oauth2.device.authorization.grant.enabled": "true"}),
            _client(
                "sqe-browser",
                standardFlowEnabled=True,
                redirectUris=["http://127.0.0.1/oauth2/callback", "http://127.0.0.1:*/oauth2/callback"],
                attributes={"pkce.code.challenge.method": "S256"},
            ),
        ],
    }


def _user(name: str, *, roles: list[str], groups: list[str]) -> dict[str, Any]:
    return {
        "username": name,
        "enabled": True,
        "email": f"{name}@example.com",
        "emailVerified": True,
        "firstName": name.title(),
        "lastName": "Example",
        "credentials": [{"type": "password", "value": password_of(name)}],
        "realmRoles": roles,
        "groups": groups,
    }


def _client(
    name: str, *, public: bool = False, lifespan: int = 0, attributes: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    own = attributes or {}
    if lifespan:
        own = own | {"access.token.lifespan": str(lifespan)}
    return {
        "clientId": name,
        "enabled": True,
        "publicClient": public,
        "standardFlowEnabled": False,
        "attributes": own,
        "protocolMappers": [
            _mapper("groups", "oidc-group-membership-mapper", {"claim.name": "groups", "full.path": "true"}),
            _mapper("audience", "oidc-audience-mapper", {"included.custom.audience": AUDIENCE}),
            _mapper("exchange", "oidc-audience-mapper", {"included.client.audience": "sqe-exchange"}),
        ],
        **({} if public else {"secret": secret_of(name)}),
        **more,
    }


def _mapper(name: str, kind: str, config: dict[str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "protocol": "openid-connect",
        "protocolMapper": kind,
        "config": {"access.token.claim": "true", "id.token.claim": "true", **config},
    }
