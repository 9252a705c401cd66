"""A small table must look as it would if it were large."""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from sqe.cli.few_rows import FEW_ROWS, few_cells
from sqe.cli.many_rows import cells
from sqe.cli.render_table import TableWriter

_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)
_COLUMNS: st.SearchStrategy[tuple[pa.DataType, list[Any]]] = st.one_of(
    st.tuples(st.just(pa.int64()), st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=6)),
    st.tuples(st.just(pa.string()), st.lists(st.none() | _TEXT, max_size=6)),
    st.tuples(st.just(pa.bool_()), st.lists(st.none() | st.booleans(), max_size=6)),
    st.tuples(st.just(pa.date32()), st.lists(st.none() | st.dates(date(1, 1, 1)), max_size=6)),
    st.tuples(
        st.just(pa.decimal128(20, 6)),
        st.lists(st.none() | st.decimals(-(10**13), 10**13, places=6, allow_nan=False), max_size=6),
    ),
)


@given(_COLUMNS)
def test_cells_are_those_of_a_large_table(column: tuple[pa.DataType, list[Any]]) -> None:
    array = pa.array(column[1], column[0])
    assert few_cells(array) == cells(array).to_pylist()


def _table(values: list[Any]) -> list[str]:
    batch = pa.RecordBatch.from_pydict({"n": values, "t": [f"é{value}" for value in values]})
    out = io.StringIO()
    writer = TableWriter(out, None)
    writer.begin(batch.schema)
    writer.batch(batch)
    writer.end()
    return out.getvalue().splitlines()


def test_rows_look_alike_on_both_sides_of_the_bound() -> None:
    values = [Decimal("1.50"), Decimal("-20.25")]
    few = _table(values * (FEW_ROWS // 2))
    many = _table(values * (FEW_ROWS // 2 + 1))
    assert few[:10] == many[:10]
    assert few[-2] == many[-2]
