"""Logging in with a browser, as Trino's clients do it: a challenge, a page to open, a token to poll for.

The client gets a random number and the address of a page that has only the number's hash in it. So whoever sees the
page's address, in a browser's history or a log, cannot fetch the token.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import Protocol

from cachetools import TTLCache
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from sqe.auth.credentials import Caller
from sqe.auth.external import Begun, Done, Failed, Pending, Poll
from sqe.core.errors import NotFoundError, UserError
from sqe.endpoints.trino_http.base_url import Proxies

#: How long an attempt may take, and how many are remembered at once.
_ATTEMPT_SECS = 900
_ATTEMPTS = 10_000
_POLL_SECS = 10.0
_POLL_EVERY_SECS = 0.5


class Elsewhere(Protocol):
    """A login at an identity provider's page; `sqe.auth.external` has it. Called by threads."""

    def begin(self) -> Begun:
        """A new login: its id, and the page where a person logs in."""
        ...

    def callback(self, code: str, state: str, caller: Caller | None = None, *, error: str = "") -> None:
        """The identity provider has sent the person back. Raises `SqeError`."""
        ...

    def poll(self, login_id: str) -> Poll:
        """How far it is; a token comes once. Raises `NotFoundError` for a login that is none, or over."""
        ...

    def abandon(self, login_id: str) -> None:
        """The client does not want it any more."""
        ...


class LoginPages:
    """The routes below /oauth2."""

    def __init__(self, external: Elsewhere, proxies: Proxies) -> None:
        self._external = external
        self._proxies = proxies
        self._started: TTLCache[str, str] = TTLCache(_ATTEMPTS, _ATTEMPT_SECS)

    def challenge(self, base: str) -> str:
        """What `WWW-Authenticate` says; nothing is remembered until somebody opens the page."""
        number = secrets.token_urlsafe(32)
        page = f"{base}/oauth2/token/initiate/{_hashed(number)}"
        return f'Bearer x_redirect_server="{page}", x_token_server="{base}/oauth2/token/{number}"'

    def routes(self) -> list[Route]:
        """For the application."""
        return [
            Route("/oauth2/token/initiate/{hashed}", self._initiate, methods=["GET"]),
            Route("/oauth2/callback", self._callback, methods=["GET"]),
            Route("/oauth2/token/{number}", self._poll, methods=["GET"]),
            Route("/oauth2/token/{number}", self._forget, methods=["DELETE"]),
        ]

    async def _initiate(self, request: Request) -> Response:
        hashed = request.path_params["hashed"]
        if len(hashed) != 64:
            raise NotFoundError("no such login")
        begun = await asyncio.to_thread(self._external.begin)
        if hashed in self._started:
            raise UserError("this page was opened already", hint="begin the login once more")
        self._started[hashed] = begun.id
        return RedirectResponse(begun.redirect_url, status_code=303)

    async def _callback(self, request: Request) -> Response:
        query = request.query_params
        caller = Caller(self._proxies.client_address(request), "trino")
        code, state, error = (query.get(name, "") for name in ("code", "state", "error"))
        # What the identity provider says is not shown: anybody can write such a link.
        await asyncio.to_thread(self._external.callback, code, state, caller, error=error)
        return PlainTextResponse("You are logged in. This page can be closed.\n")

    async def _poll(self, request: Request) -> Response:
        number = request.path_params["number"]
        base = self._proxies.base_url(request)
        hashed = _hashed(number)
        deadline = asyncio.get_running_loop().time() + _POLL_SECS
        while True:
            login_id = self._started.get(hashed)
            outcome = Pending() if login_id is None else await asyncio.to_thread(self._external.poll, login_id)
            if not isinstance(outcome, Pending):
                self._started.pop(hashed, None)
                return JSONResponse(_told(outcome))
            if asyncio.get_running_loop().time() > deadline:
                return JSONResponse({"nextUri": f"{base}/oauth2/token/{number}"})
            await asyncio.sleep(_POLL_EVERY_SECS)

    async def _forget(self, request: Request) -> Response:
        login_id = self._started.pop(_hashed(request.path_params["number"]), None)
        if login_id is not None:
            await asyncio.to_thread(self._external.abandon, login_id)
        return Response(status_code=204)


def _told(outcome: Done | Failed) -> dict[str, str]:
    return {"token": outcome.token} if isinstance(outcome, Done) else {"error": outcome.message}


def _hashed(number: str) -> str:
    return hashlib.sha256(number.encode("utf-8", errors="replace")).hexdigest()
