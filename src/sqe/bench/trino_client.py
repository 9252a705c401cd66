"""Statements over Trino's protocol, plainly: one client for us and for Trino, so that only the servers differ."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from sqe.core.errors import ExternalError


class TrinoClient:
    """One client with one connection."""

    def __init__(self, url: str, user: str, password: str = "") -> None:
        auth = (user, password) if password else None
        self._url = url
        self._http = httpx2.Client(
            timeout=300, auth=auth, headers={"X-Trino-User": user, "X-Trino-Source": "sqe-bench"}
        )

    def run(self, sql: str) -> int:
        """How many rows a statement gives. Raises `ExternalError`."""
        page = self._page(self._http.post(f"{self._url}/v1/statement", content=sql.encode()))
        rows = 0
        while True:
            rows += len(page.get("data") or ())
            if "error" in page:
                raise ExternalError(f"{page['error']['errorName']}: {page['error']['message']}")
            if "nextUri" not in page:
                return rows
            page = self._page(self._http.get(page["nextUri"]))

    def close(self) -> None:
        """Hang up."""
        self._http.close()

    def _page(self, answer: httpx2.Response) -> dict[str, Any]:
        if answer.status_code != 200:
            raise ExternalError(f"status {answer.status_code}: {answer.text[:200]}")
        page: dict[str, Any] = json.loads(answer.content)
        return page
