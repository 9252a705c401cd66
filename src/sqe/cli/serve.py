"""`sqe-server`: for now the resident engine in the foreground; network endpoints come with authentication."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sqe.core.errors import ConfigError, SqeError
from sqe.core.usage import EXIT_INTERRUPTED, EXIT_USAGE, OneLineParser


def main() -> int:
    """The console script."""
    parser = OneLineParser(
        prog="sqe-server",
        description="Serves the embedded warehouse to this user's shells on a private Unix socket, in the foreground. "
        "It opens no network port: those come with authentication.",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings (default: sqe.toml in this folder)")
    given = parser.parse_args()
    try:
        return _serve(given.config)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except SqeError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return EXIT_USAGE if isinstance(error, ConfigError) else 1


def _serve(config: Path | None) -> int:
    from sqe.cli.embedded import EmbeddedConfig
    from sqe.cli.options import parse_options
    from sqe.core.folders import private_folder
    from sqe.server.place import EnginePlace
    from sqe.server.request import StartRequest
    from sqe.server.resident import serve

    flags = ["--embedded", *(["--config", str(config)] if config else [])]
    embedded = EmbeddedConfig(parse_options(flags))
    warehouses = embedded.warehouses()
    place = EnginePlace.of(private_folder(embedded.folders.run), warehouses.key())
    request = StartRequest(embedded.settings, embedded.folders, warehouses, place)
    print(f"serving {place.socket} (user {os.getuid()}); Ctrl-C ends", file=sys.stderr)
    return serve(request, foreground=True)
