"""The settings of how often somebody may ask; the gate reads one key, running queries the others."""

from __future__ import annotations

from pydantic import Field

from sqe.observe.model import SettingsModel


class RateLimitSettings(SettingsModel):
    """How often somebody may ask."""

    auth_attempts_per_minute: int = Field(
        default=10,
        ge=0,
        le=1_000_000,
        description="How many failed attempts to log in one network address has in a minute; 0: no limit.",
    )
