"""Errors as Trino's clients see them."""

from __future__ import annotations

import pytest
from trino.exceptions import TrinoUserError

from sqe.core import errors
from sqe.core.errors import Position, SqeError
from sqe.endpoints.trino_http.error_codes import AbandonedError, query_error, trino_code


@pytest.mark.parametrize(
    ("error", "number", "name", "kind"),
    [
        (errors.SqlSyntaxError("x"), 1, "SYNTAX_ERROR", "USER_ERROR"),
        (errors.NotFoundError("x", condition="TABLE_OR_VIEW_NOT_FOUND"), 46, "TABLE_NOT_FOUND", "USER_ERROR"),
        (errors.NotFoundError("x"), 5, "NOT_FOUND", "USER_ERROR"),
        (
            errors.SqlSemanticError("x", condition="UNRESOLVED_COLUMN.WITH_SUGGESTION"),
            47,
            "COLUMN_NOT_FOUND",
            "USER_ERROR",
        ),
        (errors.SqlDataError("x", condition="DIVIDE_BY_ZERO"), 8, "DIVISION_BY_ZERO", "USER_ERROR"),
        (errors.SqlDataError("x"), 7, "INVALID_FUNCTION_ARGUMENT", "USER_ERROR"),
        (errors.DeniedError("x"), 4, "PERMISSION_DENIED", "USER_ERROR"),
        (errors.CanceledError("x"), 3, "USER_CANCELED", "USER_ERROR"),
        (AbandonedError("x"), 2, "ABANDONED_QUERY", "USER_ERROR"),
        (errors.QueryTimeoutError("x"), 131075, "EXCEEDED_TIME_LIMIT", "INSUFFICIENT_RESOURCES"),
        (errors.ResultTooLargeError("x"), 131072, "GENERIC_INSUFFICIENT_RESOURCES", "INSUFFICIENT_RESOURCES"),
        (errors.ExternalError("x"), 84148237, "ICEBERG_CATALOG_ERROR", "EXTERNAL"),
        (errors.JarsMissingError("x"), 84148237, "ICEBERG_CATALOG_ERROR", "EXTERNAL"),
        (errors.InternalError("x", condition="DIVIDE_BY_ZERO"), 65536, "GENERIC_INTERNAL_ERROR", "INTERNAL_ERROR"),
        (errors.EngineDiedError("x"), 65536, "GENERIC_INTERNAL_ERROR", "INTERNAL_ERROR"),
    ],
    ids=lambda case: case if isinstance(case, str) else None,
)
def test_codes(error: SqeError, number: int, name: str, kind: str) -> None:
    code = trino_code(error)
    assert (code.number, code.name, code.type) == (number, name, kind)


def test_the_python_client_understands_an_error() -> None:
    error = errors.SqlSyntaxError("what is this", hint="write SQL", position=Position(2, 5, 3))
    read = TrinoUserError(query_error(error, "q1"), "q1")
    assert read.error_name == "SYNTAX_ERROR"
    assert read.message == "line 2:5: what is this (write SQL)"
    assert read.error_location == (2, 5)
    assert read.failure_info is not None
    assert read.failure_info["stack"] == []


def test_internal_errors_tell_nothing() -> None:
    body = query_error(errors.InternalError("java.lang.Secret: token=abc", hint="hunter2"), "q7")
    assert "q7" in body["message"]
    assert "token=abc" not in str(body)
    assert "hunter2" not in str(body)


def test_every_class_has_a_code() -> None:
    classes = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SqeError)]
    for kind in classes:
        if kind is not errors.RemoteError:
            assert trino_code(kind("x")).number >= 0
