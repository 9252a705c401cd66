"""Values of parameters as constants, and the statements that read uploads."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqe.core.errors import NotSupportedError, SqlDataError, UserError
from sqe.endpoints.flight_sql.parameters import collected, constants, execution
from sqe.endpoints.flight_sql.uploads import Chunk, insert_target, plain_insert
from sqe.sql.context import Context
from sqe.sql.parameters import count_of
from sqe.sql.translate import translate

UTC = datetime.UTC


@pytest.mark.parametrize(
    ("array", "constant"),
    [
        (pa.array([None], pa.int64()), "NULL"),
        (pa.array([True]), "TRUE"),
        (pa.array([-5], pa.int8()), "-5"),
        (pa.array([2**63], pa.uint64()), "9223372036854775808"),
        (pa.array([1.5]), "1.5E0"),
        (pa.array([1e300]), "1e+300"),
        (pa.array([float("nan")]), "nan()"),
        (pa.array([float("-inf")]), "-infinity()"),
        (pa.array([0.5], pa.float32()), "CAST(0.5E0 AS REAL)"),
        (pa.array([decimal.Decimal("-1.50")], pa.decimal128(10, 2)), "DECIMAL '-1.50'"),
        (pa.array([decimal.Decimal("1E-10")], pa.decimal128(20, 10)), "DECIMAL '0.0000000001'"),
        (pa.array(["it's; --\\"]), "'it''s; --\\'"),
        (pa.array(["x"]).dictionary_encode(), "'x'"),
        (pa.array([b"\x00\xff"]), "X'00ff'"),
        (pa.array([datetime.date(2026, 1, 2)]), "DATE '2026-01-02'"),
        (pa.array([datetime.time(1, 2, 3, 4)]), "TIME '01:02:03.000004'"),
        (pa.array([datetime.datetime(2026, 1, 2)]), "TIMESTAMP '2026-01-02 00:00:00.000000'"),
        (pa.array([1_000], pa.timestamp("ns")), "TIMESTAMP '1970-01-01 00:00:00.000001'"),
        (pa.array([0], pa.timestamp("us", "Europe/Berlin")), "TIMESTAMP '1970-01-01 00:00:00.000000 UTC'"),
        (pa.array([[1, None]]), "ARRAY[1, NULL]"),
        (pa.array([{"a": 1, "b": "x"}]), "ROW(1, 'x')"),
        (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), "MAP(ARRAY['k'], ARRAY[1])"),
    ],
)
def test_constant(array: Any, constant: str) -> None:
    assert list(constants(pa.table({"p": array}))) == [[constant]]


@pytest.mark.parametrize(
    ("array", "error"),
    [(pa.array([1], pa.duration("s")), NotSupportedError), (pa.array([1], pa.timestamp("ns")), SqlDataError)],
)
def test_values_without_a_constant(array: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        list(constants(pa.table({"p": array})))


@given(st.text(), st.text())
def test_no_text_gets_out_of_its_place(statement: str, value: str) -> None:
    """Whatever a statement and a value are made of, the outer statement has just these two texts."""
    text = execution(statement, next(constants(pa.table({"p": pa.array([value.replace("\ud800", "")])}))))
    inner = text.removeprefix("EXECUTE IMMEDIATE ")
    first, between, second = _literal(inner)[0], _literal(inner)[1][:7], _literal(_literal(inner)[1][7:])
    assert (first, between, second) == (statement, " USING ", (value.replace("\ud800", ""), ""))


def _literal(text: str) -> tuple[str, str]:
    """The text at the beginning, and what follows it."""
    assert text[0] == "'"
    at = 1
    while text[at : at + 2] == "''" or text[at] != "'":
        at += 2 if text[at] == "'" else 1
    return text[1:at].replace("''", "'"), text[at + 1 :]


def test_the_dialect_takes_an_execution() -> None:
    text = execution("SELECT ? AS a, ?", ["1", "'it''s'"])
    translation = translate(Context(text, "q", "lake", "main"))
    assert translation.executed == "SELECT ? AS a, ?"
    assert count_of("SELECT ?, '?' -- ?") == 1


@pytest.mark.parametrize(
    ("sql", "columns", "text"),
    [
        ("INSERT INTO t VALUES (?, ?)", 2, 'INSERT INTO t SELECT "p0", "p1" FROM system.upload.rows'),
        ('insert  into "b.c".t (x) values ( ? ) ;', 1, 'insert  into "b.c".t (x) SELECT "p0" FROM system.upload.rows'),
        ("INSERT INTO t VALUES (?)", 2, None),
        ("INSERT INTO t VALUES (?, 1)", 1, None),
        ("INSERT INTO t VALUES (?), (?)", 2, None),
        ("INSERT INTO t SELECT ?", 1, None),
        ("INSERT INTO t -- VALUES (?)", 1, None),
        ("INSERT INTO t VALUES (?); DROP TABLE t", 1, None),
        ('INSERT INTO "t VALUES (?)', 1, None),
    ],
)  # fmt: skip
def test_plain_inserts(sql: str, columns: int, text: str | None) -> None:
    assert plain_insert(sql, tuple(f"p{number}" for number in range(columns))) == text


def test_target_of_a_plain_insert() -> None:
    assert insert_target('INSERT INTO Lake."M""x".T (A, "b c") VALUES (?, ?)') == (["lake", 'M"x', "t"], ["a", "b c"])
    assert insert_target("INSERT INTO t VALUES (?)") == (["t"], [])
    assert insert_target("DELETE FROM t WHERE a = ?") is None


class _Rows:
    schema = pa.schema([("a", pa.binary())])

    def __iter__(self) -> Any:
        batch = pa.record_batch([pa.array([b"x" * 1_000_000])], schema=self.schema)
        yield from [Chunk(batch)] * 20


def test_too_many_parameters() -> None:
    with pytest.raises(UserError, match="too many"):
        collected(_Rows())
