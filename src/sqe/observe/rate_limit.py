"""The settings of how often somebody may ask; the gate reads one key, running queries the others."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sqe.observe.model import SettingsModel

_PerMinute = Annotated[int, Field(ge=0, le=1_000_000)]


class RateLimitSettings(SettingsModel):
    """How often somebody may ask."""

    enabled: bool = Field(default=False, description="Whether statements and questions about metadata are counted.")
    per_user_queries_per_minute: _PerMinute = Field(
        default=60, description="How many statements one person may send in a minute; 0: no limit."
    )
    global_queries_per_minute: _PerMinute = Field(
        default=1000, description="How many statements all together may send in a minute; 0: no limit."
    )
    metadata_per_user_per_minute: _PerMinute = Field(
        default=120,
        description="How many questions about metadata one person may ask in a minute; 0: no limit.",
    )
    auth_attempts_per_minute: int = Field(
        default=10,
        ge=0,
        le=1_000_000,
        description="How many failed attempts to log in one network address has in a minute; 0: no limit.",
    )
