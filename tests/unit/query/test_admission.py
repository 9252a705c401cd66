"""Places and turns, without an engine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from time import monotonic, sleep

import pytest

from sqe.core.errors import CanceledError, InternalError, SqlSyntaxError, TooManyRequestsError
from sqe.core.identity import Identity
from sqe.observe.rate_limit import RateLimitSettings
from sqe.query.admission import Admission
from sqe.query.lifecycle import Query, QueryState
from sqe.query.settings import QuerySettings

_PATIENT = 60
_numbers = count()


def _query(user: str) -> Query:
    return Query(str(next(_numbers)), "SELECT 1", "query", Identity(user), "s")


def _admission(places: int, patience_secs: int = _PATIENT) -> Admission:
    return Admission(QuerySettings(max_concurrent_queries=places, queue_timeout_secs=patience_secs))


def _running(admission: Admission, user: str = "ann") -> Query:
    query = _query(user)
    admission.admit(query)
    query.start(0)
    return query


class Queue:
    """Statements that wait, each in a thread; the order in which they got their places."""

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.pool = ThreadPoolExecutor(32)
        self.order: list[str] = []

    def join(self, user: str) -> tuple[Query, Future[None]]:
        """One more, behind those that wait already."""
        query = _query(user)
        before = self.admission.waiting
        waiting = self.pool.submit(self._wait, query, user)
        _until(lambda: self.admission.waiting > before)
        return query, waiting

    def _wait(self, query: Query, user: str) -> None:
        try:
            self.admission.admit(query)
        except (CanceledError, TooManyRequestsError) as error:
            query.fail(error)
            raise
        query.start(0)
        self.order.append(user)
        query.finish()


def _until(condition: Callable[[], bool]) -> None:
    deadline = monotonic() + _PATIENT
    while not condition():
        assert monotonic() < deadline
        sleep(0.001)


def test_no_limit() -> None:
    admission = _admission(0)
    for _ in range(500):
        admission.admit(_query("ann"))
    assert admission.running == 0


@pytest.mark.parametrize("end", ["finish", "fail", "cancel"])
def test_a_place_is_free_after_every_end(end: str) -> None:
    admission = _admission(1, patience_secs=0)
    query = _running(admission)
    with pytest.raises(TooManyRequestsError):
        _running(admission)
    if end == "finish":
        query.finish()
    else:
        query.fail(CanceledError("stop") if end == "cancel" else SqlSyntaxError("no"))
    _running(admission)
    assert admission.running == 1


def test_a_place_is_freed_once() -> None:
    admission = _admission(2, patience_secs=0)
    first, _ = _running(admission), _running(admission)
    first.finish()
    first.fail(InternalError("late"))
    admission.query_changed(first)
    _running(admission)
    with pytest.raises(TooManyRequestsError):
        _running(admission)


def test_people_take_turns_and_one_persons_statements_keep_their_order() -> None:
    admission = _admission(1)
    holder = _running(admission)
    queue = Queue(admission)
    waiting = [queue.join(user) for user in ("ann", "ann", "ann", "bob", "cleo", "bob")]
    assert admission.waiting == 6
    holder.finish()
    for _, done in waiting:
        done.result(_PATIENT)
    assert queue.order == ["ann", "bob", "cleo", "ann", "bob", "ann"]
    started = [query.started or 0 for query, _ in waiting if query.identity.user == "ann"]
    assert started == sorted(started)
    assert (admission.running, admission.waiting) == (0, 0)


def test_the_state_of_one_that_waits() -> None:
    admission = _admission(1)
    holder = _running(admission)
    query, done = Queue(admission).join("bob")
    states = [query.state]
    holder.finish()
    done.result(_PATIENT)
    assert [*states, query.state] == [QueryState.QUEUED, QueryState.FINISHED]


def test_a_cancel_takes_it_out_of_the_queue_at_once() -> None:
    admission = _admission(1)
    holder = _running(admission)
    queue = Queue(admission)
    first, gone = queue.join("bob")
    _, stays = queue.join("cleo")
    first.cancel()
    with pytest.raises(CanceledError):
        gone.result(_PATIENT)
    assert (first.state, admission.waiting, admission.running) == (QueryState.CANCELED, 1, 1)
    holder.finish()
    stays.result(_PATIENT)
    assert queue.order == ["cleo"]


def test_one_that_was_canceled_before_does_not_wait() -> None:
    admission = _admission(1)
    _running(admission)
    query = _query("bob")
    query.cancel()
    with pytest.raises(CanceledError):
        admission.admit(query)
    assert admission.waiting == 0


def test_who_waited_too_long_leaves_the_queue() -> None:
    admission = _admission(1, patience_secs=0)
    _running(admission)
    with pytest.raises(TooManyRequestsError, match="1 statements run already"):
        admission.admit(_query("bob"))
    assert (admission.waiting, admission.running) == (0, 1)


def test_a_place_that_came_with_a_cancel_is_not_lost() -> None:
    """Granted and canceled at the same moment: the place is free when the query has failed."""
    for _ in range(200):
        admission = _admission(1)
        holder = _running(admission)
        query, done = Queue(admission).join("bob")
        threads = [threading.Thread(target=holder.finish), threading.Thread(target=query.cancel)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done.exception(_PATIENT)
        assert (admission.running, admission.waiting) == (0, 0)


def test_many_at_once_never_exceed_the_limit() -> None:
    admission = _admission(3)
    most = 0
    lock = threading.Lock()

    def work(number: int) -> None:
        nonlocal most
        query = _running(admission, f"user{number % 5}")
        with lock:
            most = max(most, admission.running)
        query.finish()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(400)))
    assert 1 <= most <= 3
    assert admission.running == 0


def _rates(**limits: int) -> Admission:
    settings = QuerySettings(max_concurrent_queries=0)
    return Admission(settings, RateLimitSettings.model_validate({"enabled": True, **limits}))


def test_statements_in_a_minute() -> None:
    admission = _rates(per_user_queries_per_minute=3, global_queries_per_minute=5)
    for _ in range(3):
        admission.admit(_query("ann"))
    with pytest.raises(TooManyRequestsError, match="more than 3 requests from you"):
        admission.admit(_query("ann"))
    admission.admit(_query("bob"))
    admission.admit(_query("bob"))
    with pytest.raises(TooManyRequestsError, match="everybody") as caught:
        admission.admit(_query("cleo"))
    assert "global_queries_per_minute" in (caught.value.hint or "")


def test_questions_about_metadata_in_a_minute() -> None:
    admission = _rates(metadata_per_user_per_minute=2)
    admission.count_metadata("ann")
    admission.count_metadata("ann")
    with pytest.raises(TooManyRequestsError):
        admission.count_metadata("ann")
    admission.count_metadata("bob")
    admission.admit(_query("ann"))


def test_no_rates_unless_they_are_turned_on() -> None:
    admission = Admission(QuerySettings(), RateLimitSettings(per_user_queries_per_minute=1))
    for _ in range(10):
        query = _running(admission)
        query.finish()


@pytest.mark.parametrize(
    ("roles", "secs"),
    [((), 300), (("guest",), 60), (("guest", "analyst"), 900), (("analyst", "batch"), 0), (("unknown",), 300)],
)
def test_the_longest_time_of_a_persons_roles_counts(roles: tuple[str, ...], secs: int) -> None:
    settings = QuerySettings(timeout_secs=300, role_overrides={"guest": 60, "analyst": 900, "batch": 0})
    assert settings.timeout_for(frozenset(roles)) == secs
