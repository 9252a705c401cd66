"""The settings of the Spark engine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from sqe.core.sizes import format_size, parse_size
from sqe.observe.model import Conflict, Seconds, SettingsModel, Size, at_least


class EngineSettings(SettingsModel):
    """The Spark engine: memory, Java, and how long it stays."""

    memory_limit: Annotated[Size, at_least("64MB")] = Field(
        default=parse_size("1GB"),
        description="The memory that statements may use, 64MB or more; the JVM's own need comes on top.",
    )
    java_home: str = Field(
        default="",
        description="The folder of a Java 17 or 21; empty: JAVA_HOME, then PATH, then the bundled Java.",
    )
    idle_timeout_secs: Seconds = Field(
        default=1800,
        description="How long a resident engine without sessions stays, in seconds; 0: for ever.",
    )
    session_idle_timeout_secs: Seconds = Field(
        default=28_800,
        description="How long a session stays without statements, in seconds; 0: until its client leaves.",
    )
    parallelism: int = Field(
        default=0,
        ge=0,
        le=4096,
        description="How many tasks run at once; 0: one for each core of the machine.",
    )
    spill_dir: str = Field(
        default="",
        description="The folder for what does not fit in memory; empty: the system's temporary folder.",
    )
    rehearse: bool = Field(
        default=True,
        description="Run small statements after a start, while nobody asks, so that the first ones are quick.",
    )
    bytes_in_flight: Annotated[Size, at_least("1MB")] = Field(
        default=parse_size("32MB"),
        description="How much of a result is made ahead of its reader; no more than `engine.memory_limit`.",
    )

    result_spill_limit: Size = Field(
        default=parse_size("2GB"),
        description=(
            "How much of a result whose reader has stopped reading goes to `engine.spill_dir`, so that it does not "
            "keep other statements from running; 0: nothing."
        ),
    )

    def conflicts(self) -> Iterable[Conflict]:
        """A result made ahead must fit in the memory there is, and that in the machine."""
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        if self.memory_limit > machine:
            yield Conflict(("memory_limit",), f"is more than the {format_size(machine)} that this machine has")
        if self.bytes_in_flight > self.memory_limit:
            yield Conflict(("bytes_in_flight", "memory_limit"), "must not be more than engine.memory_limit")
