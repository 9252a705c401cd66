"""Turns what the JVM says about a failure into our errors: code, kind, one line, position in the SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqe.core import errors
from sqe.core.errors import Position, SqeError

Fact = dict[str, Any]

#: Exceptions that mean the same wherever they stand in the chain of causes, by the end of their class name.
_BY_CLASS: tuple[tuple[str, type[SqeError]], ...] = (
    ("WrongArguments", errors.SqlSemanticError),
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
    "TABLE_OR_VIEW_NOT_FOUND": "write catalog.schema.table; SHOW TABLES IN catalog.schema lists what there is",
}
_TELLING: dict[type[SqeError], str] = {
    errors.CanceledError: "the statement was canceled",
    errors.DiskFullError: "the disk is full",
    errors.StatementTooComplexError: "the statement is too complex: it is nested too deeply",
}
_HINTS: dict[type[SqeError], str] = {
    errors.DiskFullError: "make room on the disk of the warehouse and of the temporary folder; nothing was committed",
    errors.OutOfMemoryError: "give the engine more with --memory-limit or engine.memory_limit",
    errors.CommitConflictError: "nothing was written; run the statement again",
}


def translate(chain: Sequence[Fact], sql: str) -> SqeError:
    """The error for a chain of Java exceptions, outermost first."""
    kind, fact = _classify(chain)
    message, hint = _texts(str(fact.get("message") or fact["class"]))
    return kind(
        _TELLING.get(kind, message),
        hint=_CONDITION_HINTS.get(fact.get("condition") or "") or _HINTS.get(kind, hint),
        position=_position(fact, sql),
        condition=fact.get("condition"),
    )


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


def _texts(text: str) -> tuple[str, str | None]:
    """Message and hint of a Spark text: no error class, no SQLSTATE, no echo of the statement, no plan."""
    text = text.strip()
    text = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", text)
    # Spark advises to switch its ANSI mode off; here it is part of the promise.
    text = re.sub(r"\s*If necessary set [^.]*?\S+ to \S+ to bypass this error\.", "", text)
    # How files are read is not for a statement to say.
    text = re.sub(r"\s*Parse Mode: FAILFAST\b.*", "", text, flags=re.DOTALL)
    # The place stands beside the message, and is that of the user's text.
    text = re.sub(r"; line \d+ pos \d+;?", "", text)
    text = text.replace(" Verify the spelling and correctness of the schema and catalog.", "")
    text = re.split(r"\s*SQLSTATE: \w{5}|\n== SQL|\n\s*at [\w.$]+\(", text)[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return "the engine gave no reason", None
    rest = " ".join(lines[1:])
    return lines[0], rest[:400] if re.search(r"\w", rest) else None


def _position(fact: Fact, sql: str) -> Position | None:
    if fact.get("line") is not None:
        return Position(int(fact["line"]), int(fact["column"]) + 1)
    # A context inside a view or function points into another text.
    if fact.get("start") is None or fact.get("object_type"):
        return None
    start, stop = int(fact["start"]), int(fact["stop"])
    return Position.of_offset(sql, start, stop) if start < len(sql) else None
