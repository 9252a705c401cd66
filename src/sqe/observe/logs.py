"""Structured logs: one line of key=value per event, in files that do not grow for ever, secrets blacked out."""

from __future__ import annotations

import logging
import logging.handlers
import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from sqe.observe.settings import LogSettings

_SECRET_NAME = re.compile(r"(?i)secret|password|token|credential|access_?key|authorization")


class EventLogger:
    """A logger whose calls take an event and facts: `log.info("engine started", pid=7)`."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, **facts: object) -> None:
        """For developers."""
        self._logger.debug(event, extra={"facts": facts})

    def info(self, event: str, **facts: object) -> None:
        """What happened in normal life."""
        self._logger.info(event, extra={"facts": facts})

    def warning(self, event: str, **facts: object) -> None:
        """What an operator should look at."""
        self._logger.warning(event, extra={"facts": facts})

    def exception(self, event: str, **facts: object) -> None:
        """A fault, with the stack trace of the exception being handled."""
        self._logger.error(event, extra={"facts": facts}, exc_info=True)


def get_logger(name: str) -> EventLogger:
    """The logger of a module."""
    return EventLogger(name)


class _LineFormatter(logging.Formatter):
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03d"

    def format(self, record: logging.LogRecord) -> str:
        facts: MutableMapping[str, Any] = getattr(record, "facts", {})
        shown = " ".join(f"{key}={_shown(key, value)!r}" for key, value in facts.items())
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {record.getMessage()} {shown}".rstrip()
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def _shown(key: str, value: object) -> object:
    return "[REDACTED]" if _SECRET_NAME.search(key) else value


def log_to_file(path: Path, settings: LogSettings) -> None:
    """Send the logs of this process to a file that only its owner reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=settings.max_bytes, backupCount=settings.keep, encoding="utf-8"
    )
    path.chmod(0o600)
    handler.setFormatter(_LineFormatter())
    root = logging.getLogger("sqe")
    root.handlers[:] = [handler]
    root.setLevel(settings.level.upper())
    root.propagate = False
