from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sqe.server.scratch import remove_orphans
from sqe.spark.engine import SCRATCH_PREFIX


def test_only_folders_of_dead_processes_go(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    orphan = tmp_path / f"{SCRATCH_PREFIX}{ended.pid}-abc"
    mine = tmp_path / f"{SCRATCH_PREFIX}{os.getpid()}-abc"
    other = tmp_path / f"{SCRATCH_PREFIX}notes"
    for folder in (orphan, mine, other):
        (folder / "spill").mkdir(parents=True)
    remove_orphans(str(tmp_path))
    assert not orphan.exists()
    assert mine.exists()
    assert other.exists()
