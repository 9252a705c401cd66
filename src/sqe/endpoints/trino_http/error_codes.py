"""Our errors in Trino's words: the numbers and names that its clients look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqe.core.errors import CanceledError, ErrorKind, SqeError, code_of, kind_of

_USER, _INTERNAL, _RESOURCES, _EXTERNAL = "USER_ERROR", "INTERNAL_ERROR", "INSUFFICIENT_RESOURCES", "EXTERNAL"


#: Tells our own client the error with code, hint and place; others do not look at it.
ERROR_HEADER = "X-SQE-Error"
#: Headers have narrow limits.
_LONGEST = 800


class AbandonedError(CanceledError):
    """Nobody came back for the rest of a result."""


@dataclass(frozen=True)
class TrinoCode:
    """An error code of Trino's."""

    number: int
    name: str
    type: str = _USER


_GENERIC = TrinoCode(0, "GENERIC_USER_ERROR")
_INTERNAL_ERROR = TrinoCode(65536, "GENERIC_INTERNAL_ERROR", _INTERNAL)
_NO_RESOURCES = TrinoCode(131072, "GENERIC_INSUFFICIENT_RESOURCES", _RESOURCES)
#: The Iceberg connector's code for a catalog or a storage that does not do as it should.
_AWAY = TrinoCode(0x0504_0000 + 13, "ICEBERG_CATALOG_ERROR", _EXTERNAL)
_DENIED = TrinoCode(4, "PERMISSION_DENIED")
_MISMATCH = TrinoCode(58, "TYPE_MISMATCH")
_NO_FUNCTION = TrinoCode(6, "FUNCTION_NOT_FOUND")
_BAD_CAST = TrinoCode(9, "INVALID_CAST_ARGUMENT")
_OUT_OF_RANGE = TrinoCode(19, "NUMERIC_VALUE_OUT_OF_RANGE")

_BY_CODE = {
    "SYNTAX_ERROR": TrinoCode(1, "SYNTAX_ERROR"),
    "SEMANTIC_ERROR": _GENERIC,
    "DATA_ERROR": TrinoCode(7, "INVALID_FUNCTION_ARGUMENT"),
    "NOT_SUPPORTED": TrinoCode(13, "NOT_SUPPORTED"),
    "ALREADY_EXISTS": TrinoCode(12, "ALREADY_EXISTS"),
    "CONFIG_ERROR": TrinoCode(65559, "CONFIGURATION_INVALID", _INTERNAL),
    "STATEMENT_TOO_LARGE": TrinoCode(35, "QUERY_TEXT_TOO_LARGE"),
    "STATEMENT_TOO_COMPLEX": TrinoCode(31, "QUERY_REJECTED"),
    "COMMIT_CONFLICT": TrinoCode(17, "TRANSACTION_CONFLICT"),
    "NOT_FOUND": TrinoCode(5, "NOT_FOUND"),
    "ENGINE_UNAVAILABLE": TrinoCode(65545, "SERVER_SHUTTING_DOWN", _INTERNAL),
    "TOO_MANY_REQUESTS": TrinoCode(131074, "QUERY_QUEUE_FULL", _RESOURCES),
    "QUERY_TIMEOUT": TrinoCode(131075, "EXCEEDED_TIME_LIMIT", _RESOURCES),
    "OUT_OF_MEMORY": TrinoCode(131079, "EXCEEDED_LOCAL_MEMORY_LIMIT", _RESOURCES),
}
_BY_KIND = {
    ErrorKind.USER: _GENERIC,
    ErrorKind.UNAUTHENTICATED: _DENIED,
    ErrorKind.DENIED: _DENIED,
    ErrorKind.NOT_FOUND: TrinoCode(5, "NOT_FOUND"),
    ErrorKind.EXTERNAL: _AWAY,
    ErrorKind.EXHAUSTED: _NO_RESOURCES,
    ErrorKind.CANCELED: TrinoCode(3, "USER_CANCELED"),
    ErrorKind.INTERNAL: _INTERNAL_ERROR,
}
#: Spark's conditions that Trino has an own code for; one stands also for its sub-conditions.
_BY_CONDITION = {
    "TABLE_OR_VIEW_NOT_FOUND": TrinoCode(46, "TABLE_NOT_FOUND"),
    "VIEW_NOT_FOUND": TrinoCode(46, "TABLE_NOT_FOUND"),
    "SCHEMA_NOT_FOUND": TrinoCode(45, "SCHEMA_NOT_FOUND"),
    "CATALOG_NOT_FOUND": TrinoCode(44, "CATALOG_NOT_FOUND"),
    "UNRESOLVED_COLUMN": TrinoCode(47, "COLUMN_NOT_FOUND"),
    "UNRESOLVED_FIELD": TrinoCode(47, "COLUMN_NOT_FOUND"),
    "UNRESOLVED_USING_COLUMN_FOR_JOIN": TrinoCode(47, "COLUMN_NOT_FOUND"),
    "FIELD_NOT_FOUND": TrinoCode(47, "COLUMN_NOT_FOUND"),
    "COLUMN_NOT_FOUND": TrinoCode(47, "COLUMN_NOT_FOUND"),
    "UNRESOLVED_ROUTINE": _NO_FUNCTION,
    "ROUTINE_NOT_FOUND": _NO_FUNCTION,
    "WRONG_NUM_ARGS": _NO_FUNCTION,
    "PROCEDURE_NOT_FOUND": TrinoCode(29, "PROCEDURE_NOT_FOUND"),
    "FAILED_TO_LOAD_ROUTINE": _NO_FUNCTION,
    "SCHEMA_ALREADY_EXISTS": TrinoCode(49, "SCHEMA_ALREADY_EXISTS"),
    "TABLE_OR_VIEW_ALREADY_EXISTS": TrinoCode(50, "TABLE_ALREADY_EXISTS"),
    "VIEW_ALREADY_EXISTS": TrinoCode(50, "TABLE_ALREADY_EXISTS"),
    "FIELD_ALREADY_EXISTS": TrinoCode(51, "COLUMN_ALREADY_EXISTS"),
    "COLUMN_ALREADY_EXISTS": TrinoCode(54, "DUPLICATE_COLUMN_NAME"),
    "SCHEMA_NOT_EMPTY": TrinoCode(34, "SCHEMA_NOT_EMPTY"),
    "DATATYPE_MISMATCH": _MISMATCH,
    "INCOMPATIBLE_DATA_FOR_TABLE": _MISMATCH,
    "INCOMPATIBLE_COLUMN_TYPE": _MISMATCH,
    "INSERT_COLUMN_ARITY_MISMATCH": _MISMATCH,
    "NUM_COLUMNS_MISMATCH": _MISMATCH,
    "INVALID_EXTRACT_BASE_FIELD_TYPE": _MISMATCH,
    "UNSUPPORTED_DATATYPE": TrinoCode(43, "TYPE_NOT_FOUND"),
    "AMBIGUOUS_REFERENCE": TrinoCode(62, "AMBIGUOUS_NAME"),
    "AMBIGUOUS_COLUMN_OR_FIELD": TrinoCode(62, "AMBIGUOUS_NAME"),
    "MISSING_AGGREGATION": TrinoCode(73, "EXPRESSION_NOT_AGGREGATE"),
    "MISSING_GROUP_BY": TrinoCode(64, "MISSING_GROUP_BY"),
    "NESTED_AGGREGATE_FUNCTION": TrinoCode(67, "NESTED_AGGREGATION"),
    "GROUP_BY_POS_OUT_OF_RANGE": TrinoCode(63, "INVALID_COLUMN_REFERENCE"),
    "ORDER_BY_POS_OUT_OF_RANGE": TrinoCode(63, "INVALID_COLUMN_REFERENCE"),
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": TrinoCode(28, "SUBQUERY_MULTIPLE_ROWS"),
    "DIVIDE_BY_ZERO": TrinoCode(8, "DIVISION_BY_ZERO"),
    "REMAINDER_BY_ZERO": TrinoCode(8, "DIVISION_BY_ZERO"),
    "CAST_INVALID_INPUT": _BAD_CAST,
    "CAST_OVERFLOW": _BAD_CAST,
    "CANNOT_PARSE_TIMESTAMP": _BAD_CAST,
    "INVALID_TYPED_LITERAL": TrinoCode(59, "INVALID_LITERAL"),
    "ARITHMETIC_OVERFLOW": _OUT_OF_RANGE,
    "BINARY_ARITHMETIC_OVERFLOW": _OUT_OF_RANGE,
    "NUMERIC_VALUE_OUT_OF_RANGE": _OUT_OF_RANGE,
    "NOT_NULL_CONSTRAINT_VIOLATION": TrinoCode(16, "CONSTRAINT_VIOLATION"),
    "NOT_NULL_ASSERT_VIOLATION": TrinoCode(16, "CONSTRAINT_VIOLATION"),
    "INVALID_SESSION_PROPERTY": TrinoCode(14, "INVALID_SESSION_PROPERTY"),
    "RECURSIVE_VIEW": TrinoCode(82, "VIEW_IS_RECURSIVE"),
}


