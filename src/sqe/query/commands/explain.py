"""EXPLAIN, EXPLAIN ANALYZE, EXPLAIN FULL, and what Spark says of a plan."""

from __future__ import annotations

import re
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
    if command.mode not in _COLUMNS:
        told = "".join(str(part) for part in bench.rows(bench.text).column(0).to_pylist())
        return table_of({"plan": TEXT}, [(readable_plan(told),)])
    statement = bench.statement(bench.text)
    try:
        rows = statement.explain(command.mode)
    finally:
        statement.close()
    if command.mode == "plain":
        rows = [[kind, readable_plan(plan)] for kind, plan in rows]
    return table_of(_COLUMNS[command.mode], (tuple(row) for row in rows))


def readable_plan(plan: str) -> str:
    """A plan without the numbers of its columns, and without what was sent to Spark before it had a meaning."""
    plan = re.sub(r"(?s)== Parsed Logical Plan ==.*?(?=== Analyzed Logical Plan ==)", "", plan)
    return re.sub(r"#\d+L?", "", plan)
