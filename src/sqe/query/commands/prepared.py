"""PREPARE, DEALLOCATE PREPARE, DESCRIBE OUTPUT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.core.type_names import trino_type
from sqe.query.commands.workbench import Workbench, nothing
from sqe.query.virtual.columns import FLAG, TEXT, WHOLE, table_of
from sqe.sql.classify import CHANGES
from sqe.sql.commands import Deallocate, DescribeOutput, Prepare

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = {
    "Column Name": TEXT, "Catalog": TEXT, "Schema": TEXT, "Table": TEXT, "Type": TEXT, "Type Size": WHOLE,
    "Aliased": FLAG,
}  # fmt: skip
#: Bytes of the types that have a size.
_SIZES = {"boolean": 1, "tinyint": 1, "smallint": 2, "integer": 4, "real": 4, "date": 4, "bigint": 8, "double": 8}
_MOST = 1000
_QUERIES = ("query", "show", "describe")


def prepare(command: Prepare, bench: Workbench) -> pa.Table:
    """Keep a statement's text for the session; one of the same name is replaced."""
    known = bench.session.prepared
    if len(known) >= _MOST and command.name not in known:
        raise SqlSemanticError(
            f"a session has at most {_MOST} prepared statements", hint="DEALLOCATE PREPARE forgets one"
        )
    known[command.name] = command.text
    return nothing()


def deallocate(command: Deallocate, bench: Workbench) -> pa.Table:
    """Forget a statement."""
    bench.session.prepared.pop(command.name, None)
    return nothing()


def describe_output(command: DescribeOutput, bench: Workbench) -> pa.Table:
    """The columns of a query; a change of data has one, the count of its rows."""
    if command.kind in CHANGES:
        return table_of(_COLUMNS, [("rows", "", "", "", "bigint", 8, False)])
    if command.kind not in _QUERIES or not bench.text:
        raise NotSupportedError("DESCRIBE OUTPUT is for queries and changes of data")
    described = bench.rows(f"DESCRIBE QUERY {bench.text}")
    rows = []
    for name, kind in zip(described.column(0).to_pylist(), described.column(1).to_pylist(), strict=True):
        shown = trino_type(str(kind))
        rows.append((name, "", "", "", shown, _SIZES.get(shown, 0), name in command.aliases))
    return table_of(_COLUMNS, rows)
