"""The settings of the server's ports, and of what may cross them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sqe.observe.model import Conflict, Seconds, SettingsModel

Port = Annotated[int, Field(ge=0, le=65535)]


class TlsSettings(SettingsModel):
    """TLS on the ports for clients; both files or neither."""

    cert_file: str = Field(default="", description="The server's certificate and its chain, PEM.")
    key_file: str = Field(default="", description="The certificate's private key, PEM.")
    ca_file: str = Field(
        default="", description="Who signs clients' certificates, PEM; set, every client must show one (mTLS)."
    )

    def conflicts(self) -> Iterable[Conflict]:
        """Files that are named exist, and come in pairs."""
        if bool(self.cert_file) != bool(self.key_file):
            missing = "key_file" if self.cert_file else "cert_file"
            yield Conflict((missing,), "cert_file and key_file go together")
        if self.ca_file and not self.cert_file:
            yield Conflict(("ca_file",), "needs cert_file and key_file")
        for name in ("cert_file", "key_file", "ca_file"):
            path = getattr(self, name)
            if path and not Path(path).is_file():
                yield Conflict((name,), "there is no such file")

    @property
    def on(self) -> bool:
        """Whether clients connect with TLS."""
        return bool(self.cert_file)


class CoordinatorSettings(SettingsModel):
    """The server: its ports, and how it ends."""

    bind_address: str = Field(
        default="127.0.0.1",
        description=(
            "The address that the server listens on; `0.0.0.0`: all of the machine's. Other addresses than loopback "
            "need `coordinator.tls` or `security.allow_insecure_transport`."
        ),
    )
    flight_sql_port: Port = Field(default=50051, description="The port of Arrow Flight SQL.")
    trino_http_port: Port = Field(default=8080, description="The port of Trino's HTTP protocol; 0: it is off.")
    production_mode: bool = Field(
        default=False, description="Refuse to start with settings that are for development only."
    )
    debug: bool = Field(default=False, description="Tell clients the whole chain of causes of an error.")
    shutdown_drain_secs: Seconds = Field(
        default=25, description="How long running statements may take to end after SIGTERM, in seconds."
    )
    tls: TlsSettings = Field(default_factory=TlsSettings)

    def conflicts(self) -> Iterable[Conflict]:
        """Each port is for one thing."""
        if self.flight_sql_port and self.flight_sql_port == self.trino_http_port:
            yield Conflict(("trino_http_port",), "must differ from flight_sql_port")

    @property
    def loopback(self) -> bool:
        """Whether only this machine reaches the server."""
        if self.bind_address == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.bind_address).is_loopback
        except ValueError:
            return False


class SecuritySettings(SettingsModel):
    """What is allowed although it weakens the server, and who is believed."""

    allow_insecure_transport: bool = Field(
        default=False, description="Let passwords and tokens cross a network without TLS."
    )
    allow_shared_service_identity: bool = Field(
        default=False, description="In production mode, let people share the identity of a service."
    )
    trusted_proxies: list[str] = Field(
        default=[],
        description=(
            "Addresses or networks of proxies whose `X-Forwarded-For`, `-Proto`, `-Host` and `-Port` are believed, "
            "such as `10.0.0.7` or `10.1.0.0/16`."
        ),
    )

    def conflicts(self) -> Iterable[Conflict]:
        """Proxies are addresses: a name would be somebody else tomorrow."""
        if not all(map(_is_network, self.trusted_proxies)):
            yield Conflict(("trusted_proxies",), "must hold addresses or networks only")


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True
