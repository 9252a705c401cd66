"""dbt with its Trino adapter, as a command of its own: its packages do not get along with ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .fetch import fetch_wheels


def run_dbt(project: Path, *arguments: str) -> str:
    """What dbt wrote. Raises `AssertionError` with it when dbt failed."""
    packages = fetch_wheels("dbt-trino", "1.11.0")
    environ = os.environ | {
        "PYTHONPATH": str(packages),
        "DBT_PROFILES_DIR": str(project),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_TARGET_PATH": str(project / "target"),
        "DBT_LOG_PATH": str(project / "logs"),
    }
    command = [sys.executable, "-P", "-W", "ignore", "-m", "dbt.cli.main", "--no-use-colors", *arguments]
    done = subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout
