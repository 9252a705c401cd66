"""Logins and their sessions over time: tokens that are renewed, logins that end, and what they leave behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.spark.support import wait_until

from sqe.auth.credentials import BearerToken, Caller, Password
from sqe.core.errors import SqeError, UnauthenticatedError
from sqe.query.session import ClientState

from .served import USERS, Served

SESSIONS = 2_000
WARM_UP = 300
#: Pools breathe a little.
TOLERANCE = 12
HEAP_TOLERANCE = 32 << 20
CALLER = Caller("127.0.0.1", "test")


def counts(pid: int) -> tuple[int, int]:
    """Threads and open files, sockets among them, of a process."""
    return len(list(Path(f"/proc/{pid}/task").iterdir())), len(list(Path(f"/proc/{pid}/fd").iterdir()))


def come_and_go(served: Served, number: int) -> None:
    """Somebody logs in, asks the catalog, and logs out."""
    parts = served.coordinator
    login = parts.gate.login(BearerToken(served.token(f"visitor{number}")), CALLER)
    session = parts.engine.sessions.session_for(login, ClientState())
    assert "default" in session.spark.schemas("lake")
    parts.gate.logout(login)


def used_heap(served: Served) -> int:
    jvm = served.coordinator.engine.spark.jvm()
    jvm.entry_point.releaseMemory()
    return int(jvm.entry_point.heapUsed())


@pytest.mark.timeout(900)
def test_sessions_leave_nothing_behind(served: Served) -> None:
    for number in range(WARM_UP):
        come_and_go(served, number)
    engine = served.coordinator.engine
    pid = engine.spark.running_pid()
    assert pid is not None
    open_before, heap = engine.sessions.count(), used_heap(served)
    threads, files = counts(pid)
    for number in range(WARM_UP, WARM_UP + SESSIONS):
        come_and_go(served, number)
    assert engine.sessions.count() <= open_before

    def flat() -> bool:
        now = counts(pid)
        return now[0] <= threads + TOLERANCE and now[1] <= files + TOLERANCE

    wait_until(flat, f"as few threads and files as before: {threads, files}, now {counts(pid)}")
    wait_until(lambda: used_heap(served) < heap + HEAP_TOLERANCE, "a heap as small as before")


def test_a_renewed_token_reaches_the_catalog_in_the_same_session(served: Served) -> None:
    parts, people = served.coordinator, served.people
    # Shorter than what is left when a token is renewed.
    before, people.token_secs = people.token_secs, 30
    try:
        login = parts.gate.login(Password("alice", USERS["alice"]), CALLER, fresh=True)
        first = login.identity.token
        session = parts.engine.sessions.session_for(login, ClientState())
        session.spark.schemas("lake")
        parts.gate.look_after(wait_for_renewals=True)
        second = login.identity.token
        assert first is not None
        assert second is not None
        assert second != first
        served.catalog.clear()
        assert parts.engine.sessions.session_for(login, ClientState()) is session
        session.spark.schemas("lake")
        assert served.catalog.of(second)
        assert not served.catalog.of(first)
    finally:
        people.token_secs = before
    parts.gate.logout(login)


def test_a_login_that_cannot_be_renewed_says_so(served: Served) -> None:
    parts, people = served.coordinator, served.people
    before, people.token_secs = people.token_secs, 30
    try:
        login = parts.gate.login(Password("bob", USERS["bob"]), CALLER, fresh=True)
        session = parts.engine.sessions.session_for(login, ClientState())
        session.spark.schemas("lake")
        people.refresh_tokens.clear()
        parts.gate.look_after(wait_for_renewals=True)
        with pytest.raises(UnauthenticatedError, match="renewed"):
            login.refuse_if_over()
        assert parts.engine.sessions.find(session.id) is None
        with pytest.raises(SqeError):
            parts.engine.sessions.session_for(login, ClientState())
    finally:
        people.token_secs = before
