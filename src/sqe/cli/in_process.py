"""An engine inside the shell's own process, as `--no-daemon` asks for."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING

from sqe.core.errors import SqeError
from sqe.core.folders import current_folder, private_folder
from sqe.core.progress import Progress
from sqe.observe.logs import log_to_file
from sqe.server.local import LocalEngine

if TYPE_CHECKING:
    from sqe.catalogs.embedded import Warehouses
    from sqe.cli.connect import Result
    from sqe.cli.embedded import EmbeddedConfig


class InProcessConnection:
    """A session of an engine that lives and dies with this object."""

    def __init__(
        self,
        config: EmbeddedConfig,
        warehouses: Warehouses,
        *,
        one_shot: bool,
        jvm_flags: tuple[str, ...] = (),
    ) -> None:
        log_folder = private_folder(config.folders.logs / "in-process")
        log_to_file(log_folder / "engine.log", config.settings.logging)
        self._engine = LocalEngine(
            config.settings,
            config.folders,
            warehouses,
            environ=os.environ,
            log_folder=log_folder,
            one_shot=one_shot,
            jvm_flags=jvm_flags,
            warm_up=True,
        )
        self.memory_limit = config.settings.engine.memory_limit
        self._session_id = uuid.uuid4().hex
        self._folder = current_folder()

    def execute(self, sql: str) -> Result:
        """Run a statement. Raises `SqeError`."""
        session = self._engine.sessions.open(self._session_id, self._engine.identity, self._folder)
        return self._engine.pipeline.run(session, sql)

    def progress(self) -> Progress | None:
        """How far the running statement is."""
        session = self._engine.sessions.find(self._session_id)
        facts = self._engine.pipeline.progress(session) if session is not None else {}
        return Progress(**facts) if facts else None

    def cancel(self) -> None:
        """Stop the running statement."""
        session = self._engine.sessions.find(self._session_id)
        if session is not None and session.current is not None:
            session.current.cancel()

    def close(self) -> None:
        """End the engine."""
        try:
            self._engine.close()
        except SqeError:
            # The JVM is gone already; there is nothing left to end.
            return
