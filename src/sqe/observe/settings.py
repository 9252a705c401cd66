"""The settings of logs and metrics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from sqe.core.sizes import parse_size
from sqe.observe.model import SettingsModel, Size, at_least


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


class LogSettings(SettingsModel):
    """The engine's log."""

    level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(_lower)] = Field(
        default="info", description="The least that is worth a line: debug, info, warning or error."
    )
    max_bytes: Annotated[Size, at_least("4KB")] = Field(
        default=parse_size("10MB"),
        description="A log file that reaches this size is put aside and a new one begun.",
    )
    keep: int = Field(default=3, ge=0, le=1000, description="How many log files that were put aside are kept.")


class MetricsSettings(SettingsModel):
    """Metrics and health, for those who run the server."""

    prometheus_port: int = Field(
        default=9090,
        ge=0,
        le=65534,
        description="The port of /metrics; the one after it has /healthz, /readyz and /api/v1/status. 0: both are off.",
    )
    bind_address: str = Field(
        default="127.0.0.1", description="The address that both listen on; they tell counts, and nobody logs in there."
    )
