"""Where SQE keeps things of one user: downloads, the engines' sockets and logs, the shell's history."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqe.core.errors import ConfigError

#: A Unix socket's path must fit in 108 bytes, the terminating zero included; the socket's own name takes up to 32.
_LONGEST_SOCKET_FOLDER = 108 - 1 - 33


@dataclass(frozen=True)
class Folders:
    """The folders of one user."""

    cache: Path
    home: Path
    run: Path

    @property
    def warehouse(self) -> Path:
        """The embedded warehouse when none is named."""
        return self.home / "warehouse"

    @property
    def logs(self) -> Path:
        """The engines' log files."""
        return self.home / "logs"

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> Folders:
        """The folders of the user that runs this process."""
        user_home = Path(environ.get("HOME") or Path.home())
        home = user_home / ".sqe"
        cache = Path(environ.get("XDG_CACHE_HOME") or user_home / ".cache") / "sqe"
        run = home / "run"
        # The socket's path becomes part of an address, where other characters would need quoting.
        if len(os.fsencode(run)) > _LONGEST_SOCKET_FOLDER or not re.fullmatch(r"[\w/.-]+", str(run), re.ASCII):
            run = Path(tempfile.gettempdir()) / f"sqe-{os.getuid()}"
        return cls(cache=cache, home=home, run=run)


def private_folder(path: Path) -> Path:
    """Make `path` a folder that only its owner can enter, and make sure that the owner is us."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        facts = path.lstat()
    except OSError as error:
        raise ConfigError(f"the folder {path} cannot be made: {error.strerror}") from error
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        raise ConfigError(f"{path} is not a folder of this user", hint="remove it or give it back to its owner")
    if stat.S_IMODE(facts.st_mode) & 0o077:
        path.chmod(0o700)
    return path


def current_folder() -> str:
    """Where this process is; empty when that folder is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""
