"""Arrow types and values as Trino's clients see them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trino.mapper import RowMapperFactory

from sqe.endpoints.trino_http.row_values import rows_of, values_of
from sqe.endpoints.trino_http.type_signatures import columns_of, trino_type

_NESTED = pa.struct([("a", pa.int32()), ('Odd "name', pa.list_(pa.string()))])
_TYPES = [
    (pa.bool_(), "boolean"),
    (pa.int8(), "tinyint"),
    (pa.int16(), "smallint"),
    (pa.int32(), "integer"),
    (pa.int64(), "bigint"),
    (pa.uint64(), "decimal(20,0)"),
    (pa.float32(), "real"),
    (pa.float64(), "double"),
    (pa.decimal128(38, 10), "decimal(38,10)"),
    (pa.decimal128(3, -2), "decimal(5,0)"),
    (pa.string(), "varchar"),
    (pa.dictionary(pa.int32(), pa.string()), "varchar"),
    (pa.binary(), "varbinary"),
    (pa.date32(), "date"),
    (pa.time64("us"), "time(6)"),
    (pa.time64("ns"), "time(6)"),
    (pa.timestamp("us"), "timestamp(6)"),
    (pa.timestamp("ns"), "timestamp(9)"),
    (pa.timestamp("us", "Europe/Amsterdam"), "timestamp(6) with time zone"),
    (pa.duration("us"), "interval day to second"),
    (pa.list_(pa.timestamp("us")), "array(timestamp(6))"),
    (pa.map_(pa.string(), pa.int64()), "map(varchar, bigint)"),
    (_NESTED, 'row(a integer, "Odd ""name" array(varchar))'),
    (pa.struct([("field0", pa.int32()), ("field1", pa.string())]), "row(integer, varchar)"),
    (pa.null(), "unknown"),
]


@pytest.mark.parametrize(("kind", "name"), _TYPES, ids=str)
def test_types_have_trinos_names(kind: pa.DataType, name: str) -> None:
    assert trino_type(kind).name == name


def test_signatures_have_all_arguments() -> None:
    kind = pa.struct([("at", pa.timestamp("us", "UTC")), ("m", pa.map_(pa.string(), pa.decimal128(5, 2)))])
    row = trino_type(kind).signature
    at, entries = (argument["value"] for argument in row["arguments"])
    assert row["rawType"] == "row"
    assert at["fieldName"] == {"name": "at"}
    assert at["typeSignature"] == {
        "rawType": "timestamp with time zone",
        "arguments": [{"kind": "LONG", "value": 6}],
    }
    assert [argument["kind"] for argument in entries["typeSignature"]["arguments"]] == ["TYPE", "TYPE"]
    assert trino_type(pa.string()).arguments == ({"kind": "LONG", "value": 2147483647},)


@pytest.mark.parametrize(
    ("kind", "values", "shown"),
    [
        (
            pa.float64(),
            [1.0, float("nan"), float("inf"), float("-inf"), None, 1e300],
            [1.0, "NaN", "Infinity", "-Infinity", None, 1e300],
        ),
        (pa.float32(), [0.1, 1.5, 16777216.0, None], [0.1, 1.5, 16777216.0, None]),
        (
            pa.decimal128(38, 10),
            [Decimal("0.0000000001"), Decimal("-1.5"), None],
            ["0.0000000001", "-1.5000000000", None],
        ),
        (pa.decimal128(38, 30), [Decimal("1E-20")], ["0.000000000000000000010000000000"]),
        (pa.uint64(), [2**64 - 1], ["18446744073709551615"]),
        (pa.int64(), [2**63 - 1, -(2**63)], [2**63 - 1, -(2**63)]),
        (pa.binary(), [b"\x00\xff", b"", None], ["AP8=", "", None]),
        (
            pa.date32(),
            [19782, 2932897, -719529, 2**31 - 1, None],
            ["2024-02-29", "+10000-01-01", "-0001-12-31", "+5881580-07-11", None],
        ),
        (
            pa.timestamp("us"),
            [0, -1, 253402300800000000, 2**62, None],
            [
                "1970-01-01 00:00:00.000000",
                "1969-12-31 23:59:59.999999",
                "+10000-01-01 00:00:00.000000",
                "+148108-07-06 14:00:27.387904",
                None,
            ],
        ),
        (pa.timestamp("us", "UTC"), [0, None], ["1970-01-01 00:00:00.000000 UTC", None]),
        (pa.timestamp("us", "Europe/Amsterdam"), [1709210096789012], ["2024-02-29 13:34:56.789012 Europe/Amsterdam"]),
        (pa.timestamp("us", "+02:00"), [0], ["1970-01-01 02:00:00.000000 +02:00"]),
        (pa.timestamp("us", "Nowhere/AtAll"), [0], ["1970-01-01 00:00:00.000000 UTC"]),
        (pa.time64("us"), [86399999999], ["23:59:59.999999"]),
        (pa.time64("ns"), [86399999999000], ["23:59:59.999999"]),
        (
            pa.duration("us"),
            [1500000, -1500000, 90061001000, None],
            ["0 00:00:01.500", "-0 00:00:01.500", "1 01:01:01.001", None],
        ),
        (pa.list_(pa.int64()), [[1, None], None, [], [2]], [[1, None], None, [], [2]]),
        (pa.map_(pa.int64(), pa.float64()), [[(1, float("nan"))], None, []], [{"1": "NaN"}, None, {}]),
        (pa.map_(pa.bool_(), pa.string()), [[(True, "x"), (False, None)]], [{"true": "x", "false": None}]),
        (pa.struct([("a", pa.int32()), ("b", pa.binary())]), [{"a": 1, "b": b"x"}, None], [(1, "eA=="), None]),
        (pa.list_(pa.struct([("d", pa.decimal128(5, 2))])), [[{"d": Decimal("1.25")}, None]], [[("1.25",), None]]),
        (pa.null(), [None, None], [None, None]),
    ],
    ids=lambda case: str(case)[:40],
)
def test_values_as_trino_sends_them(kind: pa.DataType, values: list[Any], shown: list[Any]) -> None:
    assert values_of(pa.array(values, kind)) == shown


def test_types_that_leave_as_text_are_noted_at_their_fields() -> None:
    note = {"sqe.type": "interval year to month"}
    schema = pa.schema(
        [pa.field("m", pa.string(), metadata=note), pa.field("j", pa.string(), metadata={"sqe.type": "json"})]
    )
    months = ["INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-14' MONTH", "INTERVAL '3' YEAR", None, "odd"]
    batch = pa.record_batch([pa.array(months), pa.array(["{}"] * 5)], names=["m", "j"])
    assert [column["type"] for column in columns_of(schema)] == ["interval year to month", "json"]
    assert [row[0] for row in rows_of(batch, schema)] == ["1-2", "-1-2", "3-0", None, "odd"]


def test_a_slice_has_its_own_values() -> None:
    lists = pa.array([[1], None, [2, 3], [], [4]], pa.list_(pa.int64()))
    assert values_of(lists.slice(1, 3)) == [None, [2, 3], []]
    maps = pa.array([[("a", 1)], [("b", 2)], None], pa.map_(pa.string(), pa.int64()))
    assert values_of(maps.slice(1)) == [{"b": 2}, None]
    rows = pa.array([{"a": 1}, None, {"a": 3}], pa.struct([("a", pa.int64())]))
    assert values_of(rows.slice(1)) == [None, (3,)]


def test_a_null_list_may_cover_elements() -> None:
    covered = pa.ListArray.from_arrays([0, 2, 3], pa.array([1, 2, 3]), mask=pa.array([True, False]))
    assert values_of(covered) == [None, [3]]


def test_bytes_that_are_no_text_do_not_break_an_answer() -> None:
    broken = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xff")])
    assert values_of(broken) == ["a�"]


def test_rows_without_columns_are_counted() -> None:
    table = pa.table({"a": [1, 2]}).to_batches()[0].select([])
    assert rows_of(table) == [(), ()]


def _pairs() -> st.SearchStrategy[tuple[pa.DataType, Any]]:
    """A type and a strategy of its values, as Python has them."""
    simple: list[tuple[pa.DataType, Any]] = [
        (pa.bool_(), st.booleans()),
        (pa.int8(), st.integers(-128, 127)),
        (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
        (pa.float64(), st.floats(allow_nan=False)),
        (pa.float32(), st.floats(width=32, allow_nan=False, allow_infinity=False)),
        (pa.string(), st.text(st.characters(exclude_categories=["Cs"]))),
        (pa.binary(), st.binary()),
        (pa.decimal128(38, 6), st.decimals(-(10**20), 10**20, places=6)),
        (pa.date32(), st.dates()),
        (pa.timestamp("us"), st.datetimes()),
        (pa.time64("us"), st.times()),
    ]

    def nest(inner: st.SearchStrategy[tuple[pa.DataType, Any]]) -> st.SearchStrategy[tuple[pa.DataType, Any]]:
        return inner.map(lambda pair: (pa.list_(pair[0]), st.lists(st.none() | pair[1], max_size=3))) | inner.map(
            lambda pair: (
                pa.map_(pa.string(), pair[0]),
                st.dictionaries(st.text("abc", max_size=3), st.none() | pair[1], max_size=3),
            )
        )

    return st.recursive(st.sampled_from(simple), nest, max_leaves=2)


@given(st.data())
def test_the_python_client_reads_what_was_sent(data: st.DataObject) -> None:
    kind, values = data.draw(_pairs())
    sent = data.draw(st.lists(st.none() | values, max_size=5))
    stored = [list(value.items()) if isinstance(value, dict) else value for value in _as_arrow(sent)]
    batch = pa.record_batch([pa.array(stored, kind)], names=["c"])
    columns = json.loads(orjson.dumps(columns_of(batch.schema)))
    rows = json.loads(orjson.dumps(rows_of(batch)))
    read = RowMapperFactory().create(columns, legacy_primitive_types=False).map(rows)
    expected = [_narrow(value, kind) for value in sent]
    assert [row[0] for row in read] == expected


def _as_arrow(value: Any) -> Any:
    """Arrow takes maps as lists of pairs, at every depth."""
    if isinstance(value, dict):
        return [(key, _as_arrow(inner)) for key, inner in value.items()]
    return [_as_arrow(inner) for inner in value] if isinstance(value, list) else value


def _narrow(value: Any, kind: pa.DataType) -> Any:
    """A short number comes back with the digits it is printed with."""
    if value is None:
        return None
    if pa.types.is_list(kind):
        return [_narrow(inner, kind.value_type) for inner in value]
    if pa.types.is_map(kind):
        return {key: _narrow(inner, kind.item_type) for key, inner in value.items()}
    if pa.types.is_float32(kind):
        return float(pa.scalar(value, pa.float32()).cast(pa.string()).as_py())
    return value
