"""Serves an application by HTTP in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from sqe.core.errors import ConfigError
from sqe.endpoints.trino_http.request_headers import PEER_CERTIFICATE

#: Prepared statements travel in headers.
_MAX_HEADER_BYTES = 256 << 10
_START_SECS = 30.0
_KEEP_ALIVE_SECS = 60


class CertifiedProtocol(H11Protocol):
    """Lets requests know the certificate that their client has shown; TLS has verified it by then."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """A client has connected."""
        tls = transport.get_extra_info("ssl_object")
        certificate = tls.getpeercert(binary_form=True) if tls is not None else None
        if certificate:
            self.app_state = {**self.app_state, PEER_CERTIFICATE: certificate}
        super().connection_made(transport)


class HttpServer:
    """Listens from its making until `close`; TLS with a certificate, mutual TLS with the authority of the clients'."""

    def __init__(
        self,
        app: ASGIApp,
        host: str,
        port: int,
        *,
        cert_file: Path | None = None,
        key_file: Path | None = None,
        ca_file: Path | None = None,
        drain_secs: int = 25,
    ) -> None:
        self._socket = _listening(host, port)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            lifespan="on",
            http=CertifiedProtocol,
            ws="none",
            # Clients think between two pages; a connection made anew costs more than one that waits.
            timeout_keep_alive=_KEEP_ALIVE_SECS,
            timeout_graceful_shutdown=drain_secs,
            h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
            ssl_certfile=cert_file,
            ssl_keyfile=key_file,
            ssl_ca_certs=str(ca_file) if ca_file else None,
            ssl_cert_reqs=ssl.CERT_REQUIRED if ca_file else ssl.CERT_NONE,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="trino-http", daemon=True)
        self._thread.start()
        self._wait()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._socket.getsockname()[1])

    def close(self) -> None:
        """Stop listening, let requests end, stop."""
        self._server.should_exit = True
        self._thread.join()

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    def _wait(self) -> None:
        deadline = time.monotonic() + _START_SECS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise ConfigError("the HTTP server did not start")
            time.sleep(0.01)


def _listening(host: str, port: int) -> socket.socket:
    """Bound here, not in the thread: a port that is taken is an error of the start."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol told, asyncio sends small answers at once; else the system keeps them back for 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
    return listener
