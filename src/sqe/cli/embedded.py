"""Connecting to an engine on this machine: the resident one, or one in this process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqe
from sqe.catalogs.embedded import WAREHOUSE_CATALOG, Warehouses
from sqe.core.folders import Folders
from sqe.core.sizes import format_size

if TYPE_CHECKING:
    from sqe.cli.connect import Connection
    from sqe.cli.in_process import InProcessConnection
    from sqe.cli.options import Options
    from sqe.cli.resident import ResidentConnection
    from sqe.settings import Settings


class EmbeddedConfig:
    """Settings and mounts of an embedded engine. The settings are read only when something depends on them."""

    def __init__(self, options: Options) -> None:
        self.folders = Folders.of_user(os.environ)
        self._options = options
        self._settings: Settings | None = None

    @property
    def settings(self) -> Settings:
        """The settings: file, environment, flags. Raises `ConfigError`."""
        if self._settings is None:
            self._settings = self._load()
        return self._settings

    def warehouses(self) -> Warehouses:
        """The mounts: those of the flags, else those of the settings, else the default one."""
        catalogs = self._options.catalogs
        if not catalogs and not self._options.memory and self.something_is_set():
            embedded = self.settings.embedded
            catalogs = {name: Path(path).expanduser() for name, path in embedded.catalogs.items()}
            if embedded.warehouse:
                catalogs.setdefault(WAREHOUSE_CATALOG, Path(embedded.warehouse).expanduser())
        return Warehouses.of(catalogs, memory=self._options.memory, default=self.folders.warehouse)

    def check(self) -> None:
        """Read the settings if there are any, so that a mistake in them shows even when an engine runs already."""
        if self.something_is_set():
            _ = self.settings

    def something_is_set(self) -> bool:
        """Whether anything but defaults can come out of reading; that saves the time of loading the models."""
        return (
            self._options.config is not None
            or self._options.memory_limit is not None
            or any(name.upper().startswith("SQE_") for name in os.environ)
            or Path("sqe.toml").exists()
        )

    def _load(self) -> Settings:
        import sys

        from sqe.settings import load

        overrides: dict[str, Any] = {"engine.memory_limit": self._options.memory_limit}
        loaded = load(
            config_path=self._options.config,
            environ=os.environ,
            overrides=overrides,
            embedded=True,
            cwd=Path.cwd(),
        )
        for warning in loaded.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        return loaded.settings


def connect_embedded(options: Options, *, one_shot: bool) -> tuple[Connection, str]:
    """A connection and the shell's first lines."""
    config = EmbeddedConfig(options)
    config.check()
    warehouses = config.warehouses()
    connection: InProcessConnection | ResidentConnection
    if options.no_daemon:
        from sqe.cli.in_process import InProcessConnection

        connection = InProcessConnection(config, warehouses, one_shot=one_shot)
    else:
        from sqe.cli.resident import ResidentConnection

        connection = ResidentConnection(config, warehouses)
    return connection, _banner(connection.memory_limit, warehouses)


def _banner(memory_limit: int, warehouses: Warehouses) -> str:
    limit = format_size(memory_limit)
    mounts = ", ".join(f"{name} = {path}" for name, path in warehouses.folders.items())
    persistent = f"Tables in {mounts} stay; " if mounts else ""
    return (
        f"sqe-cli {sqe.__version__} embedded engine ({limit} memory pool)\n"
        f"{persistent}unqualified names live in memory (default.default).\n"
        "End a statement with `;`. `.help` lists the commands, Ctrl-D leaves."
    )
