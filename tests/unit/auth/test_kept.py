"""What is kept of an identity provider's pages and keys, and how often it is asked."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from sqe.auth.kept import Kept
from sqe.core.errors import ExternalError

if TYPE_CHECKING:
    from tests.unit.auth.conftest import FakeClock


class Source:
    """Counts, and fails when told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_away = False
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.was_asked = threading.Event()

    def __call__(self) -> int:
        self.asked += 1
        self.was_asked.set()
        assert self.may_answer.wait(30)
        if self.is_away:
            raise ExternalError("away")
        return self.asked


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def kept(source: Source, clock: FakeClock) -> Kept[int]:
    return Kept(source, ttl_secs=300, clock=clock)


def test_it_is_fetched_once_for_a_while(kept: Kept[int], clock: FakeClock) -> None:
    assert [kept.get() for _ in range(5)] == [1] * 5
    clock.advance(300)
    assert kept.get() == 1
    clock.advance(1)
    assert kept.get() == 2


def test_an_old_one_is_better_than_none_for_a_day(kept: Kept[int], source: Source, clock: FakeClock) -> None:
    kept.get()
    source.is_away = True
    clock.advance(301)
    assert [kept.get() for _ in range(10)] == [1] * 10
    assert source.asked == 2
    clock.advance(6)
    kept.get()
    assert source.asked == 3
    clock.advance(86_400)
    with pytest.raises(ExternalError):
        kept.get()
    source.is_away = False
    clock.advance(6)
    assert kept.get() == source.asked


def test_one_that_was_away_is_not_asked_at_once_again(kept: Kept[int], source: Source, clock: FakeClock) -> None:
    source.is_away = True
    for _ in range(10):
        with pytest.raises(ExternalError):
            kept.get()
    assert source.asked == 1
    clock.advance(6)
    source.is_away = False
    assert kept.get() == 2


def test_searches_are_rare(kept: Kept[int], clock: FakeClock) -> None:
    kept.get()
    assert [kept.search(30) for _ in range(5)] == [2] * 5
    clock.advance(31)
    assert kept.search(30) == 3


def test_nobody_waits_for_news(kept: Kept[int], source: Source, clock: FakeClock) -> None:
    kept.get()
    clock.advance(301)
    source.may_answer.clear()
    source.was_asked.clear()
    looking = threading.Thread(target=kept.get)
    looking.start()
    assert source.was_asked.wait(30)
    assert kept.get() == 1
    source.may_answer.set()
    looking.join(30)
    assert kept.get() == 2


def test_with_nothing_at_hand_all_wait_for_one(kept: Kept[int], source: Source) -> None:
    source.may_answer.clear()
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(kept.get())) for _ in range(5)]
    for thread in threads:
        thread.start()
    source.may_answer.set()
    for thread in threads:
        thread.join(30)
    assert found == [1] * 5
