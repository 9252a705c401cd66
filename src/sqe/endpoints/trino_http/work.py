"""A statement of a client in the session that its headers describe, and what it changes there.

The protocol has no sessions: a client sends its state with each statement and is told of changes by headers. Statements
of one login with equal states share a session, so one that changes its session gets a session of its own, which is
looked at and closed when the statement is over.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus

from sqe.auth.login import Login
from sqe.core.errors import NotSupportedError
from sqe.core.session_settings import ENGINE_SETTINGS
from sqe.endpoints.trino_http.request_headers import ClientRequest
from sqe.query.lifecycle import Query
from sqe.query.pipeline import Pipeline
from sqe.query.result import ResultStream
from sqe.query.sessions import ClientState, Session, SessionStore
from sqe.sql.classify import statement_kind
from sqe.sql.statements.session import SESSION_PROPERTIES

_CHANGING = frozenset({"use", "set"})
_TRANSACTION = re.compile(r"\s*START\s+TRANSACTION\b", re.IGNORECASE)
Header = tuple[str, str]


@dataclass(frozen=True)
class Engine:
    """Where statements run."""

    pipeline: Pipeline
    sessions: SessionStore

    def work_of(self, login: Login, said: ClientRequest, sql: str) -> SessionWork:
        """What a statement of a client does."""
        state = ClientState(said.catalog, said.schema, said.time_zone, said.properties)
        return SessionWork(self, login, state, sql)


@dataclass(eq=False)
class SessionWork:
    """Runs one statement."""

    engine: Engine
    login: Login
    state: ClientState
    sql: str
    _session: Session | None = None
    _own: bool = False
    _before: dict[str, str] = field(default_factory=dict)

    def run(self, query_id: str, admitted: Callable[[Query], None]) -> ResultStream:
        """Run it in its session."""
        if _TRANSACTION.match(self.sql):
            raise NotSupportedError("transactions are not supported", hint="let the client commit each statement")
        kind = statement_kind(self.sql)
        self._own = kind in _CHANGING
        name = secrets.token_hex(16) if self._own else ""
        self._session = session = self.engine.sessions.session_for(self.login, self.state, name)
        if kind == "set":
            self._before = _values(session)
        return self.engine.pipeline.run(session, self.sql, query_id=query_id, admitted=admitted)

    def done(self) -> list[Header]:
        """What has changed. Raises for a change that no header can tell: it would be lost without a word."""
        session = self._session
        if session is None or not self._own:
            return []
        if statement_kind(self.sql) == "use":
            return _place(session, self.state)
        if session.write_branch is not None:
            raise NotSupportedError(
                "SET WRITE_BRANCH has no effect over this protocol", hint="name the branch: INSERT INTO t@branch"
            )
        return _settings(session, self._before, dict(self.state.properties))

    def progress(self, query: Query) -> dict[str, Any]:
        """How far the engine is."""
        return {} if self._session is None else self.engine.pipeline.progress(self._session, query)

    def close(self) -> None:
        """Close a session of its own."""
        if self._own and self._session is not None:
            self.engine.sessions.close_session(self._session.id, for_good=True)


def header_text(text: str) -> str:
    """A name as a header carries it: UTF-8, which clients send back as they got it."""
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise NotSupportedError("a name with control characters cannot be told over this protocol")
    return text.encode("utf-8").decode("latin-1")


def _place(session: Session, state: ClientState) -> list[Header]:
    headers = []
    if session.catalog != state.catalog:
        headers.append(("X-Trino-Set-Catalog", header_text(session.catalog)))
    if session.schema != state.schema:
        headers.append(("X-Trino-Set-Schema", header_text(session.schema)))
    return headers


def _settings(session: Session, before: dict[str, str], has: dict[str, str]) -> list[Header]:
    after = session.spark.settings(ENGINE_SETTINGS)
    changed = {key for key, (value, _) in after.items() if before.get(key) != value}
    headers: list[Header] = []
    for name, known in SESSION_PROPERTIES.items():
        if known.key not in changed:
            continue
        value, default = after[known.key]
        if value != default:
            headers.append(("X-Trino-Set-Session", f"{name}={quote_plus(value)}"))
        elif name in has:
            headers.append(("X-Trino-Clear-Session", name))
        changed.discard(known.key)
    if changed:
        raise NotSupportedError(
            f"{min(changed)} cannot be set over this protocol", hint="SET SESSION takes the settings of SHOW SESSION"
        )
    return headers


def _values(session: Session) -> dict[str, str]:
    return {key: value for key, (value, _) in session.spark.settings(ENGINE_SETTINGS).items()}
