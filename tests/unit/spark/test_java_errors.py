from __future__ import annotations

from typing import Any

import pytest

from sqe.core.errors import Position
from sqe.spark.java_errors import translate


def _fact(name: str = "org.apache.spark.sql.AnalysisException", message: str = "no", **more: object) -> dict[str, Any]:
    return {"class": name, "message": message, **more}


@pytest.mark.parametrize(
    ("chain", "code"),
    [
        ([_fact(condition="PARSE_SYNTAX_ERROR", sql_state="42601")], "SYNTAX_ERROR"),
        ([_fact(condition="UNRESOLVED_COLUMN.WITH_SUGGESTION", sql_state="42703")], "SEMANTIC_ERROR"),
        ([_fact(condition="TABLE_OR_VIEW_NOT_FOUND", sql_state="42P01")], "NOT_FOUND"),
        ([_fact(condition="TABLE_OR_VIEW_ALREADY_EXISTS", sql_state="42P07")], "ALREADY_EXISTS"),
        ([_fact(condition="DIVIDE_BY_ZERO", sql_state="22012")], "DATA_ERROR"),
        ([_fact(condition="UNSUPPORTED_FEATURE.X", sql_state="0A000")], "NOT_SUPPORTED"),
        ([_fact("java.util.concurrent.CancellationException")], "CANCELED"),
        ([_fact("x.SparkException", condition="SPARK_JOB_CANCELLED", sql_state="XXKDA")], "CANCELED"),
        ([_fact("x.SparkException"), _fact("org.apache.iceberg.exceptions.CommitFailedException")], "COMMIT_CONFLICT"),
        ([_fact("x.ValidationException", "Found conflicting files that can contain")], "COMMIT_CONFLICT"),
        ([_fact("x.SparkException"), _fact("java.io.IOException", "No space left on device")], "DISK_FULL"),
        ([_fact("x.SparkException"), _fact("x.SparkOutOfMemoryError", condition=None)], "OUT_OF_MEMORY"),
        ([_fact("org.apache.iceberg.jdbc.UncheckedSQLException")], "EXTERNAL"),
        ([_fact("java.lang.NullPointerException")], "INTERNAL"),
    ],
)
def test_code(chain: list[dict[str, Any]], code: str) -> None:
    assert translate(chain, "SELECT 1").code == code


def test_message_is_one_line_without_the_engines_talk() -> None:
    text = (
        "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` instead. If necessary set"
        ' "spark.sql.ansi.enabled" to "false" to bypass this error. SQLSTATE: 22012\n== SQL ==\nSELECT 1/0\n'
    )
    error = translate([_fact(message=text, condition="DIVIDE_BY_ZERO", sql_state="22012")], "SELECT 1/0")
    assert error.message == "Division by zero. Use `try_divide` instead."
    assert error.hint is None


def test_a_place_of_the_engines_is_left_out() -> None:
    error = translate([_fact(message="Cannot go to version 9. There are [0, 1].; line 1 pos 16")], "")
    assert error.message == "Cannot go to version 9. There are [0, 1]."


def test_plan_and_stack_trace_are_left_out() -> None:
    text = "Something broke\n\tat org.apache.Foo.bar(Foo.java:7)\n\tat x.y(z)"
    error = translate([_fact("java.lang.IllegalStateException", text)], "")
    assert "Foo.java" not in error.message + (error.hint or "")


def test_position_counts_characters() -> None:
    sql = "SELECT '😀😀', oops"
    start = sql.index("oops")
    fact = _fact(condition="UNRESOLVED_COLUMN", sql_state="42703", start=start, stop=start + 3, object_type="")
    assert translate([fact], sql).position == Position(1, sql.index("oops") + 1, 4)


def test_position_inside_a_view_is_not_one_in_the_statement() -> None:
    fact = _fact(condition="DIVIDE_BY_ZERO", sql_state="22012", start=3, stop=4, object_type="VIEW")
    assert translate([fact], "SELECT * FROM v").position is None
