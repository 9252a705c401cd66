"""Scratch folders of engines that were killed: found by the process id in their names, and removed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

from sqe.spark.engine import SCRATCH_PREFIX

_NAME = re.compile(re.escape(SCRATCH_PREFIX) + r"(\d+)-")


def remove_orphans(spill_dir: str) -> None:
    """Remove this user's scratch folders whose process is gone."""
    for path in Path(spill_dir or tempfile.gettempdir()).glob(f"{SCRATCH_PREFIX}*"):
        found = _NAME.match(path.name)
        try:
            ours = found is not None and path.lstat().st_uid == os.getuid()
        except OSError:
            continue
        if found and ours and not _alive(int(found.group(1))):
            shutil.rmtree(path, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Whether the process has ended and only waits for its parent to notice."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] == "Z"
        )
    except (OSError, IndexError):
        return False
