"""Calls to identity providers: bounded in time and size, no redirects, every failure an `ExternalError`."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote

import httpx2

from sqe.core.errors import ExternalError
from sqe.observe.logs import get_logger

_log = get_logger(__name__)
#: A longer answer is cut off.
MAX_ANSWER_BYTES = 256 * 1024


@dataclass(frozen=True)
class HttpAnswer:
    """What came back; it may hold tokens, so a repr does not show it."""

    status: int
    body: bytes = field(repr=False)

    def json(self) -> Any:  # noqa: ANN401 - whatever they sent
        """The body as JSON; None when it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


def provider_is_away() -> ExternalError:
    """What everybody outside is told of it; the log says more."""
    return ExternalError("the identity provider does not answer as it should", hint="try again later")


@cache
def _checked() -> ssl.SSLContext:
    """Checks certificates; reading all authorities takes a while, so all clients share one."""
    return httpx2.create_ssl_context()


class Http:
    """A client of one identity provider. Used by many threads at once."""

    def __init__(self, *, verify: bool = True, timeout_secs: float = 10.0) -> None:
        self._deadline_secs = timeout_secs
        checked = _checked() if verify else False
        self._client = httpx2.Client(verify=checked, timeout=timeout_secs, follow_redirects=False)
        # Nothing that grows when it is unpacked.
        self._client.headers["Accept-Encoding"] = "identity"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def get_json(self, url: str) -> dict[str, Any]:
        """The JSON object at `url`. Raises `ExternalError` for everything else."""
        answer = self.send("GET", url, headers={"Accept": "application/json"})
        found = answer.json()
        if answer.status != 200 or not isinstance(found, dict):
            raise self._away(url, f"status {answer.status}" if answer.status != 200 else "no JSON object")
        return found

    def post_form(
        self, url: str, fields: Mapping[str, str], basic: tuple[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Status and JSON object that a form brings; statuses 200 and 4xx are answers, all else is an `ExternalError`.

        Args:
            url: Where to.
            fields: The form.
            basic: A client's id and secret, sent as OAuth wants them: encoded as in a form, then as HTTP Basic.
        """
        auth = httpx2.BasicAuth(*(quote(part, safe="") for part in basic)) if basic else None
        answer = self.send("POST", url, headers={"Accept": "application/json"}, form=fields, auth=auth)
        found = answer.json()
        # 429 and 408 are about the moment, not about the credentials.
        is_answer = answer.status == 200 or (400 <= answer.status < 500 and answer.status not in {404, 405, 408, 429})
        if not is_answer or not isinstance(found, dict):
            raise self._away(url, f"status {answer.status}, {'a' if isinstance(found, dict) else 'no'} JSON object")
        return answer.status, found

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        form: Mapping[str, str] | None = None,
        content: bytes | None = None,
        auth: httpx2.Auth | None = None,
    ) -> HttpAnswer:
        """Any answer of any status. Raises `ExternalError` when there is none, or one without end."""
        until = time.monotonic() + self._deadline_secs
        try:
            with self._client.stream(
                method, url, headers=dict(headers), data=dict(form) if form else None, content=content, auth=auth
            ) as response:
                body = bytearray()
                for chunk in response.iter_raw():
                    body += chunk
                    if len(body) > MAX_ANSWER_BYTES:
                        raise self._away(url, "the answer is too long")
                    if time.monotonic() > until:
                        raise self._away(url, "the answer takes too long")
                return HttpAnswer(response.status_code, bytes(body))
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, UnicodeError, ValueError) as error:
            raise self._away(url, type(error).__name__) from None

    @staticmethod
    def _away(url: str, why: str) -> ExternalError:
        try:
            host = httpx2.URL(url).host
        except (httpx2.InvalidURL, ValueError):
            host = ""
        _log.warning("an identity provider does not answer as it should", host=host, why=why)
        return provider_is_away()
