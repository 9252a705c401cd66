"""Makes the virtual environment, also on a machine whose Python came without pip. Standard library only.

Debian's python3 has `venv` but not `ensurepip`; then pip comes from whatever offers it: an installed pip, or the
system's package python3-venv where we may install it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HELP = "install it once (Debian, Ubuntu: apt-get install python3-venv) and run make again"


def main() -> int:
    """Make the environment named on the command line unless it works already."""
    target = Path(sys.argv[1])
    if sys.version_info < (3, 11):  # noqa: UP036 - this is what tells the person
        return _fail(f"Python 3.11 or later is needed, this is {sys.version.split()[0]}")
    if _has_pip(target):
        return 0
    shutil.rmtree(target, ignore_errors=True)
    if not _has_ensurepip():
        _install_ensurepip()
    print(f"making {target}", flush=True)
    if _has_ensurepip():
        subprocess.run([sys.executable, "-m", "venv", str(target)], check=True)
    else:
        venv.create(target, with_pip=False)
        _borrow_pip(target)
    return 0 if _has_pip(target) else _fail(f"no pip for {sys.executable}: {HELP}")


def _has_pip(target: Path) -> bool:
    python = target / "bin" / "python"
    return python.exists() and _quiet([str(python), "-m", "pip", "--version"])


def _has_ensurepip() -> bool:
    return _quiet([sys.executable, "-c", "import ensurepip, venv; ensurepip.version()"])


def _install_ensurepip() -> None:
    """Let the system's package manager bring it where we are root; elsewhere this does nothing."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return
    print("installing python3-venv by apt-get", flush=True)
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    install = [apt, "install", "-y", "-qq", "--no-install-recommends", "python3-venv"]
    for command in ([apt, "update", "-qq"], install):
        subprocess.run(command, check=False, env=environ, stdout=subprocess.DEVNULL)


def _borrow_pip(target: Path) -> None:
    """Install pip into the environment with the one that this Python has, if it has one."""
    command = [sys.executable, "-m", "pip", "--python", str(target / "bin" / "python"), "install", "pip"]
    subprocess.run(command, check=False)


def _quiet(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _fail(reason: str) -> int:
    print(f"error: {reason}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
