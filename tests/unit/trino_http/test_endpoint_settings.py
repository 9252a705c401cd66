"""Settings that would open the endpoint to others than was meant."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from sqe.endpoints.settings import SecuritySettings
from sqe.endpoints.trino_http.settings import TrinoSettings


@pytest.mark.parametrize("proxy", ["proxy.example.com", "10.0.0.0/99", "*", ""])
def test_proxies_are_addresses(proxy: str) -> None:
    with pytest.raises(ValidationError, match="addresses or networks only"):
        SecuritySettings(trusted_proxies=["10.0.0.1", proxy])


def test_proxies_that_are_fine() -> None:
    named = ["10.0.0.7", "10.1.0.0/16", "fd00::/8"]
    assert SecuritySettings(trusted_proxies=named).trusted_proxies == named


@pytest.mark.parametrize("origin", ["*", "null", "tools.example.com", ""])
def test_origins_are_addresses_of_pages(origin: str) -> None:
    with pytest.raises(ValidationError, match="must hold origins"):
        TrinoSettings(cors_allowed_origins=[origin])


def test_pages_have_a_size() -> None:
    with pytest.raises(ValidationError, match="at least 4KB"):
        TrinoSettings.model_validate({"page_bytes": "1B"})
