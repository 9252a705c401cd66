"""The application: routes, who asks, and what an error looks like over HTTP."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import sqe
from sqe.auth.credentials import Caller, Credentials, Password
from sqe.auth.gate import Gate
from sqe.auth.login import Login
from sqe.core.errors import (
    DeniedError,
    NotFoundError,
    NotSupportedError,
    SqeError,
    TooManyRequestsError,
    UserError,
)
from sqe.endpoints.trino_http.base_url import Proxies
from sqe.endpoints.trino_http.error_codes import AbandonedError, error_header, shown_text
from sqe.endpoints.trino_http.guard import EXPOSED_HEADERS, REQUEST_HEADERS, Guard
from sqe.endpoints.trino_http.login_pages import Elsewhere, LoginPages
from sqe.endpoints.trino_http.request_headers import (
    PEER_CERTIFICATE,
    ClientRequest,
    client_request,
    credentials_of,
    wait_secs,
)
from sqe.endpoints.trino_http.settings import TrinoSettings
from sqe.endpoints.trino_http.statement import Statement, Work
from sqe.endpoints.trino_http.statements import Answer, Statements, status_of
from sqe.observe.logs import get_logger

_log = get_logger(__name__)
_WAIT_SECS = 1.0
_MOST_WAIT_SECS = 10.0
#: The longest body that is read at all when the settings have no limit.
_HARD_LIMIT = 64 << 20

#: Makes the work of a statement: its login, what its headers say, its text.
WorkOf = Callable[[Login, ClientRequest, str], Work]


@dataclass(eq=False)
class TrinoEndpoint:
    """Trino's protocol over the gate and the engine."""

    gate: Gate
    work_of: WorkOf
    settings: TrinoSettings = field(default_factory=TrinoSettings)
    max_sql_bytes: int = 1 << 20
    external: Elsewhere | None = None
    #: Addresses and networks whose forwarding headers are believed.
    trusted_proxies: Sequence[str] = ()
    #: Where people log in, for clients that have nothing to log in with yet; None: such logins are not offered.
    login_facts: Callable[[], dict[str, object] | None] = lambda: None
    #: Whether the engine can take statements already, and still.
    ready: Callable[[], bool] = lambda: True

    def __post_init__(self) -> None:
        self._proxies = Proxies(self.trusted_proxies)
        self._statements = Statements(self.settings)
        self._pages = LoginPages(self.external, self._proxies) if self.external is not None else None
        self._logins = ThreadPoolExecutor(16, thread_name_prefix="trino-login")
        self._started = time.monotonic()

    def app(self) -> Starlette:
        """The ASGI application."""
        guard = Middleware(Guard, proxies=self._proxies, origins=frozenset(self.settings.cors_allowed_origins))
        return Starlette(
            routes=[*self._routes(), *(self._pages.routes() if self._pages else [])],
            middleware=[*self._cors(), guard],
            exception_handlers={SqeError: self._failed, ClientDisconnect: _nobody, Exception: self._broken},
            lifespan=self._lifespan,
        )

    def _routes(self) -> list[Route]:
        page = "{query_id}/{slug}/{token:int}"
        routes = [Route("/v1/statement", self._post, methods=["POST"])]
        for path in (f"queued/{page}", f"executing/{page}", "queued/{query_id}/{token:int}", "{query_id}/{token:int}"):
            routes += [
                Route(f"/v1/statement/{path}", self._get, methods=["GET"]),
                Route(f"/v1/statement/{path}", self._delete, methods=["DELETE"]),
            ]
        return [
            *routes,
            Route("/v1/statement/{query_id}", self._delete, methods=["DELETE"]),
            Route("/v1/query/{query_id}", self._query, methods=["GET"]),
            Route("/v1/query/{query_id}", self._delete, methods=["DELETE"]),
            Route("/v1/info", self._info, methods=["GET"]),
            Route("/v1/info/state", self._info_state, methods=["GET"]),
            Route("/v1/status", self._status, methods=["GET", "HEAD"]),
            Route("/v1/sqe/login", self._login_facts, methods=["GET"]),
        ]

    def _cors(self) -> list[Middleware]:
        if not self.settings.cors_allowed_origins:
            return []
        return [
            Middleware(
                CORSMiddleware,
                allow_origins=self.settings.cors_allowed_origins,
                allow_methods=["GET", "POST", "DELETE"],
                allow_headers=REQUEST_HEADERS,
                expose_headers=EXPOSED_HEADERS,
            )
        ]

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        yield
        await self._statements.close()
        self._logins.shutdown(wait=False)

    async def _post(self, request: Request) -> Response:
        credentials = _credentials(request)
        login = await self._login(request, credentials)
        said = client_request(request.headers, self.max_sql_bytes)
        _refuse_impersonation(said, login, credentials)
        base = self._proxies.base_url(request)
        wait = _wait(request)
        sql = await self._body(request)
        statement = self._statements.begin(sql, login.identity.user, self.work_of(login, said, sql))
        answered = await self._first(request, statement, base, wait)
        if statement.over and isinstance(statement.error, TooManyRequestsError):
            # Nothing of it was done, so a client may come again.
            self._statements.forget(statement)
            raise statement.error
        return _response(answered)

    async def _first(self, request: Request, statement: Statement, base: str, wait: float) -> Answer:
        """The answer to a POST; a client that hangs up before it has one can never ask for another."""
        asking = asyncio.ensure_future(self._statements.ask(statement, 0, base, wait))
        leaving = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
            self._statements.forget(statement)
            await self._statements.cancel(statement, AbandonedError("the client has hung up"))
            raise ClientDisconnect
        finally:
            asking.cancel()
            leaving.cancel()

    async def _get(self, request: Request) -> Response:
        statement = await self._own(request)
        base = self._proxies.base_url(request)
        answered = await self._statements.ask(statement, request.path_params["token"], base, _wait(request))
        return _response(answered)

    async def _delete(self, request: Request) -> Response:
        await self._statements.cancel(await self._own(request))
        return Response(status_code=204)

    async def _query(self, request: Request) -> Response:
        statement = await self._own(request)
        query = statement.query
        return JSONResponse(
            {
                "queryId": statement.id,
                "state": statement.state,
                "query": statement.sql,
                "self": f"{self._proxies.base_url(request)}/v1/query/{statement.id}",
                "session": {"user": statement.user},
                "queryStats": {
                    "elapsedTimeMillis": round(
                        1000 * (query.elapsed_secs if query else time.time() - statement.created)
                    ),
                    "outputPositions": query.rows if query else 0,
                },
            }
        )

    async def _info(self, _: Request) -> Response:
        minutes = (time.monotonic() - self._started) / 60
        return JSONResponse(
            {
                "nodeVersion": {"version": sqe.__version__},
                "environment": "production",
                "coordinator": True,
                "starting": not self.ready(),
                "uptime": f"{minutes:.2f}m",
            }
        )

    async def _info_state(self, _: Request) -> Response:
        return JSONResponse("ACTIVE" if self.ready() else "STARTING")

    async def _status(self, _: Request) -> Response:
        return JSONResponse({"coordinator": True, "starting": not self.ready()})

    async def _login_facts(self, _: Request) -> Response:
        """What everybody may know: it is what a browser is sent to, too."""
        facts = self.login_facts()
        if facts is None:
            raise NotFoundError("this server offers no login by code", hint="log in with a password or a token")
        return JSONResponse(facts)

    async def _own(self, request: Request) -> Statement:
        """The statement that a path names, of the person who asks."""
        login = await self._login(request, _credentials(request))
        path = request.path_params
        return self._statements.find(path["query_id"], login.identity.user, path.get("slug"))

    async def _login(self, request: Request, credentials: Credentials) -> Login:
        caller = Caller(self._proxies.client_address(request), "trino")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._logins, lambda: self.gate.login(credentials, caller))

    async def _body(self, request: Request) -> str:
        limit = self.max_sql_bytes or _HARD_LIMIT
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > limit:
                raise TooLargeError(f"the statement has more than {limit:,} bytes")
        try:
            sql = body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UserError("the statement is not UTF-8") from error
        if not sql.strip():
            raise UserError("the statement is empty")
        return sql

    async def _failed(self, request: Request, error: Exception) -> Response:
        if not isinstance(error, SqeError):
            return await self._broken(request, error)
        status = 413 if isinstance(error, TooLargeError) else status_of(error)
        # Without the path: it may hold what only its owner knows.
        address = self._proxies.client_address(request)
        _log.info("request refused", method=request.method, status=status, reason=error.message, address=address)
        headers = dict([error_header(error, "")])
        if status == 401:
            headers["WWW-Authenticate"] = self._challenge(request)
        elif status in {429, 503}:
            headers["Retry-After"] = "1"
        return PlainTextResponse(f"{shown_text(error, '')}\n", status, headers)

    async def _broken(self, _: Request, error: Exception) -> Response:
        _log.exception("request failed", kind=type(error).__name__)
        return PlainTextResponse("internal error; the log tells more\n", 500)

    def _challenge(self, request: Request) -> str:
        if self._pages is None:
            return 'Basic realm="SQE"'
        try:
            return self._pages.challenge(self._proxies.base_url(request))
        except UserError:
            return 'Basic realm="SQE"'


