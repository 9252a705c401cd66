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
        '[NEW_ONE.SUB] Something is zero. Use `a`.`b` for "INT" instead. If necessary set'
        ' "spark.sql.ansi.enabled" to "false" to bypass this error. SQLSTATE: 22012\n== SQL ==\nSELECT 1/0\n'
    )
    error = translate([_fact(message=text, condition="NEW_ONE.SUB", sql_state="22012")], "SELECT 1/0")
    assert error.message == "something is zero. Use a.b for integer instead"
    assert error.hint is None


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("NULL in:\nb\nPlease use scala.Option[_] here.", "NULL in: b", None),
        ("No way.; line 1 pos 0;\nProject [a#1]\n+- ResolvedTable org.apache.X@1", "no way", None),
        ("No.\nProject\n+- Scan", "no", "Project"),
        (
            'Cannot resolve "f(sqe_x(1))" due to data type mismatch: It is "MAP<STRING, INT>".',
            "it is map(varchar, integer)",
            None,
        ),
        ('The value "sqe_cast(a#1)" is bad.', "the value this expression is bad", None),
        (
            "Class org.apache.Foo is missing.",
            "the engine refused the statement without a reason that it could tell",
            None,
        ),
        ("First.\nThen do this.\nSet spark.x.y to z.", "first", "Then do this."),
    ],
)
def test_text_without_words_of_ours(text: str, message: str, hint: str | None) -> None:
    error = translate([_fact(message=text)], "")
    assert (error.message, error.hint) == (message, hint)


@pytest.mark.parametrize(
    ("condition", "parameters", "message", "hint"),
    [
        (
            "CAST_INVALID_INPUT",
            {"expression": "'\uf8fcx'", "targetType": '"INT"'},
            "the value 'x' cannot be cast to integer",
            "TRY_CAST gives NULL instead",
        ),
        (
            "CAST_OVERFLOW",
            {"value": "1.0E30D", "targetType": '"BIGINT"'},
            "the value 1.0E30 is too large for bigint",
            "TRY_CAST gives NULL instead",
        ),
        (
            "UNRESOLVED_COLUMN.WITH_SUGGESTION",
            {"objectName": "`t`.`nme`", "proposal": "`t`.`id`, `t`.`name`"},
            "there is no column t.nme",
            "did you mean t.name?",
        ),
        (
            "UNRESOLVED_COLUMN.WITH_SUGGESTION",
            {"objectName": "`zz`", "proposal": "`a`, `b`"},
            "there is no column zz",
            "there are a, b",
        ),
        (
            "NOT_NULL_ASSERT_VIOLATION",
            {"walkedTypePath": "\nb\n"},
            "the column b is NOT NULL, and there is a NULL for it",
            None,
        ),
        (
            "MISSING_AGGREGATION",
            {"expression": '"sqe_x(a)"'},
            "this expression must be in GROUP BY or in an aggregate",
            None,
        ),
    ],
)
def test_words_of_ours(condition: str, parameters: dict[str, str], message: str, hint: str | None) -> None:
    error = translate([_fact(condition=condition, parameters=parameters)], "")
    assert (error.message, error.hint) == (message, hint)


def test_a_condition_with_other_parameters_keeps_its_text() -> None:
    error = translate([_fact(message="Duplicate key.", condition="DUPLICATED_MAP_KEY", sql_state="23505")], "")
    assert (error.code, error.message) == ("DATA_ERROR", "duplicate key")


def test_words_by_text_know_the_kind() -> None:
    error = translate([_fact("x.IllegalArgumentException", "Cannot find snapshot with ID 7")], "")
    assert (error.code, error.message, error.about) == ("NOT_FOUND", "there is no snapshot 7", "7")


def test_a_place_of_the_engines_is_left_out() -> None:
    error = translate([_fact(message="Cannot go to version 9. There are [0, 1].; line 1 pos 16")], "")
    assert error.message.lower().startswith("cannot go to version 9. there are [0, 1]")


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