def trino_code(error: SqeError) -> TrinoCode:
    """Trino's code for an error of ours."""
    if isinstance(error, AbandonedError):
        return TrinoCode(2, "ABANDONED_QUERY")
    kind = kind_of(error)
    if kind in {ErrorKind.USER, ErrorKind.NOT_FOUND} and error.condition:
        found = _BY_CONDITION.get(error.condition) or _BY_CONDITION.get(error.condition.partition(".")[0])
        if found is not None:
            return found
    return _BY_CODE.get(code_of(error)) or _BY_KIND[kind]


def query_error(error: SqeError, query_id: str) -> dict[str, Any]:
    """The member `error` of an answer."""
    code = trino_code(error)
    message = shown_text(error, query_id)
    body: dict[str, Any] = {
        "message": message,
        "errorCode": code.number,
        "errorName": code.name,
        "errorType": code.type,
    }
    failure: dict[str, Any] = {
        "type": f"sqe.{code_of(error)}",
        "message": message,
        "suppressed": [],
        "stack": [],
        "errorInfo": {"code": code.number, "name": code.name, "type": code.type},
    }
    if error.position is not None:
        place = {"lineNumber": error.position.line, "columnNumber": error.position.column}
        body["errorLocation"] = failure["errorLocation"] = place
    return body | {"failureInfo": failure}


def error_header(error: SqeError, query_id: str) -> tuple[str, str]:
    """The error for our own client: what others find in the text, in its parts."""
    facts = error.to_dict() | {"query_id": query_id or error.query_id}
    if kind_of(error) is ErrorKind.INTERNAL:
        facts |= {"message": shown_text(error, query_id), "hint": None, "condition": None}
    for name in ("message", "hint"):
        text = facts[name]
        facts[name] = text if text is None or len(text) <= _LONGEST else text[:_LONGEST] + " …"
    return ERROR_HEADER, json.dumps(facts)


def shown_text(error: SqeError, query_id: str) -> str:
    """What a client is told: all that a person can use, nothing of what went wrong inside."""
    if kind_of(error) is ErrorKind.INTERNAL:
        return f"internal error; the log tells more about query {query_id}"
    place = error.position
    start = f"line {place.line}:{place.column}: " if place is not None else ""
    return start + error.message + (f" ({error.hint})" if error.hint else "")
