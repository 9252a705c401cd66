"""The settings of the Trino endpoint."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from sqe.core.sizes import parse_size
from sqe.observe.model import Conflict, Seconds, SettingsModel, Size, at_least


class TrinoSettings(SettingsModel):
    """Trino's HTTP protocol."""

    page_bytes: Annotated[Size, at_least("4KB")] = Field(
        default=parse_size("1MB"), description="About how large one answer with rows is."
    )
    client_timeout_secs: Seconds = Field(
        default=300,
        ge=1,
        description="A statement whose client does not come back for this long is canceled.",
    )
    max_threads: int = Field(
        default=128,
        ge=2,
        le=10_000,
        description="How many statements are worked on at once; further ones wait in the state QUEUED.",
    )
    cors_allowed_origins: list[str] = Field(
        default=[],
        description="Web pages that may read answers, such as `https://tools.example.com`; empty: none.",
    )

    def conflicts(self) -> Iterable[Conflict]:
        """An origin that stands for all would let every page in."""
        if any(not origin.startswith(("http://", "https://")) for origin in self.cors_allowed_origins):
            yield Conflict(("cors_allowed_origins",), "must hold origins such as https://tools.example.com")
