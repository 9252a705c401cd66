"""Procedures of ours: each call is answered by a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sqe.core.errors import CanceledError, UserError
from sqe.query.lifecycle import QueryState
from sqe.query.sessions import Session
from sqe.query.tracker import QueryTracker
from sqe.query.virtual.catalogs import catalog_names
from sqe.query.virtual.columns import FLAG, TEXT, WHOLE, table_of
from sqe.query.virtual.information_schema import described
from sqe.query.virtual.narrowing import Narrowing
from sqe.query.virtual.runtime import own_queries
from sqe.sql.predicates import columns_compared
from sqe.sql.virtual import SYSTEM

if TYPE_CHECKING:
    import pyarrow as pa

Asked = Mapping[str, str]
_HEALTH = {
    "live_data_files": WHOLE, "small_files": WHOLE, "avg_file_bytes": WHOLE, "p50_file_bytes": WHOLE,
    "delete_files": WHOLE, "delete_heavy_files": WHOLE, "eligible_groups": WHOLE, "est_rewrite_bytes": WHOLE,
    "last_compaction_snapshot_ms": WHOLE, "maintenance_enabled": FLAG,
}  # fmt: skip
#: From so many statements on, a bloom filter is worth so much.
_RECOMMENDATIONS = ((10, "strongly suggested"), (3, "suggested"), (1, "weak"))


def _one(asked: Asked) -> Narrowing:
    """The table that a call is about."""
    return Narrowing({name: asked[name] for name in ("table_schema", "table_name")})


def _table_health(session: Session, tracker: QueryTracker, catalog: str, asked: Asked) -> pa.Table:
    del tracker
    facts = session.spark.table_health(catalog, asked["table_schema"], asked["table_name"])
    return table_of(_HEALTH, [tuple(facts[name] for name in _HEALTH)])


def _suggest_bloom_filter_columns(session: Session, tracker: QueryTracker, catalog: str, asked: Asked) -> pa.Table:
    """Columns that the caller's own statements compared with values, the most frequent first."""
    table = (catalog, asked["table_schema"], asked["table_name"])
    columns = [column[0] for _, _, facts in described(session, catalog, _one(asked)) for column in facts["columns"]]
    ended = [query for query in own_queries(session, tracker) if query.state is QueryState.FINISHED]
    statements = [(query.sql, query.place) for query in ended[-int(asked["history_limit"]) :]]
    counts = columns_compared(statements, table, columns)
    rows = (
        (name, hits, next(word for least, word in _RECOMMENDATIONS if hits >= least))
        for name, hits in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    )
    return table_of({"column": TEXT, "equality_pred_hits": WHOLE, "recommendation": TEXT}, rows)


def _refresh_catalog_cache(session: Session, tracker: QueryTracker, catalog: str, asked: Asked) -> pa.Table:
    """Catalogs are mounted without a cache: each statement reads its tables anew, so there is nothing to throw away."""
    del tracker, asked
    names = [name for name in catalog_names(session) if name != SYSTEM and catalog in {"", name}]
    return table_of({"scope": TEXT, "status": TEXT}, ((name, "current") for name in names))


def _register_table(session: Session, tracker: QueryTracker, catalog: str, asked: Asked) -> pa.Table:
    del tracker
    facts = session.spark.register_table(
        catalog, asked["table_schema"], asked["table_name"], asked["metadata_location"]
    )
    columns = {"table_identifier": TEXT, "snapshot_id": WHOLE, "metadata_location": TEXT}
    return table_of(columns, [tuple(facts[name] for name in columns)])


def _kill_query(session: Session, tracker: QueryTracker, catalog: str, asked: Asked) -> pa.Table:
    del catalog
    said = f": {asked['message']}" if asked.get("message") else ""
    reason = CanceledError(f"the statement was killed by {session.identity.user}{said}")
    if not tracker.cancel(asked["query_id"], session.identity, reason):
        raise UserError(f"the query {asked['query_id']} does not run")
    return table_of({}, [])


TABLES: dict[str, Callable[[Session, QueryTracker, str, Asked], pa.Table]] = {
    "procedure.table_health": _table_health,
    "procedure.suggest_bloom_filter_columns": _suggest_bloom_filter_columns,
    "procedure.refresh_catalog_cache": _refresh_catalog_cache,
    "procedure.register_table": _register_table,
    "procedure.kill_query": _kill_query,
}
