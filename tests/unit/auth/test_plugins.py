"""Providers of other packages, by entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sqe.auth import plugins
from sqe.auth.build import build_providers
from sqe.auth.settings import AuthSettings
from sqe.core.errors import ConfigError

if TYPE_CHECKING:
    from tests.unit.auth.conftest import Logged

_MODULE = '''
from typing import Literal
from sqe.auth.plugins import ProviderKind
from sqe.auth.provider import NotMine
from sqe.auth.provider_settings import ProviderSettings

class Settings(ProviderSettings):
    """A provider of another package."""
    type: Literal["kerberos"] = "kerberos"
    keytab: str

class Provider:
    name = "kerberos"
    def __init__(self, settings, surroundings):
        self.settings = settings
    def authenticate(self, credentials):
        return NotMine()
    def close(self):
        pass

KIND = ProviderKind(Settings, Provider)
NO_KIND = 7
'''
_POINTS = """
[sqe.auth_providers]
kerberos = foreign_provider:KIND
broken = foreign_provider:NO_KIND
gone = no_such_module:KIND
api_key = foreign_provider:KIND
"""


def forget() -> None:
    plugins._foreign.cache_clear()
    plugins.kind_of.cache_clear()
    sys.modules.pop("foreign_provider", None)


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with providers."""
    (tmp_path / "foreign_provider.py").write_text(_MODULE, encoding="utf-8")
    facts = tmp_path / "foreign-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    forget()
    yield
    forget()


def test_it_is_found_and_made() -> None:
    assert "kerberos" in plugins.known_types()
    auth = AuthSettings.model_validate({"providers": [{"type": "kerberos", "keytab": "/etc/k"}]})
    (provider,) = build_providers(auth)
    assert provider.name == "kerberos"


def test_nobody_takes_the_name_of_one_of_ours(logged: Logged) -> None:
    assert plugins.known_types().count("api_key") == 1
    assert plugins.kind_of("api_key").settings.__module__ == "sqe.auth.providers.api_key"
    assert "an auth provider's name is taken" in logged


@pytest.mark.parametrize(("name", "text"), [("broken", "leads to no ProviderKind"), ("gone", "cannot be loaded")])
def test_a_broken_one_is_named(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=f"auth provider {name}: .*{text}"):
        AuthSettings.model_validate({"providers": [{"type": name}]})
