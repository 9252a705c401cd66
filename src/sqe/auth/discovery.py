"""What an OpenID provider says of itself on its own page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqe.auth.http import Http, provider_is_away
from sqe.observe.logs import get_logger

_log = get_logger(__name__)


def discover(http: Http, issuer: str) -> Mapping[str, Any]:
    """The provider's page. Raises `ExternalError` when there is none, or it speaks of another issuer."""
    page = http.get_json(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if page.get("issuer") != issuer:
        _log.warning("the identity provider's page names another issuer", expected=issuer)
        raise provider_is_away()
    return page


def endpoint_in(page: Mapping[str, Any], name: str) -> str:
    """An address on the page. Raises `ExternalError` when it is not there, or is no address."""
    address = page.get(name)
    if not isinstance(address, str) or not address.startswith(("https://", "http://")):
        _log.warning("the identity provider's page lacks an address", endpoint=name)
        raise provider_is_away()
    return address
