"""Query ids: version 7 of RFC 9562."""

import time
import uuid

import pytest

from sqe.core.ids import new_query_id


def test_is_a_version_7_uuid_of_now() -> None:
    before = time.time_ns() // 1_000_000
    value = uuid.UUID(new_query_id())
    after = time.time_ns() // 1_000_000
    assert value.version == 7
    assert value.variant == uuid.RFC_4122
    assert before <= value.int >> 80 <= after


def test_is_written_in_the_usual_form() -> None:
    text = new_query_id()
    assert text == str(uuid.UUID(text))


def test_ids_of_later_milliseconds_sort_later(monkeypatch: pytest.MonkeyPatch) -> None:
    # The carry from 0xFF to 0x100 would break the order of text if the digits were not padded.
    moments = [1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 2**48 - 1]
    ids = []
    for moment in moments:
        monkeypatch.setattr(time, "time_ns", lambda moment=moment: moment * 1_000_000 + 999_999)
        ids.append(new_query_id())
    assert ids == sorted(ids)


def test_ids_are_unique() -> None:
    count = 20_000
    assert len({new_query_id() for _ in range(count)}) == count
