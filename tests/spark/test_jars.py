"""The jars in the cache: checked, mended, fetched by Ivy, or a clear word about which one is missing."""

from __future__ import annotations

import dataclasses
import os
import shutil
from pathlib import Path

import pytest

from sqe.core.errors import CanceledError, JarsMissingError, NotFoundError
from sqe.core.folders import Folders
from sqe.server.local import LocalEngine
from sqe.spark.ivy import Ivy
from sqe.spark.jar_lock import Jar, jars_of
from sqe.spark.jars import JarCache
from sqe.spark.java import Java, find_java
from sqe.spark.toolchain import Toolchain

from .support import Client, failure, in_background, open_client, value, wait_until

GROUP = frozenset({"postgres"})


@pytest.fixture(scope="module")
def jar() -> Jar:
    (jar,) = jars_of(GROUP)
    return jar


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory, jar: Jar) -> Path:
    """The jar, fetched once from the registry."""
    folder = tmp_path_factory.mktemp("fetched")
    reports: list[int] = []
    (path,) = JarCache(folder, online()).ensure(GROUP, lambda _, arrived: reports.append(arrived))
    assert path == folder / jar.file_name
    assert reports[-1] == jar.size
    assert reports == sorted(reports)
    return path


def online() -> Ivy:
    return Ivy(lambda: find_java("", os.environ))


def offline(folder: Path) -> Ivy:
    """An Ivy whose Java reaches nobody: every connection goes to a proxy that is not there."""
    java = find_java("", os.environ)
    wrapper = folder / "java-without-network"
    proxy = "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=9 -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=9"
    wrapper.write_text(f'#!/bin/sh\nexec "{java.executable}" {proxy} "$@"\n')
    wrapper.chmod(0o755)
    return Ivy(lambda: Java(wrapper, java.version, "test"))


def names(jars: list[Jar]) -> list[str]:
    return [jar.artifact for jar in jars]


def test_fetched_jar_is_what_the_lock_says(fetched: Path, jar: Jar, tmp_path: Path) -> None:
    assert fetched.stat().st_size == jar.size
    cache = JarCache(fetched.parent, offline(tmp_path))
    assert cache.broken(GROUP) == []
    assert cache.broken(GROUP, thorough=True) == []
    assert {path.name for path in fetched.parent.iterdir()} == {jar.file_name, "checked.json", ".lock"}


