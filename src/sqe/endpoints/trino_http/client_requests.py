"""Requests of a client of Trino's protocol: to one server only, without redirects, again where that does no harm."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx2
import orjson

from sqe.core.errors import EngineUnavailableError, ExternalError, RemoteError, SqeError, UserError
from sqe.endpoints.trino_http.client_state import Header
from sqe.endpoints.trino_http.client_types import not_understood
from sqe.endpoints.trino_http.error_codes import ERROR_HEADER

#: A page larger than this is not read to its end.
MAX_ANSWER_BYTES = 256 << 20
#: How long a client goes on asking a server that is busy or does not answer.
PATIENCE_SECS = 20.0
_READ_SECS = 120.0
_CONNECT_SECS = 10.0
_FIRST_PAUSE_SECS = 0.1
_LONGEST_PAUSE_SECS = 3.0
#: What load balancers answer when the server behind them is not there for a moment.
_PASSING = frozenset({502, 503, 504})
_BUSY = 429

#: The value of the header Authorization, asked for each request; empty: none.
Authorization = Callable[[], str]
#: Why no connection is to be had; asked when one has failed.
WhyAway = Callable[[], SqeError]


@dataclass(frozen=True)
class Page:
    """The JSON object of an answer, and its headers."""

    content: dict[str, Any] = field(repr=False)
    headers: list[Header] = field(repr=False)


class Requests:
    """The requests of one client; `send` may be called by several threads."""

    def __init__(
        self,
        origin: str,
        *,
        authorization: Authorization = lambda: "",
        why_away: WhyAway | None = None,
        tls: ssl.SSLContext | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.origin = httpx2.URL(origin)
        self._authorization = authorization
        self._why_away = why_away or (lambda: EngineUnavailableError(f"no server answers at {origin}"))
        self._sleep = sleep
        timeout = httpx2.Timeout(_READ_SECS, connect=_CONNECT_SECS)
        # Reading all authorities takes a while; a plain connection needs none.
        verify = tls if tls is not None else self.origin.scheme == "https"
        self._client = httpx2.Client(verify=verify, timeout=timeout, follow_redirects=False)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def checked(self, address: object) -> str:
        """An address that the server has told. Raises `ExternalError` for one of another server's."""
        try:
            url = httpx2.URL(address) if isinstance(address, str) else None
        except (httpx2.InvalidURL, ValueError):
            url = None
        if url is None:
            raise not_understood("an address")
        if _origin(url) != _origin(self.origin) or url.userinfo:
            # Whoever follows it takes the password or token along.
            raise ExternalError(
                f"the server sends to another address: {url.scheme}://{url.netloc.rpartition(b'@')[2].decode('ascii')}",
                hint="a proxy in front of it must pass on the header Host, or be in trino.trusted_proxies there",
            )
        return str(url)

    def post(self, path: str, body: bytes, headers: Iterable[Header]) -> Page:
        """Send a statement. Not sent again when the server may have begun with it."""
        return self._page("POST", str(self.origin.join(path)), body, headers)

    def get(self, url: str) -> Page:
        """The page at an address that was checked. The server keeps a page until the next one is asked for."""
        return self._page("GET", url)

    def delete(self, url: str) -> None:
        """Give up a statement; whoever is canceled already cannot be canceled."""
        status, _, body = self._send("DELETE", url)
        if status >= 400 and status not in {404, 410}:
            raise _refusal(status, [], body)

    def _page(self, method: str, url: str, body: bytes | None = None, headers: Iterable[Header] = ()) -> Page:
        until = time.monotonic() + PATIENCE_SECS
        pause = _FIRST_PAUSE_SECS
        sent = list(headers)
        while True:
            status, answered, text = self._attempt(method, url, body, sent, until)
            if status == 200:
                return Page(_object(text), answered)
            if not _again(method, status, answered) or time.monotonic() > until:
                raise _refusal(status, answered, text)
            self._sleep(_asked_pause(answered) or pause)
            pause = min(_LONGEST_PAUSE_SECS, pause * 2)

    def _attempt(
        self, method: str, url: str, body: bytes | None, headers: list[Header], until: float
    ) -> tuple[int, list[Header], bytes]:
        """One answer; a page that a connection lost is asked for again."""
        while True:
            try:
                return self._send(method, url, body, headers)
            except EngineUnavailableError:
                if method != "GET" or time.monotonic() > until:
                    raise
                self._sleep(_FIRST_PAUSE_SECS * 5)

    def _send(
        self, method: str, url: str, body: bytes | None = None, headers: Iterable[Header] = ()
    ) -> tuple[int, list[Header], bytes]:
        told = [*headers, (b"accept", b"application/json")]
        authorization = self._authorization()
        if authorization:
            told.append((b"authorization", authorization.encode()))
        try:
            with self._client.stream(method, url, content=body, headers=told) as response:
                answer = bytearray()
                for chunk in response.iter_bytes(1 << 16):
                    answer += chunk
                    if len(answer) > MAX_ANSWER_BYTES:
                        raise not_understood("it is too long")
                return response.status_code, [(name, value) for name, value in response.headers.raw], bytes(answer)
        except httpx2.ReadTimeout as error:
            raise EngineUnavailableError(f"the server at {self.origin} does not answer in time") from error
        except httpx2.DecodingError as error:
            raise not_understood("its encoding") from error
        except (httpx2.HTTPError, OSError) as error:
            raise self._why_away() from error


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host.lower(), url.port or {"http": 80, "https": 443}.get(url.scheme)


def _again(method: str, status: int, headers: list[Header]) -> bool:
    """Whether to ask again: a statement only when nothing of it can have been done."""
    if status == _BUSY:
        return True
    if status not in _PASSING:
        return False
    # The server itself has said what is wrong; what is not there now will not be there in a moment.
    return method == "GET" or (status == 503 and _told(headers) is None)


def _asked_pause(headers: list[Header]) -> float | None:
    value = next((value for name, value in headers if name.lower() == b"retry-after"), b"").strip()
    return min(_LONGEST_PAUSE_SECS, float(value)) if value.isdigit() and len(value) < 6 else None


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise not_understood("it is no JSON object")
    return found


def error_told(headers: Iterable[Header]) -> SqeError | None:
    """The error that a server of ours tells beside its answer, with code, hint and place."""
    found = _told(headers)
    if found is None:
        return None
    try:
        return RemoteError(json.loads(found))
    except (ValueError, TypeError, AttributeError):
        return None


def _told(headers: Iterable[Header]) -> bytes | None:
    wanted = ERROR_HEADER.lower().encode()
    return next((value for name, value in headers if name.lower() == wanted), None)


def _refusal(status: int, headers: list[Header], body: bytes) -> SqeError:
    """What an answer of another status than 200 means."""
    told = error_told(headers)
    if told is not None:
        return told
    words = " ".join(body[:300].decode("utf-8", errors="replace").split())
    is_page = words.startswith("<") or not words.isprintable()
    text = f": {words}" if words and not is_page else ""
    kind = {401: "unauthenticated", 403: "denied", 404: "not_found", 410: "canceled", 429: "exhausted"}.get(status)
    if kind is not None and (status != 404 or not is_page):
        return RemoteError({"kind": kind, "code": kind.upper(), "message": words if text else f"status {status}"})
    if 300 <= status < 400:
        return ExternalError("the server sends to another place, which is not followed", hint="name that place itself")
    if status == 400:
        return UserError(words if text else "the server does not take the request")
    return ExternalError(f"the server answers with status {status}{text}")
