"""SUMMARIZE: a line about each column, from one pass over the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqe.core.type_names import trino_type
from sqe.query.commands.workbench import Workbench
from sqe.query.virtual.columns import NUMBER, TEXT, WHOLE, table_of

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = {
    "column_name": TEXT, "column_type": TEXT, "min": TEXT, "max": TEXT, "approx_unique": WHOLE, "avg": TEXT,
    "std": TEXT, "q25": TEXT, "q50": TEXT, "q75": TEXT, "count": WHOLE, "null_percentage": NUMBER,
}  # fmt: skip
_NUMBERS = ("tinyint", "smallint", "integer", "bigint", "decimal", "real", "double")
_UNORDERED = ("map", "variant", "json")


def summarize(command: object, bench: Workbench) -> pa.Table:
    """The columns in their order."""
    del command
    described = bench.rows(f"DESCRIBE QUERY {bench.text}")
    columns = [
        (str(name), trino_type(str(kind)))
        for name, kind in zip(described.column(0).to_pylist(), described.column(1).to_pylist(), strict=True)
    ]
    names = [f"c{number}" for number in range(len(columns))]
    aggregates = ["count(*)"]
    for name, (_, kind) in zip(names, columns, strict=True):
        aggregates += _aggregates(name, kind)
    # The statement's own text, which the person may run anyway, and names made here.
    answer = bench.rows(f"SELECT {', '.join(aggregates)} FROM ({bench.text}) AS t ({', '.join(names)})")  # noqa: S608
    values = [column.to_pylist()[0] for column in answer.columns]
    total = int(values.pop(0) or 0)
    width = len(values) // len(columns) if columns else 0
    rows = (_line(column, values[at * width : (at + 1) * width], total) for at, column in enumerate(columns))
    return table_of(_COLUMNS, rows)


def _aggregates(name: str, kind: str) -> list[str]:
    nothing = "CAST(NULL AS STRING)"
    ordered = not kind.startswith(_UNORDERED)
    number = kind.startswith(_NUMBERS)
    shown = "hex({})" if kind == "varbinary" else "CAST({} AS STRING)"
    ends = [shown.format(f"{end}({name})") if ordered else nothing for end in ("min", "max")]
    mean = [f"CAST({form}(CAST({name} AS DOUBLE)) AS STRING)" if number else nothing for form in ("avg", "stddev")]
    quarters = [
        f"CAST(approx_percentile({name}, {share}) AS STRING)" if number else nothing for share in (0.25, 0.5, 0.75)
    ]
    distinct = f"approx_count_distinct({name})" if ordered else "CAST(NULL AS BIGINT)"
    return [*ends, distinct, *mean, *quarters, f"count({name})"]


def _line(column: tuple[str, str], values: list[Any], total: int) -> tuple[Any, ...]:
    *facts, filled = values
    missing = round(100.0 * (total - filled) / total, 2) if total else None
    return (*column, *facts, total, missing)
