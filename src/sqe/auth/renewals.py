"""Renews tokens beside everything else: an identity provider that is slow keeps nobody waiting but its own logins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from sqe.auth.login import Login

_THREADS = 8


class Renewals:
    """At most one renewal of a login at a time."""

    def __init__(self, renew: Callable[[Login], None]) -> None:
        """Make a place where `renew`, which raises nothing, is called."""
        self._renew = renew
        self._lock = threading.Lock()
        self._running: dict[str, Future[None]] = {}
        self._closed = False
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="renewal")

    def start(self, login: Login) -> Future[None]:
        """Renew a login; the renewal that is under way when there is one."""
        with self._lock:
            running = self._running.get(login.id)
            if running is None:
                if self._closed:
                    return _done()
                running = self._running[login.id] = self._pool.submit(self._run, login)
            return running

    def _run(self, login: Login) -> None:
        try:
            self._renew(login)
        finally:
            with self._lock:
                self._running.pop(login.id, None)

    def close(self) -> None:
        """Wait for those under way and begin no more."""
        with self._lock:
            self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)


def _done() -> Future[None]:
    done: Future[None] = Future()
    done.set_result(None)
    return done
