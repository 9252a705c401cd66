"""The folders of one user: private, and short enough for sockets."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from sqe.core.errors import ConfigError
from sqe.core.folders import Folders, private_folder


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_are_below_the_home() -> None:
    folders = Folders.of_user({"HOME": "/home/ada"})
    assert folders.home == Path("/home/ada/.sqe")
    assert folders.cache == Path("/home/ada/.cache/sqe")
    assert folders.run == Path("/home/ada/.sqe/run")
    assert folders.warehouse == Path("/home/ada/.sqe/warehouse")
    assert folders.logs == Path("/home/ada/.sqe/logs")


def test_the_cache_may_be_elsewhere() -> None:
    assert Folders.of_user({"HOME": "/home/ada", "XDG_CACHE_HOME": "/var/c"}).cache == Path("/var/c/sqe")


def test_without_home_the_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/grace")
    assert Folders.of_user({}).home == Path("/home/grace/.sqe")


@pytest.mark.parametrize("home", ["/home/" + "x" * 100, "/home/" + "é" * 40])
def test_a_long_home_gets_a_short_run_folder(home: str) -> None:
    folders = Folders.of_user({"HOME": home})
    assert folders.home == Path(home) / ".sqe"
    assert folders.run == Path(tempfile.gettempdir()) / f"sqe-{os.getuid()}"


def test_the_longest_home_leaves_room_for_a_socket() -> None:
    for length in range(1, 120):
        run = Folders.of_user({"HOME": "/" + "h" * length}).run
        if not run.is_relative_to(tempfile.gettempdir()):
            assert len(os.fsencode(run / ("s" * 32))) < 108


def test_a_new_folder_is_private(tmp_path: Path) -> None:
    path = private_folder(tmp_path / "a" / "b")
    assert path == tmp_path / "a" / "b"
    assert mode(path) == 0o700


def test_an_open_folder_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "open"
    path.mkdir()
    path.chmod(0o755)
    assert mode(private_folder(path)) == 0o700


def test_a_private_folder_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "read-only"
    path.mkdir()
    path.chmod(0o500)
    assert mode(private_folder(path)) == 0o500


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(ConfigError, match="not a folder of this user"):
        private_folder(tmp_path / "link")


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "theirs"
    path.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(ConfigError, match="not a folder of this user"):
        private_folder(path)
