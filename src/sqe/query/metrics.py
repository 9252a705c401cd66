"""Counts of statements for Prometheus, fed by their life cycle."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from sqe.query.lifecycle import Query, QueryState

_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class QueryMetrics:
    """A listener of all statements."""

    def __init__(self, registry: CollectorRegistry, sessions: Callable[[], int]) -> None:
        self._count = Counter(
            "sqe_query_count", "Statements that have ended", ["status", "statement_type"], registry=registry
        )
        self._duration = Histogram(
            "sqe_query_duration_seconds",
            "From arrival to the last row",
            ["statement_type"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self._rows = Counter("sqe_rows_returned", "Rows that have left", registry=registry)
        self._active = Gauge("sqe_active_queries", "Statements that have not ended", registry=registry)
        Gauge("sqe_active_sessions", "Open sessions", registry=registry).set_function(sessions)

    def query_changed(self, query: Query) -> None:
        """Called by the life cycle after each change of state."""
        if query.state is QueryState.QUEUED:
            return
        if query.state is QueryState.RUNNING:
            self._active.inc()
            return
        if query.started is not None:
            self._active.dec()
        self._count.labels(query.state.value.lower(), query.kind).inc()
        self._duration.labels(query.kind).observe(query.elapsed_secs)
        self._rows.inc(query.rows)
