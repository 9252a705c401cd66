"""The settings of statements and of their history."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import AfterValidator, Field

from sqe.core.sizes import parse_size
from sqe.observe.model import Seconds, SettingsModel, Size, embedded, refuse
from sqe.spark.guard import PATH_PROCEDURES


def _procedure_with_paths(name: str) -> str:
    if name not in PATH_PROCEDURES:
        raise refuse(f"must be one of {', '.join(sorted(PATH_PROCEDURES))}")
    return name


class QuerySettings(SettingsModel):
    """Limits of every statement."""

    timeout_secs: Seconds = Field(
        default=300,
        description="How long a statement may run, in seconds; 0: as long as it needs.",
        json_schema_extra=embedded(0),
    )
    role_overrides: dict[str, Seconds] = Field(
        default={},
        description=(
            "How long statements of people with a role may run instead, in seconds, by role, such as "
            "`{ analyst = 900 }`. Of several roles the longest time counts; 0: as long as it needs."
        ),
    )
    max_concurrent_queries: int = Field(
        default=100,
        ge=0,
        le=100_000,
        description="How many statements run at once; the others wait in turn, person by person. 0: no limit.",
        json_schema_extra=embedded(0),
    )
    queue_timeout_secs: Seconds = Field(
        default=5, description="How long a statement waits for its turn, in seconds; then it is refused."
    )
    max_result_rows: int = Field(
        default=1_000_000,
        ge=0,
        le=2**63 - 1,
        description="How many rows a result may have; a statement with more fails. 0: no limit.",
        json_schema_extra=embedded(0),
    )
    default_catalog: str = Field(
        default="", description="Where names without a catalog lead on a server; empty: the first catalog by name."
    )
    max_sql_bytes: Size = Field(
        default=parse_size("1MB"), description="The longest SQL text that is looked at at all; 0: no limit."
    )
    slow_query_threshold_secs: Seconds = Field(
        default=30, description="A statement that runs longer gets a warning in the log; 0: none does."
    )
    conflict_retries: int = Field(
        default=3,
        ge=0,
        le=100,
        description="How often a write is tried again after another writer was faster.",
    )
    admin_procedures: list[Annotated[str, AfterValidator(_procedure_with_paths)]] = Field(
        default=sorted(PATH_PROCEDURES),
        description=(
            "Procedures that take places of files and that admins may call with them: "
            f"{', '.join(sorted(PATH_PROCEDURES))}. Nobody else may."
        ),
    )

    def timeout_for(self, roles: Collection[str]) -> int:
        """How long a statement of somebody with these roles may run; 0: as long as it needs."""
        times = [secs for role, secs in self.role_overrides.items() if role in roles]
        if not times:
            return self.timeout_secs
        return 0 if 0 in times else max(times)


class HistorySettings(SettingsModel):
    """The memory of statements that have ended."""

    max_entries: int = Field(
        default=10_000,
        ge=1,
        le=10_000_000,
        description="How many ended statements are remembered; the oldest go first.",
    )
    ttl_secs: Seconds = Field(default=1800, ge=1, description="How long an ended statement is remembered, in seconds.")