def test_truncated_jar_is_fetched_again(fetched: Path, jar: Jar, tmp_path: Path) -> None:
    folder = shutil.copytree(fetched.parent, tmp_path / "jars")
    with (folder / jar.file_name).open("r+b") as file:
        file.truncate(jar.size // 2)
    cache = JarCache(folder, online())
    assert names(cache.broken(GROUP)) == ["postgresql"]
    cache.ensure(GROUP)
    assert cache.broken(GROUP, thorough=True) == []
    assert (folder / jar.file_name).read_bytes() == fetched.read_bytes()


def test_corrupted_jar_of_the_right_size(fetched: Path, jar: Jar, tmp_path: Path) -> None:
    folder = shutil.copytree(fetched.parent, tmp_path / "jars")
    with (folder / jar.file_name).open("r+b") as file:
        file.seek(jar.size // 2)
        file.write(b"corrupted")
    cache = JarCache(folder, offline(tmp_path))
    assert names(cache.broken(GROUP)) == ["postgresql"]
    with pytest.raises(JarsMissingError):
        cache.ensure(GROUP)


def test_corruption_that_hides_behind_old_times_is_found_by_a_thorough_look(
    fetched: Path, jar: Jar, tmp_path: Path
) -> None:
    folder = shutil.copytree(fetched.parent, tmp_path / "jars")
    path = folder / jar.file_name
    cache = JarCache(folder, offline(tmp_path))
    assert cache.broken(GROUP) == []
    facts = path.stat()
    with path.open("r+b") as file:
        file.write(b"corrupted")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert names(cache.broken(GROUP, thorough=True)) == ["postgresql"]


def test_no_network(jar: Jar, tmp_path: Path) -> None:
    folder = tmp_path / "jars"
    with pytest.raises(JarsMissingError) as caught:
        JarCache(folder, offline(tmp_path)).ensure(GROUP)
    error = caught.value
    assert jar.coordinate in error.message
    assert "postgres" in error.message
    assert "\n" not in error.message
    assert jar.file_name in (error.hint or "")
    assert str(folder) in (error.hint or "")
    assert [path.name for path in folder.iterdir()] == [".lock"]


def test_what_arrives_with_another_hash_is_refused(jar: Jar, tmp_path: Path) -> None:
    folder = tmp_path / "jars"
    folder.mkdir()
    with pytest.raises(JarsMissingError, match="SHA-256"):
        JarCache(folder, online())._fetch(dataclasses.replace(jar, sha256="0" * 64), None)
    assert list(folder.iterdir()) == []


def test_jar_put_there_by_hand(fetched: Path, jar: Jar, tmp_path: Path) -> None:
    folder = tmp_path / "jars"
    folder.mkdir()
    shutil.copy(fetched, folder)
    assert JarCache(folder, offline(tmp_path)).ensure(GROUP) == (folder / jar.file_name,)


def test_unknown_group(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="postgrse"):
        JarCache(tmp_path, offline(tmp_path)).ensure(frozenset({"postgrse"}))


def test_damaged_seal_is_no_obstacle(fetched: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(fetched.parent, tmp_path / "jars")
    for text in ("", "[]", "{", '{"postgresql-42.7.14.jar": 1}', "\x00"):
        (folder / "checked.json").write_text(text)
        assert JarCache(folder, offline(tmp_path)).broken(GROUP) == []


def test_more_groups_are_fetched_on_demand(tmp_path: Path, jar: Jar) -> None:
    users = Folders.of_user(os.environ).cache
    cache = tmp_path / "cache"
    shutil.copytree(users / "jars", cache / "jars", ignore=shutil.ignore_patterns("fetch-*", jar.file_name))
    shutil.copytree(users / "built", cache / "built", ignore=shutil.ignore_patterns("*.jsa", "build-*", "archive-*"))
    toolchain = Toolchain(cache, "", os.environ)
    base = toolchain.class_path()
    assert not (cache / "jars" / jar.file_name).exists()
    with_more = toolchain.class_path(GROUP)
    assert with_more == (*base, cache / "jars" / jar.file_name)
    # The archive depends on the base only, so more groups do not slow the start down.
    assert toolchain.archive(with_more) == toolchain.archive(base)


def test_a_statement_that_waits_for_a_jar_says_so_and_can_be_canceled(
    engine: LocalEngine, session: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert value(session, "SELECT 1") == 1
    wrapper = tmp_path / "java-without-end"
    wrapper.write_text(f'#!/bin/sh\necho $$ > "{tmp_path}/pid"\nexec sleep 600\n')
    wrapper.chmod(0o755)
    jars = JarCache(tmp_path / "jars", Ivy(lambda: Java(wrapper, "17", "test")))
    monkeypatch.setattr(engine.spark._toolchain, "jars", jars)
    monkeypatch.setattr(engine.spark, "_groups", engine.spark._groups - {"avro"})
    sql = "SELECT * FROM read_avro('/x.avro')"
    with open_client(engine) as second, in_background(lambda: failure(session, sql)) as first_end:
        # The second one waits for the first.
        wait_until(lambda: _waits_for(session, "fetching spark-avro"), "the fetch")
        with in_background(lambda: failure(second, sql)) as second_end:
            wait_until(lambda: _waits_for(second, "fetching spark-avro"), "the wait")
            for client, end in ((second, second_end), (session, first_end)):
                assert client.session.current is not None
                client.session.current.cancel()
                assert isinstance(end.result(60), CanceledError)
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert [path.name for path in (tmp_path / "jars").iterdir()] == [".lock"]
    monkeypatch.undo()
    # The session is as good as before, and the jar can be had.
    assert isinstance(failure(session, sql), NotFoundError)


def _waits_for(client: Client, words: str) -> bool:
    return words in client.engine.pipeline.progress(client.session).get("doing", "")
