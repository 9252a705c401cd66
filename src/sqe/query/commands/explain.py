"""EXPLAIN, EXPLAIN ANALYZE, EXPLAIN FULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.query.commands.workbench import Workbench
from sqe.query.virtual.columns import TEXT, WHOLE, table_of
from sqe.sql.commands import Explain

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = {
    "plain": {"plan_type": TEXT, "plan": TEXT},
    "analyze": {"step": WHOLE, "operation": TEXT, "output_rows": WHOLE, "elapsed_ms": WHOLE},
    "full": {
        "step": WHOLE, "operation": TEXT, "estimated_rows": WHOLE, "estimated_bytes": WHOLE, "files_scanned": WHOLE,
        "files_total": WHOLE,
    },
}  # fmt: skip


def explain(command: Explain, bench: Workbench) -> pa.Table:
    """The plan of a statement, from the leaves to the root."""
    statement = bench.statement(bench.text)
    try:
        rows = statement.explain(command.mode)
    finally:
        statement.close()
    return table_of(_COLUMNS[command.mode], (tuple(row) for row in rows))
