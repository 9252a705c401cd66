"""What every answer carries, and which web pages may ask at all."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sqe.core.errors import SqeError
from sqe.endpoints.trino_http.base_url import Proxies

_SAFE = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_NAMES = ("User", "Catalog", "Schema", "Source", "Session", "Prepared-Statement", "Time-Zone", "Client-Info")
REQUEST_HEADERS = ["Authorization", "Content-Type", *(f"X-Trino-{name}" for name in _NAMES)]
EXPOSED_HEADERS = [
    *(f"X-Trino-{name}" for name in ("Set-Catalog", "Set-Schema", "Set-Session", "Clear-Session")),
    "X-Trino-Added-Prepare",
    "X-Trino-Deallocated-Prepare",
]


class Guard:
    """Puts headers on answers, and refuses requests that a web page of somebody else makes a browser send.

    Without this, any page that a person looks at could run statements where no password is needed: a plain POST needs
    no permission of the server's.
    """

    def __init__(self, app: ASGIApp, proxies: Proxies, origins: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._proxies = proxies
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SAFE.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self._app if self._welcome(Request(scope)) else _refused
        await app(scope, receive, guarded)

    def _welcome(self, request: Request) -> bool:
        origin = request.headers.get("origin")
        if origin is None or origin in self._origins:
            return True
        try:
            return origin == self._proxies.base_url(request)
        except SqeError:
            return False


_refused = PlainTextResponse("this page may not ask here\n", 403)
