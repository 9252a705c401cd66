"""Defaults of columns as SHOW CREATE TABLE prints them."""

from __future__ import annotations

import pytest

from sqe.sql.definitions import default_text


@pytest.mark.parametrize(
    ("spark", "shown"),
    [
        (None, None),
        ("1.56BD", "1.56"),
        ("-5L", "-5"),
        ("7", "7"),
        ("1.0E100D", "1.0E100"),
        ("CAST('1.1' AS FLOAT)", "1.1"),
        ("CAST('NaN' AS FLOAT)", "CAST('NaN' AS REAL)"),
        ("'it\\'s 1.5BD'", "'it''s 1.5BD'"),
        ("TIMESTAMP_NTZ '2020-01-01 00:00:00'", "TIMESTAMP '2020-01-01 00:00:00'"),
        ("DATE '2020-01-01'", "DATE '2020-01-01'"),
        ("X'41D'", "X'41D'"),
        ("true", "true"),
    ],
)
def test_numbers_do_not_tell_their_types(spark: str | None, shown: str | None) -> None:
    assert default_text(spark) == shown
