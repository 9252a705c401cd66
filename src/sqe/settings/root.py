"""The root of the settings: one field for each section of `sqe.toml`."""

from __future__ import annotations

from pydantic import Field

from sqe.auth.settings import AuthSettings, SessionSettings
from sqe.catalogs.settings import Catalogs, EmbeddedSettings
from sqe.endpoints.settings import CoordinatorSettings, SecuritySettings
from sqe.endpoints.trino_http.settings import TrinoSettings
from sqe.observe.model import SettingsModel
from sqe.observe.rate_limit import RateLimitSettings
from sqe.observe.settings import LogSettings, MetricsSettings
from sqe.query.settings import HistorySettings, QuerySettings
from sqe.spark.file_settings import StorageSettings
from sqe.spark.settings import EngineSettings


class Settings(SettingsModel):
    """Everything that can be set."""

    coordinator: CoordinatorSettings = Field(default_factory=CoordinatorSettings)
    catalogs: Catalogs = Field(
        default={},
        description=(
            "The catalogs that the server offers, by name, each as `[catalogs.<name>]` with catalog_url, warehouse, "
            "default_schema, backend.type and auth.type."
        ),
    )
    security: SecuritySettings = Field(default_factory=SecuritySettings)
    metrics: MetricsSettings = Field(default_factory=MetricsSettings)
    query: QuerySettings = Field(default_factory=QuerySettings)
    query_history: HistorySettings = Field(default_factory=HistorySettings)
    engine: EngineSettings = Field(default_factory=EngineSettings)
    embedded: EmbeddedSettings = Field(default_factory=EmbeddedSettings)
    storage: StorageSettings = Field(default_factory=StorageSettings)
    auth: AuthSettings = Field(default_factory=AuthSettings)
    session: SessionSettings = Field(default_factory=SessionSettings)
    rate_limit: RateLimitSettings = Field(default_factory=RateLimitSettings)
    trino: TrinoSettings = Field(default_factory=TrinoSettings)
    logging: LogSettings = Field(default_factory=LogSettings)
