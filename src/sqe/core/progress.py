"""How far a running statement has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """A snapshot of the engine's work for one statement."""

    query_id: str
    state: str
    elapsed_secs: float
    stages: int = 0
    stages_done: int = 0
    tasks: int = 0
    tasks_done: int = 0
    rows: int = 0
    #: What the statement waits for before Spark begins, such as a jar that is being fetched.
    doing: str = ""
