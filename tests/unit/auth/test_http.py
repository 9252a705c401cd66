"""Calls to identity providers: an answer without end is cut off, by size and by time."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from tests.services.identity_provider import IdentityProvider

from sqe.auth.http import MAX_ANSWER_BYTES, Http
from sqe.core.errors import ExternalError


@contextmanager
def raw_server(answer: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """A server that sends whatever `answer` sends, to one client."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            client, _ = listening.accept()
            with client:
                client.recv(65_536)
                try:
                    answer(client, over)
                except OSError:
                    return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            over.set()
            thread.join()


def endless(client: socket.socket, over: threading.Event) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{")
    while not over.is_set():
        client.sendall(b" " * 65_536)


def drip(client: socket.socket, over: threading.Event) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{")
    while not over.wait(0.02):
        client.sendall(b" ")


def hang_up(client: socket.socket, _: threading.Event) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")


def nonsense(client: socket.socket, _: threading.Event) -> None:
    client.sendall(b"220 smtp.example.com ready\r\n")


@pytest.mark.parametrize("answer", [endless, drip, hang_up, nonsense])
def test_bad_servers(answer: Callable[[socket.socket, threading.Event], None]) -> None:
    http = Http(timeout_secs=0.5)
    with raw_server(answer) as url, pytest.raises(ExternalError):
        http.get_json(url)
    http.close()


def test_the_size_of_answers(idp: IdentityProvider) -> None:
    http = Http()
    for size, is_fine in ((MAX_ANSWER_BYTES - 100, True), (MAX_ANSWER_BYTES + 1, False)):
        idp.answer = lambda *_, size=size: (200, {"x": "y" * size})  # type: ignore[method-assign]
        if is_fine:
            assert len(http.get_json(idp.url("x"))["x"]) == size
        else:
            with pytest.raises(ExternalError):
                http.get_json(idp.url("x"))
    http.close()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://", "nonsense", "ftp://127.0.0.1/", "http://[::1/"])
def test_addresses_where_nobody_is(url: str) -> None:
    http = Http()
    with pytest.raises(ExternalError):
        http.get_json(url)
    http.close()


def test_a_clients_id_and_secret_are_encoded(idp: IdentityProvider) -> None:
    http = Http()
    seen = []

    def answer(path: str, form: Mapping[str, str], basic: tuple[str, str] | None) -> tuple[int, dict[str, Any]]:
        seen.append((path, form["a"], basic))
        return 200, {}

    idp.answer = answer  # type: ignore[method-assign]
    http.post_form(idp.url("token"), {"a": "b"}, ("a:b%", "c d/é"))
    assert seen == [("/token", "b", ("a:b%", "c d/é"))]
    http.close()
