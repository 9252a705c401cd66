from __future__ import annotations

from pathlib import Path

from sqe.server.place import EngineFacts, EnginePlace


def _facts() -> EngineFacts:
    return EngineFacts(7, "1", 0.0, 64, {"iceberg": "/w"}, "/log", "digest")


def test_the_same_mounts_lead_to_the_same_place(tmp_path: Path) -> None:
    assert EnginePlace.of(tmp_path, "a=/x") == EnginePlace.of(tmp_path, "a=/x")
    assert EnginePlace.of(tmp_path, "a=/x") != EnginePlace.of(tmp_path, "a=/y")


def test_one_engine_at_a_time(tmp_path: Path) -> None:
    place = EnginePlace.of(tmp_path, "k")
    assert not place.is_running()
    lock = place.take()
    assert lock is not None
    assert place.take() is None
    assert place.is_running()
    lock.close()
    assert not place.is_running()


def test_facts(tmp_path: Path) -> None:
    place = EnginePlace.of(tmp_path, "k")
    assert place.facts() is None
    place.write_facts(_facts())
    assert place.facts() == _facts()
    place.remove()
    assert place.facts() is None


def test_facts_of_another_version_are_no_facts(tmp_path: Path) -> None:
    place = EnginePlace.of(tmp_path, "k")
    (tmp_path / f"{place.name}.json").write_text('{"pid": 1, "something": "else"}')
    assert place.facts() is None


def test_nobody_answers_at_a_stale_socket(tmp_path: Path) -> None:
    place = EnginePlace.of(tmp_path, "k")
    place.socket.touch()
    assert not place.answers()
