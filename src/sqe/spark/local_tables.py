"""A small Arrow table as Spark takes it: one record batch message, and the columns as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_TYPES = {
    "string": "string", "int64": "long", "int32": "integer", "int16": "short", "bool": "boolean", "double": "double",
    "timestamp[us]": "timestamp_ntz", "timestamp[us, tz=UTC]": "timestamp", "date32[day]": "date",
}  # fmt: skip


def local_table(table: pa.Table) -> tuple[bytes, str]:
    """The rows as one record batch message, and the schema in Spark's JSON."""
    combined = table.combine_chunks()
    batches = combined.to_batches()
    batch = batches[0] if batches else _empty(table)
    fields = [
        {"name": field.name, "type": _TYPES[str(field.type)], "nullable": True, "metadata": {}}
        for field in table.schema
    ]
    return batch.serialize().to_pybytes(), json.dumps({"type": "struct", "fields": fields})


def _empty(table: pa.Table) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in table.schema], schema=table.schema)
