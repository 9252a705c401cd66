"""`sqe-server`: Flight SQL and Trino HTTP for many people; with `--embedded` the resident engine in the foreground."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from sqe.core.errors import ConfigError, SqeError
from sqe.core.usage import EXIT_INTERRUPTED, EXIT_USAGE, OneLineParser


def main() -> int:
    """The console script."""
    parser = OneLineParser(
        prog="sqe-server",
        description="Serves SQL over Arrow Flight SQL and Trino's HTTP protocol, to each person as themselves.",
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="the settings, as --config")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings (default: sqe.toml in this folder)")
    parser.add_argument(
        "--embedded",
        action="store_true",
        help="serve the embedded warehouse to this user's shells on a private Unix socket instead; no port is opened",
    )
    given = parser.parse_args()
    config = given.config or given.file
    try:
        return _serve_embedded(config) if given.embedded else _serve(config)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except SqeError as error:
        for line in error.message.splitlines():
            print(f"error: {line}", file=sys.stderr)
        if error.hint:
            print(f"hint: {error.hint}", file=sys.stderr)
        return EXIT_USAGE if isinstance(error, ConfigError) else 1


def _serve(config: Path | None) -> int:
    from sqe.core.folders import Folders, private_folder
    from sqe.observe.logs import get_logger, log_to_file
    from sqe.server.checks import refuse_unfit, startup_warnings
    from sqe.server.coordinator import Coordinator
    from sqe.settings import load

    loaded = load(config_path=config, environ=os.environ, overrides={}, embedded=False, cwd=Path.cwd())
    settings = loaded.settings
    refuse_unfit(settings)
    folders = Folders.of_user(os.environ)
    log_folder = private_folder(folders.logs / "server")
    log_to_file(log_folder / "server.log", settings.logging)
    log = get_logger("sqe.server")
    for warning in (*loaded.warnings, *startup_warnings(settings)):
        log.warning(warning)
        print(f"warning: {warning}", file=sys.stderr)
    coordinator = Coordinator(settings, folders, environ=os.environ, log_folder=log_folder)
    signal.signal(signal.SIGTERM, lambda *_: coordinator.stop())
    signal.signal(signal.SIGINT, lambda *_: coordinator.stop())
    address = settings.coordinator.bind_address
    ports = ", ".join(f"{name} {address}:{port}" for name, port in coordinator.ports.items())
    print(f"sqe-server serves {ports}; log in {log_folder}", file=sys.stderr, flush=True)
    coordinator.serve()
    return 0


def _serve_embedded(config: Path | None) -> int:
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
