"""Values there and back: what the server makes of Arrow's columns, the client makes Arrow's columns again."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import orjson
import pyarrow as pa
import pytest

from sqe.endpoints.trino_http.client_types import schema_of
from sqe.endpoints.trino_http.client_values import batch_of, checked_rows, zones_of
from sqe.endpoints.trino_http.row_values import rows_of
from sqe.endpoints.trino_http.type_signatures import columns_of

MOMENT = datetime.datetime(2024, 2, 29, 1, 2, 3, 456789)
DAY_US = 86_400 * 10**6


def there_and_back(array: Any) -> Any:
    batch = pa.record_batch([array], names=["x"])
    columns = orjson.loads(orjson.dumps(columns_of(batch.schema)))
    rows = orjson.loads(orjson.dumps(rows_of(batch)))
    schema = schema_of(columns)
    return batch_of(zones_of(schema, rows), checked_rows(rows, schema)).column(0)


ARRAYS: dict[str, Any] = {
    "booleans": pa.array([True, None, False]),
    "tiny": pa.array([1, None, -128], pa.int8()),
    "small": pa.array([1, None, -(2**15)], pa.int16()),
    "int": pa.array([1, None, -2], pa.int32()),
    "big": pa.array([1, None, 2**63 - 1]),
    "real": pa.array([0.1, None, -3e38], pa.float32()),
    "double": pa.array([0.1, None, 1e308]),
    "infinite": pa.array([float("inf"), None, float("-inf")]),
    "decimal": pa.array([Decimal("1.50"), None, Decimal("-99999999.99")], pa.decimal128(10, 2)),
    "large decimal": pa.array([Decimal(10) ** 37, None, Decimal(-1)], pa.decimal128(38, 0)),
    "text": pa.array(["a", None, "ü😀", ""]),
    "bytes": pa.array([b"\x00a", None, b""]),
    "date": pa.array([datetime.date(2024, 2, 29), None, datetime.date(1, 1, 1)]),
    "date far away": pa.array([3_000_000, None, -900_000], pa.date32()),
    "timestamp": pa.array([MOMENT, None, datetime.datetime(1900, 1, 1)], pa.timestamp("us")),
    "timestamp of seconds": pa.array([MOMENT.replace(microsecond=0)], pa.timestamp("s")),
    "timestamp far away": pa.array([3_000_000 * DAY_US + 5, None, -900_000 * DAY_US - 1], pa.timestamp("us")),
    "timestamp of UTC": pa.array([MOMENT, None], pa.timestamp("us", "UTC")),
    "timestamp of a zone": pa.array([MOMENT, None, datetime.datetime(1900, 1, 1)], pa.timestamp("us", "Asia/Tokyo")),
    "time": pa.array([datetime.time(1, 2, 3, 4), None, datetime.time(23, 59, 59)], pa.time64("us")),
    "interval": pa.array([datetime.timedelta(days=-3, milliseconds=5), None], pa.duration("ms")),
    "array": pa.array([[1, None], None, [], [2]], pa.list_(pa.int32())),
    "map": pa.array([[(1, "x"), (2, None)], None, []], pa.map_(pa.int64(), pa.string())),
    "row": pa.array([{"a": 1, "b": ["q"]}, None], pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))])),
    "row of dates": pa.array([{"a": datetime.date(2024, 1, 1)}], pa.struct([("a", pa.date32())])),
    "nested": pa.array([[[(1, [MOMENT])]], None], pa.list_(pa.map_(pa.int32(), pa.list_(pa.timestamp("us"))))),
    "null": pa.nulls(3),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_there_and_back(name: str) -> None:
    array = ARRAYS[name]
    got = there_and_back(array)
    assert got.type == array.type
    assert got.equals(array)


def test_not_a_number() -> None:
    assert str(there_and_back(pa.array([float("nan"), 1.0])).to_pylist()) == "[nan, 1.0]"


def _zoned(values: list[str]) -> Any:
    kind = {"rawType": "timestamp with time zone", "arguments": [{"kind": "LONG", "value": 3}]}
    rows = [[value] for value in values]
    schema = zones_of(schema_of([{"name": "x", "typeSignature": kind}]), rows)
    return batch_of(schema, rows).column(0)


def test_zones_that_differ_by_row() -> None:
    got = _zoned(
        ["2024-01-01 12:00:00.000 Europe/Berlin", "2024-01-01 12:00:00.000 UTC", "2024-01-01 12:00:00.000 +03:00"]
    )
    assert got.type == pa.timestamp("ms", "Europe/Berlin")
    assert [value.astimezone(datetime.UTC).hour for value in got.to_pylist()] == [11, 12, 9]


@pytest.mark.parametrize(("raw", "value"), [("uuid", "12151fd2"), ("json", '{"a":1}'), ("hyperloglog", "abc")])
def test_types_that_arrow_does_not_have_stay_text(raw: str, value: str) -> None:
    schema = schema_of([{"name": "x", "typeSignature": {"rawType": raw, "arguments": []}}])
    assert batch_of(schema, [[value], [None]]).column(0).to_pylist() == [value, None]


def test_picoseconds_stay_text() -> None:
    kind = {"rawType": "timestamp", "arguments": [{"kind": "LONG", "value": 12}]}
    schema = schema_of([{"name": "x", "typeSignature": kind}])
    found = batch_of(schema, [["2024-01-01 00:00:00.123456789012"]]).column(0).to_pylist()
    assert found == ["2024-01-01 00:00:00.123456789012"]
