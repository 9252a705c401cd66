"""Health, readiness, status and metrics over HTTP. Nothing here tells who asks what."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import sqe

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from starlette.requests import Request

#: A look at something the server depends on; True when it is fine. May take a while, may not raise.
Check = Callable[[], bool]
#: Neighbours are asked at most this often.
_REMEMBERED_SECS = 10.0


@dataclass
class Readiness:
    """What must be fine before clients are sent here."""

    checks: Mapping[str, Check]
    #: The server ends: nobody new, please.
    draining: bool = False
    _answers: dict[str, tuple[float, bool]] = field(default_factory=dict)

    def look(self) -> dict[str, bool]:
        """How each check stands."""
        return {name: self._remembered(name, check) for name, check in self.checks.items()}

    def _remembered(self, name: str, check: Check) -> bool:
        when, answer = self._answers.get(name, (0.0, False))
        if not answer or time.monotonic() - when > _REMEMBERED_SECS:
            answer = check()
            self._answers[name] = time.monotonic(), answer
        return answer


def health_app(readiness: Readiness, status: Callable[[], Mapping[str, object]]) -> Starlette:
    """The health port: /healthz, /readyz, /api/v1/status."""

    async def healthz(request: Request) -> Response:
        del request
        return PlainTextResponse("ok")

    async def readyz(request: Request) -> Response:
        del request
        checks = await anyio.to_thread.run_sync(readiness.look)
        failed = [name for name, fine in checks.items() if not fine]
        if readiness.draining:
            failed.append("draining")
        ready = not failed
        body = {"status": "ready" if ready else "not_ready", "checks": checks, "failed": failed}
        return JSONResponse(body, status_code=200 if ready else 503)

    async def api_status(request: Request) -> Response:
        del request
        node = {"role": "coordinator", "version": sqe.__version__}
        facts = await anyio.to_thread.run_sync(status)
        return JSONResponse({"status": "draining" if readiness.draining else "running", "node": node, **facts})

    return Starlette(
        routes=[
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/api/v1/status", api_status),
        ]
    )


def metrics_app(registry: CollectorRegistry) -> Starlette:
    """The metrics port: /metrics."""
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

    async def metrics(request: Request) -> Response:
        del request
        body = await anyio.to_thread.run_sync(generate_latest, registry)
        return Response(body, media_type=CONTENT_TYPE_LATEST)

    return Starlette(routes=[Route("/metrics", metrics)])
