"""Looks at the neighbours that a server depends on, for /readyz."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import httpx2

from sqe.auth.build import chain
from sqe.endpoints.ops_http.app import Check
from sqe.settings import Settings

_PATIENCE_SECS = 3.0


def neighbours(settings: Settings) -> dict[str, Check]:
    """A check for each REST catalog and each identity provider, by the name that /readyz shows."""
    return dict(_checks(settings))


def _checks(settings: Settings) -> Iterator[tuple[str, Check]]:
    for name, catalog in settings.catalogs.items():
        if catalog.backend.type == "rest":
            yield f"catalog {name}", partial(_answers, f"{catalog.catalog_url.rstrip('/')}/v1/config", verify=True)
    for provider in chain(settings.auth):
        for address in provider.addresses():
            yield f"auth {provider.type}", partial(_answers, address, verify=settings.auth.ssl_verification)


def _answers(url: str, *, verify: bool) -> bool:
    """Whether somebody is there; what they say to nobody in particular is their business."""
    try:
        with httpx2.Client(verify=verify, timeout=_PATIENCE_SECS, follow_redirects=False) as http:
            return http.get(url).status_code < 500
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return False
