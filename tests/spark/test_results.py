"""Results: the right types and values, in the right order, never more in memory than was agreed."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from sqe.core.errors import InternalError
from sqe.query.lifecycle import QueryState
from sqe.server.local import LocalEngine

from .support import Client, client_of, in_background, jobs_end, rows, table, value, wait_until

#: 8 partitions of some 8 MB each, in batches well under one MB; the engine of this tier keeps 4 MB for a reader.
WIDE = "SELECT id, rpad('x', 100, 'x') AS s FROM range(0, 640000, 1, 8)"

SCALARS: list[tuple[str, pa.DataType, Any]] = [
    ("true", pa.bool_(), True),
    ("CAST(-128 AS TINYINT)", pa.int8(), -128),
    ("CAST(32767 AS SMALLINT)", pa.int16(), 32767),
    ("-2147483648", pa.int32(), -(2**31)),
    ("9223372036854775807L", pa.int64(), 2**63 - 1),
    ("CAST(1.5 AS FLOAT)", pa.float32(), 1.5),
    ("CAST(-2.25 AS DOUBLE)", pa.float64(), -2.25),
    ("CAST('Infinity' AS DOUBLE)", pa.float64(), float("inf")),
    ("CAST(1.23 AS DECIMAL(5,2))", pa.decimal128(5, 2), Decimal("1.23")),
    (
        "CAST('-9999999999999999999999999999.9999999999' AS DECIMAL(38,10))",
        pa.decimal128(38, 10),
        Decimal("-9999999999999999999999999999.9999999999"),
    ),
    ("'grüße 😀'", pa.string(), "grüße 😀"),
    ("''", pa.string(), ""),
    ("X'00FF'", pa.binary(), b"\x00\xff"),
    ("DATE '2024-02-29'", pa.date32(), datetime.date(2024, 2, 29)),
    ("DATE '0001-01-01'", pa.date32(), datetime.date(1, 1, 1)),
    (
        "TIMESTAMP_NTZ '2024-01-02 03:04:05.123456'",
        pa.timestamp("us"),
        datetime.datetime(2024, 1, 2, 3, 4, 5, 123456),
    ),
    ("array(1, NULL, 3)", pa.list_(pa.field("element", pa.int32())), [1, None, 3]),
    ("INTERVAL '1 02:03:04' DAY TO SECOND", pa.duration("us"), datetime.timedelta(1, 2 * 3600 + 3 * 60 + 4)),
    ("NULL", pa.null(), None),
]


@pytest.mark.parametrize(("expression", "arrow_type", "expected"), SCALARS, ids=[case[0] for case in SCALARS])
def test_type_and_value(session: Client, expression: str, arrow_type: pa.DataType, expected: Any) -> None:
    found = table(session, f"SELECT {expression} AS v")
    assert found.schema.names == ["v"]
    assert found.schema.field("v").type.equals(arrow_type)
    assert found.column("v").to_pylist() == [expected]


@pytest.mark.parametrize("expression", [case[0] for case in SCALARS if case[0] != "NULL"])
def test_null_keeps_its_type(session: Client, expression: str) -> None:
    # Over rows from tasks and over rows on the driver.
    streamed = table(session, f"SELECT IF(id < 0, {expression}, NULL) AS v FROM range(0, 3, 1, 2)")
    plain = table(session, f"SELECT {expression} AS v")
    assert streamed.column("v").to_pylist() == [None] * 3
    assert streamed.schema.field("v").type == plain.schema.field("v").type


def test_timestamps_follow_the_time_zone_of_the_session(session: Client) -> None:
    rows(session, "SET TIME ZONE 'Europe/Berlin'")
    found = table(session, "SELECT CAST('2024-07-01 12:00:00.5' AS TIMESTAMP WITH TIME ZONE) AS t")
    assert found.schema.field("t").type == pa.timestamp("us", tz="Europe/Berlin")
    assert found.column("t").to_pylist() == [
        datetime.datetime(2024, 7, 1, 12, 0, 0, 500_000, ZoneInfo("Europe/Berlin"))
    ]


def test_nested_values(session: Client) -> None:
    found = rows(
        session,
        """SELECT map('a', 1, 'b', NULL) AS m, named_struct('x', 1, 'y', array('z', NULL)) AS s,
                  array(named_struct('m', map(1, array(CAST(2.5 AS DECIMAL(3,1)))))) AS deep,
                  CAST(NULL AS STRUCT<q: INT>) AS none, CAST(array() AS ARRAY<INT>) AS empty""",
    )
    assert found == [
        {
            "m": [("a", 1), ("b", None)],
            "s": {"x": 1, "y": ["z", None]},
            "deep": [{"m": [(1, [Decimal("2.5")])]}],
            "none": None,
            "empty": [],
        }
    ]


def test_all_types_survive_a_table(session: Client, schema: str) -> None:
    rows(
        session,
        f"""CREATE TABLE {schema}.t AS SELECT true AS b, 1 AS i, 2L AS l, CAST(1.5 AS FLOAT) AS f, 2.5D AS d,
            CAST(12.34 AS DECIMAL(10,2)) AS n, 'ä' AS s, X'01' AS x, DATE '2020-01-01' AS dt,
            TIMESTAMP '2020-01-01 00:00:00Z' AS ts, TIMESTAMP_NTZ '2020-01-01 00:00:00' AS tn,
            array(1, 2) AS a, map('k', 'v') AS m, named_struct('p', 1) AS st""",
    )
    rows(session, f"INSERT INTO {schema}.t (i) VALUES (7)")
    first, second = rows(session, f"SELECT * FROM {schema}.t ORDER BY i")
    assert first.pop("ts") == datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    assert first == {
        "b": True,
        "i": 1,
        "l": 2,
        "f": 1.5,
        "d": 2.5,
        "n": Decimal("12.34"),
        "s": "ä",
        "x": b"\x01",
        "dt": datetime.date(2020, 1, 1),
        "tn": datetime.datetime(2020, 1, 1),
        "a": [1, 2],
        "m": [("k", "v")],
        "st": {"p": 1},
    }
    assert second.pop("i") == 7
    assert set(second.values()) == {None}


def test_year_month_interval_can_be_read(session: Client) -> None:
    # Arrow's own type for it is one that Python cannot read.
    assert value(session, "SELECT INTERVAL '1-2' YEAR TO MONTH AS i") == "INTERVAL '1-2' YEAR TO MONTH"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, CAST(id AS STRING) AS s FROM range(0)",
        "SELECT id, CAST(id AS STRING) AS s FROM range(0, 100, 1, 4) WHERE id > 1000",
        "SELECT id, CAST(id AS STRING) AS s FROM range(10) LIMIT 0",
        "SELECT id, CAST(id AS STRING) AS s FROM range(10) WHERE false ORDER BY id",
    ],
)
def test_zero_rows_keep_the_schema(session: Client, sql: str) -> None:
    found = table(session, sql)
    assert found.num_rows == 0
    assert [(column.name, column.type) for column in found.schema] == [("id", pa.int64()), ("s", pa.string())]


def test_columns_of_one_name_all_arrive(session: Client) -> None:
    found = table(session, "SELECT 1 AS a, 'two' AS a, id AS a FROM range(3, 4)")
    assert found.schema.names == ["a", "a", "a"]
    assert [column.to_pylist() for column in found.columns] == [[1], ["two"], [3]]


def test_a_column_name_may_be_anything(session: Client) -> None:
    assert rows(session, "SELECT 1 AS \"größe in €, 'x'\"") == [{"größe in €, 'x'": 1}]


def test_commands_without_rows_have_no_columns(session: Client, schema: str) -> None:
    for sql in (
        f"CREATE TABLE {schema}.t (i INT)",
        f"INSERT INTO {schema}.t VALUES (1)",
        f"ALTER TABLE {schema}.t ADD COLUMN j INT",
        f"DROP TABLE {schema}.t",
    ):
        found = table(session, sql)
        assert (found.num_columns, found.num_rows) == (0, 0)


def test_ordered_result_over_many_partitions(session: Client) -> None:
    found = table(session, "SELECT id FROM range(0, 2000000, 1, 7) ORDER BY id DESC").column("id")
    assert len(found) == 2_000_000
    assert found.combine_chunks().equals(pa.array(range(1_999_999, -1, -1), pa.int64()))


def test_rows_leave_in_the_order_of_the_partitions(session: Client) -> None:
    found = table(session, "SELECT id FROM range(0, 1000000, 1, 8)").column("id")
    assert found.combine_chunks().equals(pa.array(range(1_000_000), pa.int64()))


def test_partitions_of_very_different_size(session: Client) -> None:
    # The first partitions are empty, one in the middle is large.
    sql = "SELECT id FROM range(0, 1000000, 1, 10) WHERE id BETWEEN 450000 AND 599999 OR id = 999999"
    assert table(session, sql).column("id").to_pylist() == [*range(450_000, 600_000), 999_999]


@pytest.mark.parametrize("limit", [1, 4999, 5000, 5001, 20_000])
def test_limit(session: Client, limit: int) -> None:
    found = table(session, f"SELECT id FROM range(0, 100000, 1, 4) LIMIT {limit}")
    assert found.num_rows == pc.count_distinct(found.column("id")).as_py() == limit
    ordered = table(session, f"SELECT id FROM range(0, 100000, 1, 4) ORDER BY id DESC LIMIT {limit}")
    assert ordered.column("id").to_pylist() == list(range(99_999, 99_999 - limit, -1))


def test_offset(session: Client) -> None:
    assert table(session, "SELECT id FROM range(10) ORDER BY id LIMIT 3 OFFSET 4").column("id").to_pylist() == [4, 5, 6]


def test_values_larger_than_the_room_for_a_reader(session: Client) -> None:
    sizes = [len(row["s"]) for row in rows(session, "SELECT rpad('x', 5000000, 'x') AS s FROM range(0, 6, 1, 3)")]
    assert sizes == [5_000_000] * 6


def test_what_is_made_ahead_of_a_slow_reader_is_bounded(session: Client, engine: LocalEngine) -> None:
    room = engine.settings.engine.bytes_in_flight
    result = session.run(WIDE)
    batches = iter(result)
    ids = next(batches).column("id").to_pylist()

    def all_tasks_done() -> bool:
        # Memory has an end; what a reader that stalls leaves behind goes to the disk.
        assert held_bytes(engine, result.query_id) <= room
        return bool(engine.pipeline.progress(session.session)["tasks_done"] == 8)

    wait_until(lambda: held_bytes(engine, result.query_id) > room // 2, "results that wait for the reader")
    wait_until(all_tasks_done, "the end of all tasks while nobody reads")
    for batch in batches:
        ids += batch.column("id").to_pylist()
    assert ids == list(range(640_000))
    assert result.query.state is QueryState.FINISHED
    wait_until(lambda: not list((engine.spark.scratch / "streams").iterdir()), "the removal of its files")


def held_bytes(engine: LocalEngine, query_id: str) -> int:
    """The bytes that the JVM holds for the reader of a query."""
    java_class = engine.spark.jvm().gateway.jvm.java.lang.Class.forName("sqe.jvm.Sink")
    sinks = java_class.getDeclaredField("OPEN")
    sinks.setAccessible(True)
    held = java_class.getDeclaredField("held")
    held.setAccessible(True)
    return int(held.get(sinks.get(None).get(query_id)))


def test_a_reader_that_stops_frees_the_engine(session: Client, engine: LocalEngine) -> None:
    result = session.run(WIDE)
    batches = result.__iter__()
    next(batches)
    batches.close()  # type: ignore[attr-defined]  # it is a generator
    assert engine.tracker.get(result.query_id).state is QueryState.CANCELED
    assert value(session, "SELECT 7") == 7
    jobs_end(engine)
    wait_until(lambda: not list((engine.spark.scratch / "streams").iterdir()), "the removal of the socket")


def test_a_result_that_is_never_read_frees_the_engine(session: Client, engine: LocalEngine) -> None:
    result = session.run(WIDE)
    result.close()
    assert result.query.state is QueryState.CANCELED
    assert engine.tracker.get(result.query_id) in engine.tracker.history()
    assert value(session, "SELECT 7") == 7
    jobs_end(engine)


def test_closing_a_result_that_was_read_changes_nothing(session: Client) -> None:
    result = session.run("SELECT 1")
    assert sum(batch.num_rows for batch in result) == 1
    result.close()
    assert result.query.state is QueryState.FINISHED
    assert result.query.rows == 1


def test_a_result_is_read_once(session: Client) -> None:
    result = session.run("SELECT 1")
    list(result)
    with pytest.raises(InternalError, match="read once"):
        list(result)


def test_two_results_of_one_session_one_after_the_other(session: Client) -> None:
    first, second = session.run(WIDE), session.run(WIDE)
    assert [sum(batch.num_rows for batch in result) for result in (first, second)] == [640_000, 640_000]


def test_a_slow_reader_does_not_stop_others(session: Client, engine: LocalEngine) -> None:
    result = session.run(WIDE)
    batches = iter(result)
    first = next(batches).num_rows
    wait_until(lambda: held_bytes(engine, result.query_id) > 1 << 20, "results that wait for the reader")
    other = client_of(engine)
    with in_background(lambda: value(other, "SELECT sum(id) FROM range(0, 100, 1, 4)")) as waiting:
        try:
            assert waiting.result(30) == 4950
        finally:
            # Whatever happens, the tasks of the tier's engine must not stay where they are.
            rest = sum(batch.num_rows for batch in batches)
    other.close()
    assert first + rest == 640_000
