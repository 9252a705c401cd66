"""system.runtime: what runs and what ran. A person sees their own statements, an admin all."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqe import __version__
from sqe.core.errors import code_of, kind_of
from sqe.query.lifecycle import Query, QueryState
from sqe.query.sessions import Session
from sqe.query.tracker import QueryTracker
from sqe.query.virtual.columns import FLAG, MOMENT, TEXT, WHOLE, table_of
from sqe.sql.secrets import redacted

if TYPE_CHECKING:
    import pyarrow as pa

_QUERIES = {
    "query_id": TEXT, "state": TEXT, "user": TEXT, "source": TEXT, "query": TEXT, "resource_group_id": TEXT,
    "queued_time_ms": WHOLE, "analysis_time_ms": WHOLE, "planning_time_ms": WHOLE, "execution_time_ms": WHOLE,
    "created": MOMENT, "started": MOMENT, "last_heartbeat": MOMENT, "end": MOMENT, "output_rows": WHOLE,
    "error_type": TEXT, "error_code": TEXT,
}  # fmt: skip
_NODES = {
    "node_id": TEXT, "http_uri": TEXT, "node_version": TEXT, "coordinator": FLAG, "state": TEXT,
    "last_heartbeat": MOMENT,
}  # fmt: skip
_TASKS = {
    "query_id": TEXT, "task_id": TEXT, "node_id": TEXT, "state": TEXT, "created": MOMENT, "ended": MOMENT,
    "elapsed_ms": WHOLE, "input_rows": WHOLE, "output_rows": WHOLE, "input_bytes": WHOLE,
}  # fmt: skip
_NODE = "local"


def _queries(session: Session, tracker: QueryTracker) -> pa.Table:
    return table_of(_QUERIES, (_query(query) for query in _visible(session, tracker)))


def _visible(session: Session, tracker: QueryTracker) -> list[Query]:
    """Everybody's statements for an admin, their own for everybody else."""
    return all_queries(tracker) if session.identity.admin else own_queries(session, tracker)


def all_queries(tracker: QueryTracker) -> list[Query]:
    """The statements that ended, oldest first, and those that have not."""
    return list({query.id: query for query in [*tracker.history(), *tracker.running()]}.values())


def own_queries(session: Session, tracker: QueryTracker) -> list[Query]:
    """Those of the session's person."""
    return [query for query in all_queries(tracker) if query.identity.user == session.identity.user]


def _query(query: Query) -> tuple[Any, ...]:
    started = query.started or query.ended or query.created
    ended = query.ended
    error = query.error
    return (
        query.id, query.state.value, query.identity.user, None, redacted(query.sql), None,
        _millis(query.created, started), 0, 0, _millis(started, ended) if ended else None,
        _moment(query.created), _moment(query.started), datetime.now(UTC), _moment(ended), query.rows,
        kind_of(error).value if error else None, code_of(error) if error else None,
    )  # fmt: skip


def _nodes(session: Session, tracker: QueryTracker) -> pa.Table:
    del session, tracker
    return table_of(_NODES, [(_NODE, None, __version__, True, "active", datetime.now(UTC))])


def _tasks(session: Session, tracker: QueryTracker) -> pa.Table:
    rows = []
    for query in _visible(session, tracker):
        facts = session.spark.progress(query.id) if query.state is QueryState.RUNNING else {}
        if facts:
            created = _moment(query.started)
            elapsed = round(query.elapsed_secs * 1000)
            rows.append(
                (query.id, f"{query.id}.0", _NODE, "RUNNING", created, None, elapsed, facts["rows"], None, None)
            )
    return table_of(_TASKS, rows)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _millis(start: float, end: float) -> int:
    return round((end - start) * 1000)


COLUMNS = {"system.runtime.queries": _QUERIES, "system.runtime.nodes": _NODES, "system.runtime.tasks": _TASKS}
TABLES: dict[str, Callable[[Session, QueryTracker], pa.Table]] = {
    "system.runtime.queries": _queries,
    "system.runtime.nodes": _nodes,
    "system.runtime.tasks": _tasks,
}
