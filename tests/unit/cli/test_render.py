from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sqe.cli.render import open_writer, write
from sqe.cli.render_table import fit
from sqe.core.errors import UserError

pytestmark = pytest.mark.unit


class Batches:
    query_id = "q"

    def __init__(self, *batches: pa.RecordBatch, schema: pa.Schema | None = None) -> None:
        self.schema = batches[0].schema if schema is None else schema
        self._batches = batches

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return iter(self._batches)

    def close(self) -> None:
        pass


def rendered(fmt: str, *batches: pa.RecordBatch, width: int | None = None) -> str:
    stream = io.StringIO()
    write(Batches(*batches), open_writer(fmt, stream, tty_width=width))
    return stream.getvalue()


def batch(names: list[str], *columns: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(column) for column in columns], names=names)


def cell(value: Any, kind: Any = None) -> str:
    """The value as a field of TSV, where few things need quotes."""
    array = pa.array([value], kind)
    return rendered("tsv", pa.RecordBatch.from_arrays([array], names=["c"])).removeprefix("c\n")[:-1]


SOME_TIME = dt.datetime(2024, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, pa.int32(), ""),
        (None, pa.null(), ""),
        ("", None, '""'),
        (2**63 - 1, pa.int64(), "9223372036854775807"),
        (True, None, "true"),
        (1.0, None, "1.0"),
        (-0.0, None, "-0.0"),
        (0.1, pa.float32(), "0.1"),
        (123456789012.0, None, "123456789012.0"),
        (1e20, None, "1e+20"),
        (float("nan"), None, "NaN"),
        (float("-inf"), None, "-Infinity"),
        (Decimal("1E-8"), pa.decimal128(20, 8), "0.00000001"),
        (Decimal("12.50"), pa.decimal128(10, 2), "12.50"),
        (dt.date(2024, 1, 2), None, "2024-01-02"),
        (SOME_TIME, pa.timestamp("us"), "2024-01-02 03:04:05"),
        (SOME_TIME.replace(microsecond=120000), pa.timestamp("us"), "2024-01-02 03:04:05.12"),
        (SOME_TIME.replace(hour=0, minute=0, second=0), pa.timestamp("us"), "2024-01-02 00:00:00"),
        (1704164645000000001, pa.timestamp("ns"), "2024-01-02 03:04:05.000000001"),
        (SOME_TIME, pa.timestamp("us", "UTC"), "2024-01-02 03:04:05+00:00"),
        (SOME_TIME, pa.timestamp("us", "Europe/Vienna"), "2024-01-02 04:04:05+01:00"),
        (SOME_TIME, pa.timestamp("us", "No/Where"), "2024-01-02 03:04:05+00:00"),
        (dt.time(1, 2, 3), None, "01:02:03"),
        (dt.timedelta(days=1, seconds=3, microseconds=500000), None, "1 00:00:03.5"),
        (dt.timedelta(seconds=-3), None, "-0 00:00:03"),
        (b"\xde\xad\xbe\xef", None, "deadbeef"),
        ([1, None], None, "[1,null]"),
        ([], pa.list_(pa.int32()), "[]"),
        ([1, 2], pa.list_(pa.int32(), 2), "[1,2]"),
        ({"x": 1, "y": [1.5]}, None, '"{""x"":1,""y"":[1.5]}"'),
        ([("k", True)], pa.map_(pa.string(), pa.bool_()), '"{""k"":true}"'),
        ({"t": SOME_TIME, "d": Decimal("1.5")}, None, '"{""t"":""2024-01-02 03:04:05"",""d"":""1.5""}"'),
    ],
)
def test_values_as_sql_prints_them(value: Any, kind: Any, text: str) -> None:
    assert cell(value, kind) == text


def test_csv_quotes_only_what_needs_it() -> None:
    rows = batch(["a b", 'q"', "", "x,y"], ["plain", "a,b", None], ['"', "", "\n"], [1, 2, 3], ["a\tb", "c\rd", "é"])
    text = rendered("csv", rows)
    assert text == 'a b,"q""","","x,y"\nplain,"""",1,a\tb\n"a,b","",2,"c\rd"\n,"\n",3,é\n'


def test_tsv_quotes_tabs_and_not_commas() -> None:
    assert rendered("tsv", batch(["a", "b"], ["x,y"], ["x\ty"])) == 'a\tb\nx,y\t"x\ty"\n'


