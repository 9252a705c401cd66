"""What the servers of tests stand on: a cache that holds whole things only, processes that start or say why not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.services.cache import ServiceError, check_sha256, kept, run, services_folder
from tests.services.process import free_port, running

_SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
HTTPServer(('127.0.0.1', int(sys.argv[1])), BaseHTTPRequestHandler).serve_forever()
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_what_is_kept_is_made_once() -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "x").write_text("x")

    assert (kept("thing-1", make) / "x").read_text() == "x"
    assert kept("thing-1", make) == services_folder() / "thing-1"
    assert len(made) == 1


def test_what_fails_leaves_nothing() -> None:
    def make(folder: Path) -> None:
        (folder / "x").write_text("half")
        check_sha256(folder / "x", "0" * 64)

    with pytest.raises(ServiceError, match=r"x has the SHA-256 \w{64} instead of 0+"):
        kept("thing-1", make)
    assert [path.name for path in services_folder().iterdir()] == [".lock"]


def test_a_fetch_that_fails_says_what_and_why(tmp_path: Path) -> None:
    program = "import sys; sys.exit('no such package')"
    with pytest.raises(ServiceError, match="thing 1 could not be fetched: no such package"):
        run("thing 1", [sys.executable, "-c", program], tmp_path)
    with pytest.raises(ServiceError, match=r"thing 1 could not be fetched: .*No such file"):
        run("thing 1", [tmp_path / "none"], tmp_path)


def test_a_server_runs_until_the_end_of_its_block(tmp_path: Path) -> None:
    port = free_port()
    # The shell stays beside it, as the start scripts of some servers do.
    script = f'echo $$ > "{tmp_path}/pid"; "{sys.executable}" -c "{_SERVER}" {port}; true'
    with running("thing", ["sh", "-c", script], f"http://127.0.0.1:{port}/", tmp_path / "log"):
        pid = int((tmp_path / "pid").read_text())
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(ServiceError, match=r"thing did not start: .*no room"):
        _start_in_vain(tmp_path, port)


def _start_in_vain(tmp_path: Path, port: int) -> None:
    program = "import sys; sys.exit('there is no room')"
    with running("thing", [sys.executable, "-c", program], f"http://127.0.0.1:{port}/", tmp_path / "log"):
        raise AssertionError("it runs")
