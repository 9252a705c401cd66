"""COPY … TO."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqe.query.commands.workbench import Workbench
from sqe.query.virtual.columns import WHOLE, table_of
from sqe.sql.commands import Copy

if TYPE_CHECKING:
    import pyarrow as pa


def copy(command: Copy, bench: Workbench) -> pa.Table:
    """Write the rows of the query; answers how many there were."""
    statement = bench.statement(bench.text)
    try:
        statement.analyze()
        rows = statement.copy(asdict(command))
    finally:
        statement.close()
    return table_of({"rows": WHOLE}, [(rows,)])
