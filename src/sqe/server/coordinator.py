"""The server: every part put together, started in order, ended in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry

from sqe.auth.build import build_gate, people_of
from sqe.auth.external import ExternalLogin
from sqe.catalogs.served import ServedMounts
from sqe.core.errors import SqeError
from sqe.core.folders import Folders
from sqe.endpoints.flight_sql.access import GateAccess
from sqe.endpoints.flight_sql.service import FlightSqlService, Tls
from sqe.endpoints.ops_http.app import Readiness, health_app, metrics_app
from sqe.endpoints.settings import TlsSettings
from sqe.endpoints.trino_http.app import TrinoEndpoint
from sqe.endpoints.trino_http.server import HttpServer
from sqe.endpoints.trino_http.work import Engine as TrinoWork
from sqe.observe.logs import get_logger
from sqe.query.metrics import QueryMetrics
from sqe.server.dependencies import neighbours
from sqe.server.local import Engine
from sqe.settings import Settings

_log = get_logger(__name__)
_TICK_SECS = 1.0
_DRAIN_TICK_SECS = 0.1


class Coordinator:
    """Serves people over Flight SQL and Trino's HTTP protocol until it is told to end."""

    def __init__(self, settings: Settings, folders: Folders, *, environ: Mapping[str, str], log_folder: Path) -> None:
        self.settings = settings
        self._started = time.monotonic()
        self._stop = threading.Event()
        mounts = ServedMounts.of(settings.catalogs, settings.query.default_catalog)
        mounts.prepare()
        self.registry = CollectorRegistry()
        self.gate = build_gate(settings.auth, settings.session, settings.rate_limit)
        self.engine = Engine(
            settings,
            folders,
            mounts,
            environ=environ,
            log_folder=log_folder,
            groups=mounts.groups,
            listeners=(QueryMetrics(self.registry, self._session_count),),
            session_idle_secs=settings.session.idle_timeout_secs,
            warm_up=True,
        )
        self.gate.listen(renewed=self.engine.sessions.renewed, ended=self.engine.sessions.end_login)
        self.readiness = Readiness({"engine": self._engine_is_up} | neighbours(settings))
        self._external = self._external_login()
        self.flight = self._flight()
        self.trino = self._trino()
        self._ops = self._ops_servers()

    @property
    def ports(self) -> dict[str, int]:
        """The ports that are open, by what they are for."""
        ports = {"flight_sql": self.flight.port}
        if self.trino is not None:
            ports["trino_http"] = self.trino.port
        return ports | {name: server.port for name, server in self._ops.items()}

    def serve(self) -> None:
        """Serve until `stop`, then let running statements end, then close."""
        while not self._stop.wait(_TICK_SECS):
            self.flight.give_up_unclaimed()
        self._drain()
        self.close()

    def stop(self) -> None:
        """Ask `serve` to end; what runs may end, what comes now goes elsewhere."""
        self.readiness.draining = True
        self.engine.tracker.refuse_new()
        self._stop.set()

    def close(self) -> None:
        """Close all parts, those that let people in first."""
        self.readiness.draining = True
        with self.engine.impatience():
            # Endpoints wait for their calls to end, and those wait for their statements.
            self.engine.tracker.close()
            if self.trino is not None:
                self.trino.close()
            self.flight.close()
        self.gate.close()
        if self._external is not None:
            self._external.close()
        for server in self._ops.values():
            server.close()
        self.engine.close()

    def _drain(self) -> None:
        """Give running statements their time; who comes now is sent elsewhere by /readyz."""
        deadline = time.monotonic() + self.settings.coordinator.shutdown_drain_secs
        running = len(self.engine.tracker.running())
        _log.info("draining", running=running)
        while self.engine.tracker.running() and time.monotonic() < deadline:
            time.sleep(_DRAIN_TICK_SECS)
            self.flight.give_up_unclaimed()

    def _engine_is_up(self) -> bool:
        with suppress(SqeError):
            return self.engine.spark.ready()
        return False

    def _session_count(self) -> int:
        return self.engine.sessions.count()

    def _external_login(self) -> ExternalLogin | None:
        auth = self.settings.auth
        return ExternalLogin(auth.external, people_of(auth), self.gate) if auth.external.issuer else None

    def _flight(self) -> FlightSqlService:
        chosen = self.settings.coordinator
        scheme = "grpc+tls" if chosen.tls.on else "grpc"
        location = f"{scheme}://{_host(chosen.bind_address)}:{chosen.flight_sql_port}"
        access = GateAccess(self.engine.sessions, self.gate)
        return FlightSqlService(
            location, self.engine.pipeline, access, tls=_flight_tls(chosen.tls, self._by_certificate)
        )

    @property
    def _by_certificate(self) -> bool:
        return any(provider.type == "mtls" for provider in self.settings.auth.providers)

    def _trino(self) -> HttpServer | None:
        chosen = self.settings.coordinator
        if not chosen.trino_http_port:
            return None
        endpoint = TrinoEndpoint(
            self.gate,
            TrinoWork(self.engine.pipeline, self.engine.sessions).work_of,
            self.settings.trino,
            self.settings.query.max_sql_bytes,
            self._external,
            trusted_proxies=self.settings.security.trusted_proxies,
            login_facts=self._login_facts,
            ready=lambda: not self.readiness.draining and self._engine_is_up(),
        )
        return HttpServer(
            endpoint.app(),
            chosen.bind_address,
            chosen.trino_http_port,
            cert_file=_path(chosen.tls.cert_file),
            key_file=_path(chosen.tls.key_file),
            ca_file=_path(chosen.tls.ca_file),
        )

    def _login_facts(self) -> dict[str, object] | None:
        """The identity provider for logins by code; none when its only client has a secret, which is not to be told."""
        external = self.settings.auth.external
        client = external.device.client_id or ("" if external.client_secret.get_secret_value() else external.client_id)
        if not external.issuer or not client:
            return None
        scopes = external.device.scopes or external.scopes
        facts: dict[str, object] = {"issuer": external.issuer, "clientId": client, "scopes": list(scopes)}
        return facts | {"flightSqlPort": self.flight.port}

    def _ops_servers(self) -> dict[str, HttpServer]:
        metrics = self.settings.metrics
        if not metrics.prometheus_port:
            return {}
        return {
            "metrics": HttpServer(metrics_app(self.registry), metrics.bind_address, metrics.prometheus_port),
            "health": HttpServer(
                health_app(self.readiness, self._status), metrics.bind_address, metrics.prometheus_port + 1
            ),
        }

    def _status(self) -> Mapping[str, object]:
        tracker = self.engine.tracker
        return {
            "uptimeSeconds": round(time.monotonic() - self._started),
            "queries": {"running": len(tracker.running())},
            "sessions": self.engine.sessions.count(),
            "workers": None,
        }


def _host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _flight_tls(tls: TlsSettings, by_certificate: bool) -> Tls | None:
    if not tls.on:
        return None
    return Tls(
        Path(tls.cert_file).read_bytes(),
        Path(tls.key_file).read_bytes(),
        Path(tls.ca_file).read_bytes() if tls.ca_file else None,
        clients_are_their_certificates=bool(tls.ca_file) and by_certificate,
    )


def _path(text: str) -> Path | None:
    return Path(text) if text else None