class TooLargeError(UserError):
    """More bytes than a statement may have."""


def _credentials(request: Request) -> Credentials:
    return credentials_of(request.headers, request.scope.get("state", {}).get(PEER_CERTIFICATE))


async def _nobody(_: Request, __: Exception) -> Response:
    """The answer to a client that is gone."""
    return Response(status_code=499)


async def _disconnected(request: Request) -> None:
    """Until the client hangs up; what it sends before that is of no interest."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _refuse_impersonation(said: ClientRequest, login: Login, credentials: Credentials) -> None:
    """Names of users are compared as they are: some identity providers tell letters of another case apart."""
    own = {"", login.identity.user, login.identity.display_name}
    if isinstance(credentials, Password):
        # An identity provider may call somebody by a number; the person has typed a name.
        own.add(credentials.user)
    if not {said.user, said.original_user} <= own:
        raise DeniedError("you cannot act as another user", hint="leave X-Trino-User out, or name yourself")
    if not said.roles <= login.identity.roles:
        raise DeniedError(f"you do not have the role {min(said.roles - login.identity.roles)}")
    if said.transaction:
        raise NotSupportedError("transactions are not supported", hint="let the client commit each statement")


def _wait(request: Request) -> float:
    return wait_secs(request.headers, request.query_params.get("maxWait"), _WAIT_SECS, _MOST_WAIT_SECS)


def _response(answered: Answer) -> Response:
    response = Response(answered.body, media_type="application/json")
    for name, value in answered.headers:
        response.headers.append(name, value)
    return response
