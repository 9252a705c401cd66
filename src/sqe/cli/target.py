"""A server as the command line names it: where it is, and how it is trusted."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.core.errors import UserError

FLIGHT, HTTP = "flight", "http"
DEFAULT_PORTS = {FLIGHT: 50051, HTTP: 8080}
PROTOCOL_NAMES = {FLIGHT: "Flight SQL", HTTP: "Trino's HTTP protocol"}


@dataclass(frozen=True)
class Target:
    """One port of a server."""

    host: str
    port: int
    protocol: str = FLIGHT
    tls: bool = False
    insecure: bool = False
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @property
    def authority(self) -> str:
        """Host and port as an address has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """The address for people, and for HTTP."""
        return f"{'https' if self.tls else 'http'}://{self.authority}"

    @property
    def flight_location(self) -> str:
        """The address for Flight."""
        return f"{'grpc+tls' if self.tls else 'grpc'}://{self.authority}"

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine, so that nobody listens in between."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def ssl_context(self) -> ssl.SSLContext:
        """How HTTP trusts the server, and shows who asks. Raises `UserError` for files that cannot be used."""
        context = ssl.create_default_context()
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        try:
            if self.ca is not None:
                context.load_verify_locations(self.ca)
            if self.cert is not None:
                # A key with a passphrase would ask for it on the terminal; an empty one makes that an error.
                context.load_cert_chain(self.cert, self.key, password=lambda: "")
        except (OSError, ValueError) as error:
            named = "--cert and --key" if self.ca is None or self.cert is not None else "--ca"
            raise UserError(f"the files of {named} cannot be used: {_why(error)}") from error
        return context

    def flight_options(self) -> dict[str, Any]:
        """The same for Flight."""
        if not self.tls:
            return {}
        self.ssl_context()
        options: dict[str, Any] = {"disable_server_verification": True} if self.insecure else {}
        if self.ca is not None and not self.insecure:
            options["tls_root_certs"] = self.ca.read_bytes() + _usual_roots()
        if self.cert is not None:
            options |= {"cert_chain": self.cert.read_bytes(), "private_key": (self.key or self.cert).read_bytes()}
        return options


def _usual_roots() -> bytes:
    """The authorities that this machine trusts; Flight takes those it is given instead of them, not besides."""
    file = ssl.get_default_verify_paths().cafile
    try:
        return b"\n" + Path(file).read_bytes() if file else b""
    except OSError:
        return b""


def _why(error: Exception) -> str:
    """What is wrong with a file, without what is in it."""
    if isinstance(error, ssl.SSLError):
        return "no certificate or key in PEM, or they do not belong together"
    return (error.strerror if isinstance(error, OSError) else None) or "not readable"
