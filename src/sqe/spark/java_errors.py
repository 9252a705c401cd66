"""Turns what the JVM says about a failure into our errors: code, kind, one line, position in the SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.core import errors
from sqe.core.errors import Position, SqeError
from sqe.spark.error_texts import told
from sqe.spark.neighbours import blame

Fact = dict[str, Any]

#: Exceptions that mean the same wherever they stand in the chain of causes, by the end of their class name.
_BY_CLASS: tuple[tuple[str, type[SqeError]], ...] = (
    ("WrongArguments", errors.SqlSemanticError),
    ("TooDeep", errors.StatementTooComplexError),
    ("CatalogUnavailable", errors.ExternalError),
    ("NotAllowed", errors.DeniedError),
    ("NoSuchFile", errors.NotFoundError),
    ("NotOffered", errors.NotSupportedError),
    ("NotReachable", errors.ExternalError),
    ("BadValue", errors.SqlDataError),
    ("CancellationException", errors.CanceledError),
    ("InterruptedException", errors.CanceledError),
    ("ClosedByInterruptException", errors.CanceledError),
    ("TaskKilledException", errors.CanceledError),
    ("StackOverflowError", errors.StatementTooComplexError),
    ("CommitFailedException", errors.CommitConflictError),
    ("SparkOutOfMemoryError", errors.OutOfMemoryError),
    ("NoSuchTableException", errors.NotFoundError),
    ("NoSuchNamespaceException", errors.NotFoundError),
    ("NoSuchViewException", errors.NotFoundError),
    ("CatalogNotFoundException", errors.NotFoundError),
    ("AlreadyExistsException", errors.AlreadyExistsError),
    ("NamespaceNotEmptyException", errors.UserError),
    # What a REST catalog answers.
    ("ForbiddenException", errors.DeniedError),
    ("NotAuthorizedException", errors.DeniedError),
    ("ServiceUnavailableException", errors.ExternalError),
    ("ServiceFailureException", errors.ExternalError),
    ("CommitStateUnknownException", errors.ExternalError),
    ("NoSuchWarehouseException", errors.NotFoundError),
    ("RESTException", errors.ExternalError),
    ("AccessDeniedException", errors.ExternalError),
    ("UncheckedSQLException", errors.ExternalError),
    ("SQLException", errors.ExternalError),
    ("FileNotFoundException", errors.ExternalError),
    ("InvalidAvroMagicException", errors.ExternalError),
    ("UnsupportedOperationException", errors.NotSupportedError),
)
_BY_TEXT: tuple[tuple[str, type[SqeError]], ...] = (
    ("No space left on device", errors.DiskFullError),
    ("Disk quota exceeded", errors.DiskFullError),
    ("Found conflicting files", errors.CommitConflictError),
    ("Cannot commit, found new", errors.CommitConflictError),
    ("SQLITE_FULL", errors.DiskFullError),
    ("Max iterations (", errors.StatementTooComplexError),
    ("Invalid schema for v", errors.NotSupportedError),
)
_BY_CONDITION: dict[str, type[SqeError]] = {
    "TABLE_OR_VIEW_NOT_FOUND": errors.NotFoundError,
    "VIEW_NOT_FOUND": errors.NotFoundError,
    "SCHEMA_NOT_FOUND": errors.NotFoundError,
    "CATALOG_NOT_FOUND": errors.NotFoundError,
    "PATH_NOT_FOUND": errors.NotFoundError,
    "TABLE_OR_VIEW_ALREADY_EXISTS": errors.AlreadyExistsError,
    "SCHEMA_ALREADY_EXISTS": errors.AlreadyExistsError,
    "VIEW_ALREADY_EXISTS": errors.AlreadyExistsError,
    "SPARK_JOB_CANCELLED": errors.CanceledError,
    "UNABLE_TO_ACQUIRE_MEMORY": errors.OutOfMemoryError,
    "FAILED_TO_PARSE_TOO_COMPLEX": errors.StatementTooComplexError,
}
#: By SQLSTATE, longest prefix first.
_BY_STATE: tuple[tuple[str, type[SqeError]], ...] = (
    ("42601", errors.SqlSyntaxError),
    ("42617", errors.SqlSyntaxError),
    ("42K", errors.SqlSemanticError),
    ("42", errors.SqlSemanticError),
    ("22", errors.SqlDataError),
    ("23", errors.SqlDataError),
    ("21S", errors.SqlSemanticError),
    ("21", errors.SqlDataError),
    ("P0", errors.SqlDataError),
    ("0A", errors.NotSupportedError),
    ("40", errors.CommitConflictError),
    ("53", errors.ExhaustedError),
    ("54", errors.UserError),
    ("58", errors.ExternalError),
)
_CONDITION_HINTS = {
    "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION": "the file has a row of another shape than those at its beginning",
}
_TELLING: dict[type[SqeError], str] = {
    errors.CanceledError: "the statement was canceled",
    errors.DiskFullError: "the disk is full",
    errors.StatementTooComplexError: "the statement is too complex: it is nested too deeply",
    errors.CommitConflictError: "another statement has changed the same table meanwhile",
}
#: Kinds that say little: what the words know of a failure is more exact.
_OPEN_TO_WORDS = frozenset({
    errors.SqlSemanticError, errors.SqlDataError, errors.NotSupportedError, errors.ExternalError, errors.InternalError,
    errors.NotFoundError, errors.UserError,
})  # fmt: skip
#: Kinds that the failure of a neighbour may have; others are more exact than that.
_NEIGHBOURLY = frozenset({errors.DeniedError, errors.ExternalError, errors.InternalError})
_HINTS: dict[type[SqeError], str] = {
    errors.DiskFullError: "make room on the disk of the warehouse and of the temporary folder; nothing was committed",
    errors.OutOfMemoryError: "give the engine more with --memory-limit or engine.memory_limit",
    errors.CommitConflictError: "nothing was written; run the statement again",
}


def translate(chain: Sequence[Fact], sql: str) -> SqeError:
    """The error for a chain of Java exceptions, outermost first."""
    kind, fact = _classify(chain)
    blamed = blame(chain) if kind in _NEIGHBOURLY else None
    if blamed is not None:
        failure = blamed.kind(blamed.message, hint=blamed.hint)
        failure.neighbour = (blamed.neighbour, blamed.at)
        return failure
    condition = fact.get("condition")
    own = fact["class"].startswith("sqe.jvm.")
    found = told(condition, fact.get("parameters") or {}, str(fact.get("message") or ""), own=own)
    if kind in _OPEN_TO_WORDS and found.kind is not None:
        kind = found.kind
    error = kind(
        _TELLING.get(kind, found.message),
        hint=_CONDITION_HINTS.get(condition or "") or _HINTS.get(kind, found.hint),
        position=_position(fact, sql),
        condition=condition,
    )
    # What stands in a view is not to be looked for in the statement.
    error.about = None if fact.get("object_type") else found.about
    return error


def _classify(chain: Sequence[Fact]) -> tuple[type[SqeError], Fact]:
    for fact in chain:
        text = str(fact.get("message") or "")
        for part, kind in _BY_TEXT:
            if part in text:
                return kind, fact
    for fact in chain:
        found = _by_condition(fact)
        if found:
            return found, fact
    for fact in chain:
        for ending, kind in _BY_CLASS:
            if fact["class"].endswith(ending):
                return kind, fact
    return _fallback(chain)


def _by_condition(fact: Fact) -> type[SqeError] | None:
    condition = fact.get("condition")
    if not condition:
        return None
    if condition in _BY_CONDITION:
        return _BY_CONDITION[condition]
    state = str(fact.get("sql_state") or "")
    return next((kind for prefix, kind in _BY_STATE if state.startswith(prefix)), None)


def _fallback(chain: Sequence[Fact]) -> tuple[type[SqeError], Fact]:
    for fact in chain:
        name = fact["class"]
        if name.endswith(("AnalysisException", "ParseException", "IllegalArgumentException", "ValidationException")):
            return errors.SqlSemanticError, fact
        if name.endswith(("IOException", "UncheckedIOException")):
            return errors.ExternalError, fact
    if any(str(fact.get("condition")).startswith("FAILED_READ_FILE") for fact in chain):
        return errors.ExternalError, chain[-1]
    # The innermost cause says most; what wraps it is Spark's story of how it got there.
    return errors.InternalError, chain[-1]


def _position(fact: Fact, sql: str) -> Position | None:
    if fact.get("line") is not None:
        return Position(int(fact["line"]), int(fact["column"]) + 1)
    # A context inside a view or function points into another text.
    if fact.get("start") is None or fact.get("object_type"):
        return None
    start, stop = int(fact["start"]), int(fact["stop"])
    return Position.of_offset(sql, start, stop) if start < len(sql) else None
