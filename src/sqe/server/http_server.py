"""An HTTP server in a thread of this process."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from sqe.core.errors import ConfigError, InternalError

_START_SECS = 10.0


@dataclass(frozen=True)
class TlsFiles:
    """The PEM files of a server; `ca` makes clients show certificates."""

    cert: str
    key: str
    ca: str = ""


class HttpServer:
    """Serves one application on one port until it is closed."""

    def __init__(self, app: ASGIApp, host: str, port: int, name: str, tls: TlsFiles | None = None) -> None:
        self._socket = _bound(host, port, name)
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            lifespan="on",
            h11_max_incomplete_event_size=64 * 1024,
            ssl_certfile=tls.cert if tls else None,
            ssl_keyfile=tls.key if tls else None,
            ssl_ca_certs=(tls.ca or None) if tls else None,
            ssl_cert_reqs=2 if tls and tls.ca else 0,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name=f"http-{name}", daemon=True
        )

    def start(self) -> None:
        """Serve from now on."""
        self._thread.start()
        deadline = time.monotonic() + _START_SECS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise InternalError("an HTTP port does not open", hint="the log says why")
            time.sleep(0.01)

    def close(self) -> None:
        """Finish what was asked and stop."""
        self._server.should_exit = True
        self._thread.join(timeout=_START_SECS)
        self._socket.close()


def _bound(host: str, port: int, name: str) -> socket.socket:
    """A socket on the port; taken here, since a server that cannot get its port must not seem to run."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise ConfigError(f"the {name} port {port} on {host} cannot be used: {error.strerror}") from error
    return bound
