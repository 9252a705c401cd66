"""The error tree: one root, a stable code and a kind per class.

Endpoints map the kind to their protocol's status in one table; no other code looks at class names. A message is
written for a person, one line for each thing that is wrong; stack traces belong in the log.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar


class ErrorKind(Enum):
    """What a caller can do about an error."""

    USER = "user"
    UNAUTHENTICATED = "unauthenticated"
    DENIED = "denied"
    NOT_FOUND = "not_found"
    EXTERNAL = "external"
    EXHAUSTED = "exhausted"
    CANCELED = "canceled"
    INTERNAL = "internal"


@dataclass(frozen=True)
class Position:
    """A place in the SQL text: line and column count from 1; `length` is at least 1."""

    line: int
    column: int
    length: int = 1

    @classmethod
    def of_offset(cls, sql: str, start: int, stop: int) -> Position:
        """The position of the characters `start` to `stop` (both included) of `sql`."""
        before = sql[:start]
        line = before.count("\n") + 1
        column = start - (before.rfind("\n") + 1) + 1
        return cls(line, column, max(1, stop - start + 1))


class SqeError(Exception):
    """The root of everything that SQE raises on purpose."""

    code: ClassVar[str] = "INTERNAL"
    kind: ClassVar[ErrorKind] = ErrorKind.INTERNAL

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        position: Position | None = None,
        condition: str | None = None,
    ) -> None:
        """Make an error.

        Args:
            message: One line that says what went wrong.
            hint: What the person can do about it.
            position: The place in the statement.
            condition: The engine's own name for the condition, such as Spark's error class.
        """
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.position = position
        self.condition = condition
        self.query_id: str | None = None
        #: The name or value that it is about; where it stands in the statement, when nobody said so.
        self.about: str | None = None
        #: Whose failure it is, `catalog` or `storage`, and its address as far as it is known.
        self.neighbour: tuple[str, str] | None = None

    def reword(self, message: str) -> None:
        """Tell the same in other words."""
        self.message = message
        self.args = (message, *self.args[1:])

    def to_dict(self) -> dict[str, Any]:
        """The error as plain data, for the wire."""
        position = self.position
        return {
            "code": self.code,
            "kind": self.kind.value,
            "message": self.message,
            "hint": self.hint,
            "condition": self.condition,
            "query_id": self.query_id,
            "position": None if position is None else [position.line, position.column, position.length],
        }


class UserError(SqeError):
    """The request cannot be done as it was asked."""

    code = "INVALID_REQUEST"
    kind = ErrorKind.USER


class SqlSyntaxError(UserError):
    """The statement is not SQL."""

    code = "SYNTAX_ERROR"


class SqlSemanticError(UserError):
    """The statement is SQL but makes no sense on these tables."""

    code = "SEMANTIC_ERROR"


class SqlDataError(UserError):
    """A value made the statement fail: a cast, a division by zero, an overflow."""

    code = "DATA_ERROR"


class NotSupportedError(UserError):
    """The engine does not offer this."""

    code = "NOT_SUPPORTED"


class AlreadyExistsError(UserError):
    """The name is taken."""

    code = "ALREADY_EXISTS"


class ConfigError(UserError):
    """The settings are wrong; the message lists everything that is."""

    code = "CONFIG_ERROR"


class StatementTooLargeError(UserError):
    """The SQL text is over `query.max_sql_bytes`."""

    code = "STATEMENT_TOO_LARGE"


class StatementTooComplexError(UserError):
    """The statement is nested too deeply."""

    code = "STATEMENT_TOO_COMPLEX"


class CommitConflictError(UserError):
    """Another writer was faster, again and again; nothing was written."""

    code = "COMMIT_CONFLICT"


class UnauthenticatedError(SqeError):
    """Nobody knows who asks: no credentials, wrong ones, or a login that is over."""

    code = "UNAUTHENTICATED"
    kind = ErrorKind.UNAUTHENTICATED


class DeniedError(SqeError):
    """The identity may not do this."""

    code = "DENIED"
    kind = ErrorKind.DENIED


class NotFoundError(SqeError):
    """A name in the request leads nowhere."""

    code = "NOT_FOUND"
    kind = ErrorKind.NOT_FOUND


class ExternalError(SqeError):
    """A neighbour (storage, catalog, registry) failed or is away."""

    code = "EXTERNAL"
    kind = ErrorKind.EXTERNAL


class JarsMissingError(ExternalError):
    """A jar is neither in the cache nor to be had from the registry."""

    code = "JARS_MISSING"


class JavaMissingError(ExternalError):
    """No Java that Spark can use."""

    code = "JAVA_MISSING"


class EngineUnavailableError(ExternalError):
    """The local engine could not be started or reached."""

    code = "ENGINE_UNAVAILABLE"


class ExhaustedError(SqeError):
    """A limit was reached: rows, time, memory, disk."""

    code = "EXHAUSTED"
    kind = ErrorKind.EXHAUSTED


class TooManyRequestsError(ExhaustedError):
    """More statements, or more attempts to log in, than are allowed at once or in a minute."""

    code = "TOO_MANY_REQUESTS"


class ResultTooLargeError(ExhaustedError):
    """More rows than `query.max_result_rows`."""

    code = "RESULT_TOO_LARGE"


class QueryTimeoutError(ExhaustedError):
    """The statement ran longer than `query.timeout_secs`."""

    code = "QUERY_TIMEOUT"


class OutOfMemoryError(ExhaustedError):
    """The statement needs more memory than the engine has."""

    code = "OUT_OF_MEMORY"


class DiskFullError(ExhaustedError):
    """There is no room left where data or scratch files are written."""

    code = "DISK_FULL"


class CanceledError(SqeError):
    """Somebody who may do so stopped the statement."""

    code = "CANCELED"
    kind = ErrorKind.CANCELED


class InternalError(SqeError):
    """A fault of ours; the log has the details."""

    code = "INTERNAL"


class EngineDiedError(InternalError):
    """The JVM ended while the statement ran; the next statement starts a new one."""

    code = "ENGINE_DIED"


class RemoteError(SqeError):
    """An error that came over the wire with its own code and kind."""

    def __init__(self, data: dict[str, Any]) -> None:
        """Rebuild the error from what `to_dict` made."""
        place = data.get("position")
        super().__init__(
            str(data.get("message", "unknown error")),
            hint=data.get("hint"),
            position=Position(*place) if place else None,
            condition=data.get("condition"),
        )
        self.remote_code = str(data.get("code", "INTERNAL"))
        self.remote_kind = ErrorKind(data.get("kind", "internal"))
        self.query_id = data.get("query_id")

    def to_dict(self) -> dict[str, Any]:
        """The error as it came."""
        return super().to_dict() | {"code": self.remote_code, "kind": self.remote_kind.value}


def kind_of(error: SqeError) -> ErrorKind:
    """The kind of a local or a remote error."""
    return error.remote_kind if isinstance(error, RemoteError) else error.kind


def code_of(error: SqeError) -> str:
    """The code of a local or a remote error."""
    return error.remote_code if isinstance(error, RemoteError) else error.code
