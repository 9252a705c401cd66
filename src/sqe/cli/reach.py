"""Why a server cannot be reached: looks at the port itself, and says what is the matter in words for a person."""

from __future__ import annotations

import socket
import ssl

from sqe.cli.target import FLIGHT, HTTP, PROTOCOL_NAMES, Target
from sqe.core.errors import EngineUnavailableError, SqeError

_LOOK_SECS = 5.0
_ALERT_SECS = 1.0
#: What a client of either protocol may begin with: an HTTP/1 server answers it, and one of gRPC says what it speaks.
_HELLO = b"GET /v1/info HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
#: The type of the frame that HTTP/2 begins with, and of the one that ends it.
_HTTP2_FRAMES = frozenset({4, 7})


def why_away(target: Target) -> SqeError:
    """The error for a server that could not be asked."""
    try:
        plain = _connected(target)
    except OSError as error:
        return _not_there(target, error)
    plain.close()
    try:
        return _wrong_words(target) or _away(f"the server at {target.origin} ended the connection", "try again")
    except OSError:
        return _away(f"the server at {target.origin} ended the connection", "try again")


def _away(message: str, hint: str) -> EngineUnavailableError:
    return EngineUnavailableError(message, hint=hint)


def _not_there(target: Target, error: OSError) -> SqeError:
    if isinstance(error, socket.gaierror):
        return _away(f"there is no host {target.host}", "name the server with -H")
    if isinstance(error, TimeoutError):
        return _away(f"nothing answers at {target.origin} within {_LOOK_SECS:.0f} s", "is a firewall in between?")
    port = {FLIGHT: "coordinator.flight_sql_port", HTTP: "coordinator.trino_http_port"}[target.protocol]
    return _away(
        f"no server answers at {target.origin}: {(error.strerror or 'no connection').lower()}",
        f"start sqe-server, or name its host and {port} with -H and -p; --embedded is an engine on this machine",
    )


def _wrong_words(target: Target) -> SqeError | None:
    """What the port speaks, where that is not what it was asked for."""
    has_tls = _speaks_tls(target)
    if has_tls and not target.tls:
        return _away(f"the server at {target.authority} wants TLS", "add --tls")
    if target.tls and not has_tls:
        return _away(f"the server at {target.authority} has no TLS", "leave --tls out")
    if target.tls:
        problem = _distrust(target)
        if problem is not None:
            return problem
    spoken = _spoken(target)
    if spoken is not None and spoken != target.protocol:
        return _away(
            f"the port {target.port} of {target.host} speaks {PROTOCOL_NAMES[spoken]}, not "
            f"{PROTOCOL_NAMES[target.protocol]}",
            f"add --protocol {spoken}, or name the port of {PROTOCOL_NAMES[target.protocol]} with -p",
        )
    return None


def _connected(target: Target) -> socket.socket:
    return socket.create_connection((target.host, target.port), timeout=_LOOK_SECS)


def _any_certificate() -> ssl.SSLContext:
    """For a look only: nothing of anybody's is sent."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _speaks_tls(target: Target) -> bool:
    try:
        with _connected(target) as plain, _any_certificate().wrap_socket(plain, server_hostname=target.host):
            return True
    except (ssl.SSLError, OSError):
        return False


def _distrust(target: Target) -> SqeError | None:
    """Why the server's certificate is not trusted, or ours not by it."""
    context = target.ssl_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    try:
        with _connected(target) as plain, context.wrap_socket(plain, server_hostname=target.host) as secure:
            # Since TLS 1.3, a client hears after the handshake that it was to show a certificate: by an alert, or by
            # the end of the connection. A server that is content waits for the request.
            secure.settimeout(_ALERT_SECS)
            return None if secure.recv(1) else _wants_certificate(target)
    except ssl.SSLCertVerificationError as error:
        return _away(
            f"the certificate of {target.authority} is not trusted: {error.verify_message}",
            "--ca FILE names who has signed it; --insecure does without, for tests",
        )
    except ssl.SSLError as error:
        refused = "CERTIFICATE" in (error.reason or "") or "HANDSHAKE_FAILURE" in (error.reason or "")
        return _wants_certificate(target) if refused else None
    except OSError:
        return None


def _wants_certificate(target: Target) -> SqeError:
    shown = "the one of --cert" if target.cert else "anybody without"
    return _away(
        f"the server at {target.authority} wants a certificate of its clients, and does not let in {shown}",
        "--cert FILE and --key FILE name one that the server's tls.ca_file has signed",
    )


def _spoken(target: Target) -> str | None:
    """The protocol of the port: FLIGHT, HTTP, or None when it cannot be told."""
    with _connected(target) as plain:
        if not target.tls:
            return _protocol(_answer_of(plain))
        context = _any_certificate()
        context.set_alpn_protocols(["h2", "http/1.1"])
        with context.wrap_socket(plain, server_hostname=target.host) as secure:
            return FLIGHT if secure.selected_alpn_protocol() == "h2" else _protocol(_answer_of(secure))


def _answer_of(connection: socket.socket) -> bytes:
    connection.sendall(_HELLO)
    answer = b""
    while len(answer) < 9 and (more := connection.recv(64)):
        answer += more
    return answer


def _protocol(answer: bytes) -> str | None:
    if answer.startswith(b"HTTP/1."):
        return HTTP
    # A frame's length has three bytes, then comes its type.
    return FLIGHT if len(answer) >= 9 and answer[3] in _HTTP2_FRAMES else None
