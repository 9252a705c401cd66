"""Writes the three requirements locks: names, versions and hashes, no addresses.

`uv` resolves. All come from one resolution, so that the tools never change what the product runs on. The build lock
stands apart because pyspark comes as source: its build tools must be there before it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADER = "# Written by scripts/lock_packages.py (make lock).\n"


def main() -> None:
    """Resolve everything, then the product with those versions."""
    everything = _compile("--group", "dev", "--group", "build", "--extra", "bench")
    (ROOT / "requirements-dev.lock").write_text(HEADER + everything, encoding="utf-8")
    constraints = ROOT / ".venv" / "constraints.txt"
    constraints.write_text(everything, encoding="utf-8")
    product = _compile("--constraint", str(constraints))
    (ROOT / "requirements.lock").write_text(HEADER + product, encoding="utf-8")
    build = _compile("--constraint", str(constraints), "--group", "pyproject.toml:build")
    (ROOT / "requirements-build.lock").write_text(HEADER + build, encoding="utf-8")


def _compile(*options: str) -> str:
    command = [
        str(Path(sys.executable).parent / "uv"), "pip", "compile", "--quiet", "--universal",
        "--python-version", "3.11", "--generate-hashes", "--no-emit-index-url", "--no-header", "--no-annotate",
        *options,
        *(() if "pyproject.toml:build" in options else ("pyproject.toml",)),
    ]  # fmt: skip
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
