"""Under which address the client sees this server, and who it is; proxies are believed only when they are known."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from starlette.requests import Request

from sqe.core.errors import UserError

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
#: A host name or address, with or without a port; nothing that could end a header or begin a path.
_HOST = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?\Z")


class Proxies:
    """The proxies whose forwarding headers are believed."""

    def __init__(self, trusted: Sequence[str] = ()) -> None:
        self._trusted: tuple[_Network, ...] = tuple(ipaddress.ip_network(text, strict=False) for text in trusted)

    def client_address(self, request: Request) -> str:
        """The address that the request comes from: the last one that no known proxy has."""
        peer = request.client.host if request.client else ""
        if not self._knows(peer):
            return peer
        hops = [hop.strip() for hop in ",".join(request.headers.getlist("x-forwarded-for")).split(",") if hop.strip()]
        for hop in reversed(hops):
            if not self._knows(hop):
                return hop if _address(hop) else peer
        return peer

    def base_url(self, request: Request) -> str:
        """Scheme, host and port as the client wrote them. Raises `UserError` when there is no such host."""
        scheme, host = request.url.scheme, request.headers.get("host", "")
        if self._knows(request.client.host if request.client else ""):
            scheme, host = _forwarded(request, scheme, host)
        if not _HOST.match(host):
            raise UserError("the header Host is missing or is no host")
        return f"{scheme}://{host}"

    def _knows(self, address: str) -> bool:
        found = _address(address)
        return found is not None and any(found in network for network in self._trusted)


def _forwarded(request: Request, scheme: str, host: str) -> tuple[str, str]:
    told = request.headers.get("x-forwarded-proto", "").split(",")[0].strip().lower()
    scheme = told if told in {"http", "https"} else scheme
    host = request.headers.get("x-forwarded-host", "").split(",")[0].strip() or host
    port = request.headers.get("x-forwarded-port", "").split(",")[0].strip()
    if port.isdecimal() and port.isascii() and len(port) <= 5 and not re.search(r":\d+\Z", host):
        usual = {"http": "80", "https": "443"}[scheme]
        host = host if port == usual else f"{host}:{port}"
    return scheme, host


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    # A socket for both families writes the older addresses in the newer form.
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