def test_dictionary_and_sliced_columns() -> None:
    words = pa.array(["a", "b", None]).dictionary_encode()
    lists = pa.array([[1], [2, 3], None])
    rows = pa.RecordBatch.from_arrays([words, lists], names=["w", "l"]).slice(1)
    assert rendered("csv", rows) == 'w,l\nb,"[2,3]"\n,\n'


def test_json_keeps_types() -> None:
    rows = pa.RecordBatch.from_arrays(
        [
            pa.array([1, None]),
            pa.array([1.5, float("nan")]),
            pa.array([Decimal("1.10"), None]),
            pa.array(['q"\n', "日本"]),
            pa.array([{"a": [True]}, None]),
            pa.array([[("k", 2**62)], []], pa.map_(pa.string(), pa.int64())),
        ],
        names=["i", "f", "d", "s", "n", "m"],
    )
    lines = [json.loads(line) for line in rendered("json", rows).splitlines()]
    assert lines == [
        {"i": 1, "f": 1.5, "d": "1.10", "s": 'q"\n', "n": {"a": [True]}, "m": {"k": 2**62}},
        {"i": None, "f": "NaN", "d": None, "s": "日本", "n": None, "m": {}},
    ]


def test_names_that_come_twice_and_the_empty_name() -> None:
    rows = batch(["a", "a", "", ""], [1], [2], [3], [4])
    assert json.loads(rendered("json", rows)) == {"a": 1, "a_1": 2, "": 3, "_1": 4}
    assert rendered("csv", rows) == 'a,a,"",""\n1,2,3,4\n'
    assert "│ a │ a │   │   │" in rendered("table", rows)


def test_table() -> None:
    text = rendered("table", batch(["id", "name"], [1, 20, None], ["日本", "a\nb\x1b", None]))
    assert text.splitlines() == [
        "┌──────┬──────────┐",
        "│   id │ name     │",
        "├──────┼──────────┤",
        "│    1 │ 日本     │",
        "│   20 │ a\\nb\\x1b │",
        "│ NULL │ NULL     │",
        "└──────┴──────────┘",
        "(3 rows)",
    ]


def test_table_of_one_row_and_of_none() -> None:
    rows = batch(["a"], [1])
    assert rendered("table", rows).endswith("(1 row)\n")
    assert rendered("table", rows.slice(1)).splitlines() == ["┌───┐", "│ a │", "├───┤", "└───┘", "(0 rows)"]


def test_table_on_a_stream_that_knows_ascii_only() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors="backslashreplace")
    write(Batches(batch(["a"], ["é"])), open_writer("table", stream))
    assert raw.getvalue().splitlines()[:2] == [b"+---+", b"| a |"]


def test_a_narrow_terminal_cuts_wide_cells_only() -> None:
    rows = batch(["id", "text", "wide"], [1], ["x" * 60], ["日" * 20])
    lines = rendered("table", rows, width=60).splitlines()
    assert "│  1 │ " + "x" * 23 + "… │ " + "日" * 11 + "…  │" in lines[3]
    assert "x" * 60 in rendered("table", rows)
    assert fit([5, 15, 40], 20) == [5, 15, 20]
    assert fit([5, 15, 40], 200) == [5, 15, 40]


def test_rows_after_the_sample_keep_its_widths() -> None:
    first = batch(["n", "s"], list(range(10_000)), ["ab"] * 10_000)
    later = batch(["n", "s"], [1, 2], ["c", "much longer"])
    lines = rendered("table", first, later).splitlines()
    assert lines[-5:-2] == ["│ 9999 │ ab │", "│    1 │ c  │", "│    2 │ much longer │"]
    assert lines[-1] == "(10002 rows)"


def test_no_columns_write_nothing() -> None:
    stream = io.StringIO()
    assert write(Batches(schema=pa.schema([])), open_writer("table", stream)) == 0
    assert stream.getvalue() == ""


def test_no_rows_write_the_header() -> None:
    stream = io.StringIO()
    write(Batches(schema=pa.schema([("a", pa.int32())])), open_writer("csv", stream))
    assert stream.getvalue() == "a\n"


def test_unknown_format() -> None:
    with pytest.raises(UserError, match="unknown format 'xml'"):
        open_writer("xml", io.StringIO())
