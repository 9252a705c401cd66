"""A proxy in front of a server that notes verb, path and bearer of each request, and refuses what it is told to."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_HOP_BY_HOP = frozenset({"connection", "transfer-encoding", "keep-alive", "host", "content-length"})


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    verb: str
    path: str
    bearer: str


@dataclass
class RecordingProxy:
    """What was asked, and by whom."""

    target: str
    address: str = ""
    requests: list[Request] = field(default_factory=list)
    #: Answers a status for a request that is not to be passed on, 0 for one that is.
    refuse: Callable[[Request], int] = lambda _: 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, request: Request) -> None:
        with self.lock:
            self.requests.append(request)

    def of(self, bearer: str) -> list[Request]:
        with self.lock:
            return [request for request in self.requests if request.bearer == bearer]

    def clear(self) -> None:
        with self.lock:
            self.requests.clear()


@contextmanager
def recording_proxy(target: str) -> Iterator[RecordingProxy]:
    """A proxy in front of `target` on a port of loopback."""
    proxy = RecordingProxy(target)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(proxy))
    server.daemon_threads = True
    proxy.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, name="recording-proxy", daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(proxy: RecordingProxy) -> type[BaseHTTPRequestHandler]:
    parts = urlsplit(proxy.target)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # One packet for an answer, at once: the client would wait for the second one.
        wbufsize = -1
        disable_nagle_algorithm = True

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            bearer = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            request = Request(self.command, self.path, bearer)
            proxy.note(request)
            status = proxy.refuse(request)
            if status:
                answer = b'{"error": {"message": "refused", "type": "ForbiddenException", "code": %d}}' % status
                self._answer(status, [("Content-Type", "application/json")], answer)
                return
            connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
            headers = {key: value for key, value in self.headers.items() if key.lower() not in _HOP_BY_HOP}
            connection.request(self.command, self.path, body or None, headers)
            got = connection.getresponse()
            content = got.read()
            self._answer(got.status, [pair for pair in got.getheaders() if pair[0].lower() not in _HOP_BY_HOP], content)
            connection.close()

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for key, value in headers:
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _pass_on  # noqa: N815 - the names that the library looks for

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Nothing: what came is noted."""

    return Handler
