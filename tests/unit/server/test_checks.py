"""What keeps a server from starting, all of it at once, and what it warns of."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.core.errors import ConfigError
from sqe.server.checks import refuse_unfit, startup_warnings
from sqe.settings import Settings, load

FIT = """
[catalogs.lake]
catalog_url = "https://catalog.example.com"
[[auth.providers]]
type = "bearer_token"
jwks_url = "https://idp.example.com/jwks"
issuer = "https://idp.example.com"
audience = "sqe"
[rate_limit]
enabled = true
"""


def settings_of(folder: Path, text: str) -> Settings:
    file = folder / "sqe.toml"
    file.write_text(text, encoding="utf-8")
    return load(config_path=file, environ={}, overrides={}, embedded=False, cwd=folder).settings


def refused(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as error:
        refuse_unfit(settings_of(folder, text))
    return error.value.message


def tls(folder: Path) -> str:
    for name in ("cert.pem", "key.pem"):
        (folder / name).write_text("x", encoding="utf-8")
    return f'[coordinator.tls]\ncert_file = "{folder}/cert.pem"\nkey_file = "{folder}/key.pem"\n'


def test_nothing_is_set(tmp_path: Path) -> None:
    found = refused(tmp_path, "")
    assert "catalogs: the server has none" in found
    assert "auth: nobody can log in" in found


def test_a_fit_server(tmp_path: Path) -> None:
    refuse_unfit(settings_of(tmp_path, FIT))


def test_passwords_must_not_cross_a_network_in_clear(tmp_path: Path) -> None:
    text = FIT + '[coordinator]\nbind_address = "0.0.0.0"\n'
    assert "coordinator.bind_address" in refused(tmp_path, text)
    refuse_unfit(settings_of(tmp_path, text + "[security]\nallow_insecure_transport = true\n"))
    refuse_unfit(settings_of(tmp_path, text + tls(tmp_path)))


@pytest.mark.parametrize("port", [9090, 9091])
def test_ports_are_for_one_thing(tmp_path: Path, port: int) -> None:
    assert "flight_sql_port" in refused(tmp_path, FIT + f"[coordinator]\nflight_sql_port = {port}\n")


def test_a_default_catalog_that_is_not_there(tmp_path: Path) -> None:
    assert "query.default_catalog" in refused(tmp_path, FIT + '[query]\ndefault_catalog = "nope"\n')


def test_production_takes_what_is_fit(tmp_path: Path) -> None:
    refuse_unfit(settings_of(tmp_path, FIT + "[coordinator]\nproduction_mode = true\n" + tls(tmp_path)))


@pytest.mark.parametrize(
    ("change", "blamed"),
    [
        (("enabled = true", "enabled = false"), "rate_limit.enabled"),
        (("enabled = true", "enabled = true\nauth_attempts_per_minute = 0"), "auth_attempts_per_minute"),
        (("[rate_limit]", "[security]\nallow_insecure_transport = true\n[rate_limit]"), "allow_insecure_transport"),
        (("[rate_limit]", "[query]\nmax_sql_bytes = 0\n[rate_limit]"), "max_sql_bytes"),
        (("https://catalog", "http://catalog"), "catalogs.lake.catalog_url"),
        (("https://idp.example.com/jwks", "http://idp.example.com/jwks"), "auth provider bearer_token"),
        (("[rate_limit]", '[[auth.providers]]\ntype = "anonymous"\nuser = "x"\n[rate_limit]'), "anonymous"),
        (("[rate_limit]", '[[auth.providers]]\ntype = "bearer_passthrough"\n[rate_limit]'), "bearer_passthrough"),
        (("[[auth", '[catalogs.lake.auth]\ntype = "static"\ntoken = "t"\n[[auth'), "catalogs.lake.auth.type"),
    ],
)
def test_production_refuses(tmp_path: Path, change: tuple[str, str], blamed: str) -> None:
    text = FIT.replace(*change, 1) + "[coordinator]\nproduction_mode = true\n" + tls(tmp_path)
    refuse_unfit(settings_of(tmp_path, text.replace("production_mode = true\n", "")))
    assert blamed in refused(tmp_path, text)


def test_warnings(tmp_path: Path) -> None:
    found = "\n".join(startup_warnings(settings_of(tmp_path, FIT.replace("enabled = true", ""))))
    assert "coordinator.tls is off" in found
    assert "rate_limit.enabled is off" in found
    quiet = startup_warnings(settings_of(tmp_path, FIT + tls(tmp_path)))
    assert quiet == []
