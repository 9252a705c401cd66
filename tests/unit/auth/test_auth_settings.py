"""The settings of authentication: entries by type, secrets, legacy keys, warnings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from sqe.auth.build import build_gate, chain, production_problems, startup_warnings
from sqe.auth.plugins import BUILT_IN, GROUP
from sqe.auth.settings import AuthSettings, SessionSettings
from sqe.core.errors import ConfigError
from sqe.observe.rate_limit import RateLimitSettings
from sqe.settings import LoadedSettings, Settings, dump, load

ROOT = Path(__file__).parents[3]
PASSWORD = """
[[auth.providers]]
type = "oidc_password"
token_url = "https://idp.example.com/token"
client_id = "sqe"
"""


def loaded(folder: Path, text: str, env: Mapping[str, str] | None = None) -> LoadedSettings:
    (folder / "sqe.toml").write_text(text, encoding="utf-8")
    return load(config_path=None, environ=env or {}, overrides={}, embedded=False, cwd=folder)


def mistakes(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        loaded(folder, text)
    return raised.value.message.splitlines()


def auth_of(folder: Path, text: str, env: Mapping[str, str] | None = None) -> AuthSettings:
    return loaded(folder, text, env).settings.auth


def test_the_package_names_the_same_providers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"][GROUP] == BUILT_IN


def test_every_provider_has_its_file() -> None:
    files = {path.stem for path in (ROOT / "src/sqe/auth/providers").glob("*.py")} - {"__init__"}
    assert files == set(BUILT_IN)


def test_entries_are_of_their_types(tmp_path: Path) -> None:
    auth = auth_of(tmp_path, PASSWORD + '[[auth.providers]]\ntype = "anonymous"\nuser = "guest"\n')
    assert [type(entry).__name__ for entry in auth.providers] == ["OidcPasswordSettings", "AnonymousSettings"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("auth.providers = 5", "auth.providers: must be a list, got a whole number"),
        ("auth.providers = [5]", "auth.providers.0: must be a table, got a whole number"),
        ("[[auth.providers]]\nuser = 'x'", "auth.providers.0.type: must be set"),
        ("[[auth.providers]]\ntype = 5", "auth.providers.0.type: must be a string, got a whole number"),
        (PASSWORD + "secret = 'x'", "auth.providers.0.secret: unknown key"),
        (PASSWORD + "client_secret = 5", "auth.providers.0.client_secret: must be a string, got a whole number"),
        (PASSWORD.replace('client_id = "sqe"', ""), "auth.providers.0.client_id: must be set"),
        (PASSWORD.replace('"sqe"', '" "'), "auth.providers.0.client_id: must not be empty"),
        (
            PASSWORD.replace("https://", "file://"),
            "auth.providers.0.token_url: must be an address that starts with https:// or http://",
        ),
        (
            PASSWORD.replace("https://", "https://me:pass@"),
            "auth.providers.0.token_url: must not hold a user, a password or a fragment",
        ),
        ("[[auth.providers]]\ntype='aws_iam'\nvalidate_with_sts=false",
         "auth.providers.0.validate_with_sts: must be true: only AWS can verify its signatures"),
        ("auth.keycloak_url = 'https://k.example.com'", "auth.realm: must be set when auth.keycloak_url is"),
        ("auth.token_endpoint = 'https://k.example.com'\nauth.client_id = ''", "auth.client_id: must not be empty"),
        ("auth.external.issuer = 'https://k.example.com'",
         "auth.external.client_id: must be set when auth.external.issuer is"),
        ("auth.keycloak_url = 'ftp://k'", "auth.keycloak_url: must be an address that starts with https:// or http://"),
        ("session.persistence = 'file'", 'session.persistence: must be "memory": logins end with the server'),
        ("session.idle_timeout_secs = 0", "session.idle_timeout_secs: must be at least 1"),
    ],
)  # fmt: skip
def test_each_mistake_has_its_line(tmp_path: Path, text: str, line: str) -> None:
    found = mistakes(tmp_path, text)
    assert [one.partition(": ")[2].partition("; did you mean")[0] for one in found] == [line]


def test_an_unknown_type_is_told_the_known_ones(tmp_path: Path) -> None:
    (line,) = mistakes(tmp_path, "[[auth.providers]]\ntype = 'ldap'")
    assert line.startswith("sqe.toml: auth.providers.0: no provider has this type; known are oidc_password, ")


@pytest.mark.parametrize("bad", ["none", "HS256", "RS1", ""])
def test_only_signatures_that_a_public_key_verifies(tmp_path: Path, bad: str) -> None:
    text = f"[[auth.providers]]\ntype='bearer_token'\njwks_url='https://x.example.com'\nalgorithms=['RS256', '{bad}']"
    assert "algorithms: must be some of" in mistakes(tmp_path, text)[0]


def test_secrets_come_from_the_environment_and_are_never_shown(tmp_path: Path) -> None:
    env = {
        "SQE_AUTH__CLIENT_SECRET": "secret-1",
        "SQE_AUTH__PROVIDERS__0__CLIENT_SECRET": "secret-2",
        "SQE_AUTH__EXTERNAL__CLIENT_SECRET": "secret-3",
    }
    found = loaded(tmp_path, PASSWORD, env)
    assert found.warnings == []
    auth = found.settings.auth
    assert auth.client_secret.get_secret_value() == "secret-1"
    assert auth.external.client_secret.get_secret_value() == "secret-3"
    entry = auth.providers[0].model_dump()
    assert entry["client_secret"].get_secret_value() == "secret-2"
    shown = repr(found.settings) + str(found.settings) + str(dump(found.settings)) + str(entry)
    assert "secret-" not in shown
    assert str(dump(found.settings)).count("[REDACTED]") >= 3


def test_a_variable_that_names_no_key_of_the_entry_is_ignored(tmp_path: Path) -> None:
    found = loaded(tmp_path, PASSWORD, {"SQE_AUTH__PROVIDERS__0__KEYS_FILE": "x", "SQE_AUTH__PROVIDERS__7__SCOPE": "x"})
    assert found.settings.auth.providers == auth_of(tmp_path, PASSWORD).providers


def test_a_mistake_does_not_show_a_secret(tmp_path: Path) -> None:
    text = PASSWORD + "client_secret = 'hunter2'\nscope = 5\n"
    assert not any("hunter2" in line for line in mistakes(tmp_path, text))


# Settings without a list.


def test_keycloak_by_its_address(tmp_path: Path) -> None:
    auth = auth_of(
        tmp_path, "[auth]\nkeycloak_url='https://k.example.com/'\nrealm='data'\ntoken_endpoint='https://x.example.com'"
    )
    tokens, passwords = (entry.model_dump() for entry in chain(auth))
    assert tokens["issuer"] == "https://k.example.com/realms/data"
    assert tokens["jwks_url"] == "https://k.example.com/realms/data/protocol/openid-connect/certs"
    assert passwords["token_url"] == "https://k.example.com/realms/data/protocol/openid-connect/token"
    assert passwords["client_id"] == "sqe-client"
    assert tokens["user_claim"] == passwords["user_claim"] == "preferred_username"


def test_another_identity_provider_by_its_endpoint(tmp_path: Path) -> None:
    (only,) = chain(auth_of(tmp_path, "auth.token_endpoint = 'https://idp.example.com/token'"))
    assert only.type == "oidc_password"


def test_a_list_replaces_the_keys_of_one(tmp_path: Path) -> None:
    auth = auth_of(tmp_path, "auth.token_endpoint = 'https://a.example.com'\nauth.client_id = ''\n" + PASSWORD)
    assert [entry.type for entry in chain(auth)] == ["oidc_password"]


def test_a_server_that_nobody_can_enter_does_not_start() -> None:
    with pytest.raises(ConfigError, match="nobody can log in"):
        build_gate(AuthSettings(), SessionSettings(), RateLimitSettings())


def test_the_gate_is_built(tmp_path: Path) -> None:
    settings: Settings = loaded(tmp_path, PASSWORD).settings
    gate = build_gate(settings.auth, settings.session, settings.rate_limit)
    assert [provider.name for provider in gate._providers] == ["oidc_password"]
    gate.close()


# What operators are told.


def test_nothing_to_say_of_good_settings(tmp_path: Path) -> None:
    assert startup_warnings(auth_of(tmp_path, PASSWORD)) == []
    assert production_problems(auth_of(tmp_path, PASSWORD)) == []


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("[[auth.providers]]\ntype='anonymous'", "comes in as anonymous, without credentials"),
        ("[[auth.providers]]\ntype='bearer_passthrough'", "tokens are not verified"),
        (
            "[[auth.providers]]\ntype='client_credentials'\ntoken_endpoint='https://x.example.com'\nclient_id='x'\n"
            "client_secret='y'",
            "becomes one shared service",
        ),
        (PASSWORD.replace("https", "http"), "idp.example.com is called without TLS"),
        (PASSWORD.replace("idp.example.com", "10.0.0.1"), "10.0.0.1 is a private address"),
        (PASSWORD.replace("idp.example.com", "169.254.169.254"), "169.254.169.254 is a private address"),
        (PASSWORD.replace("idp.example.com", "[fd00::1]"), "fd00::1 is a private address"),
        (PASSWORD + "[auth]\nssl_verification=false", "ssl_verification is off"),
        ("[[auth.providers]]\ntype='bearer_token'\njwks_url='https://x.example.com'", "audience is not set"),
        ("[[auth.providers]]\ntype='api_key'\nkeys_file='/nowhere/keys.toml'", "cannot be read"),
        ("[[auth.providers]]\ntype='aws_iam'", "server_id is not set"),
    ],
)
def test_warnings(tmp_path: Path, text: str, warning: str) -> None:
    if text.startswith(PASSWORD) and "[auth]" in text:
        text = text.replace("[auth]\n", "").replace("ssl_verification=false", "")
        text = "auth.ssl_verification = false\n" + text
    assert any(warning in line for line in startup_warnings(auth_of(tmp_path, text)))


def test_loopback_is_fine(tmp_path: Path) -> None:
    for host in ("http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"):
        assert startup_warnings(auth_of(tmp_path, PASSWORD.replace("https://idp.example.com", host))) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[auth.providers]]\ntype='anonymous'", "is for development only"),
        ("[[auth.providers]]\ntype='bearer_passthrough'", "is for development only"),
        (
            "[[auth.providers]]\ntype='oidc_m2m'\ntoken_endpoint='https://x.example.com'\nclient_id='x'\n"
            "client_secret='y'",
            "gives everybody one identity",
        ),
        (PASSWORD.replace("https", "http"), "does not start with https://"),
        ("auth.ssl_verification = false\n" + PASSWORD, "must be true"),
    ],
)
def test_production(tmp_path: Path, text: str, problem: str) -> None:
    found = production_problems(auth_of(tmp_path, text))
    assert len(found) == 1
    assert problem in found[0]


def test_a_shared_service_can_be_allowed(tmp_path: Path) -> None:
    text = (
        "[[auth.providers]]\ntype='oidc_m2m'\ntoken_endpoint='https://x.example.com'\nclient_id='x'\nclient_secret='y'"
    )
    assert production_problems(auth_of(tmp_path, text), allow_shared_service_identity=True) == []
