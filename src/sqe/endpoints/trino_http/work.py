"""A statement of a client in the session that its headers describe, and what it changes there.

The protocol has no sessions: a client sends its state with each statement and is told of changes by headers. Statements
of one login with equal states share a session, so one that changes its session gets a session of its own, which is
looked at and closed when the statement is over.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus

from sqe.auth.login import Login
from sqe.core.errors import NotSupportedError
from sqe.core.session_settings import ENGINE_SETTINGS
from sqe.endpoints.trino_http.client_state import SOURCE
from sqe.endpoints.trino_http.request_headers import ClientRequest, prepared_header
from sqe.query.lifecycle import Query
from sqe.query.pipeline import Pipeline
from sqe.query.result import ResultStream
from sqe.query.sessions import ClientState, Session, SessionStore
from sqe.sql.classify import statement_kind
from sqe.sql.comments import without_comments
from sqe.sql.statements.session import SESSION_PROPERTIES

_CHANGING = frozenset({"use", "set"})
_FIRST_WORD = re.compile(r"\s*([A-Za-z]+)")
_EXECUTE = re.compile(r"\s*EXECUTE\s+(?:IMMEDIATE\s*'(?P<text>(?:[^']|'')*)'|(?P<name>[A-Za-z_]\w*))", re.IGNORECASE)
_TRANSACTION = re.compile(r"\s*START\s+TRANSACTION\b", re.IGNORECASE)
Header = tuple[str, str]


@dataclass(frozen=True)
class Engine:
    """Where statements run."""

    pipeline: Pipeline
    sessions: SessionStore

    def work_of(self, login: Login, said: ClientRequest, sql: str) -> SessionWork:
        """What a statement of a client does."""
        # Our own shell shows the same by both protocols.
        of_trino = said.source != SOURCE
        state = ClientState(said.catalog, said.schema, said.time_zone, said.properties, of_trino=of_trino)
        return SessionWork(self, login, state, sql, said.prepared)


@dataclass(eq=False)
class SessionWork:
    """Runs one statement."""

    engine: Engine
    login: Login
    state: ClientState
    sql: str
    #: The client's prepared statements.
    prepared: Mapping[str, str] = field(default_factory=dict)
    _session: Session | None = None
    _own: bool = False
    _before: dict[str, str] = field(default_factory=dict)
    _place: tuple[str, str] = ("", "")

    def run(self, query_id: str, admitted: Callable[[Query], None]) -> ResultStream:
        """Run it in its session."""
        if _TRANSACTION.match(self.sql):
            raise NotSupportedError("transactions are not supported", hint="let the client commit each statement")
        change = changes(self.sql, self.prepared)
        self._own = change is not None
        name = secrets.token_hex(16) if self._own else ""
        self._session = session = self.engine.sessions.session_for(self.login, self.state, name)
        if change == "prepared":
            session.prepared = dict(self.prepared)
        elif change is not None:
            self._before = _values(session)
            self._place = session.catalog, session.schema

        def with_prepared(query: Query) -> None:
            query.prepared = self.prepared
            admitted(query)

        return self.engine.pipeline.run(session, self.sql, query_id=query_id, admitted=with_prepared)

    def done(self) -> list[Header]:
        """What has changed. Raises for a change that no header can tell: it would be lost without a word."""
        session = self._session
        if session is None or not self._own:
            return []
        if changes(self.sql, self.prepared) == "prepared":
            return _prepared(session.prepared, self.prepared)
        if session.write_branch is not None:
            raise NotSupportedError(
                "SET WRITE_BRANCH has no effect over this protocol", hint="name the branch: INSERT INTO t@branch"
            )
        moved = _place(self._place, (session.catalog, session.schema))
        return [*moved, *_settings(session, self._before, dict(self.state.properties))]

    def progress(self, query: Query) -> dict[str, Any]:
        """How far the engine is."""
        return {} if self._session is None else self.engine.pipeline.progress(self._session, query)

    def close(self) -> None:
        """Close a session of its own."""
        if self._own and self._session is not None:
            self.engine.sessions.close_session(self._session.id, for_good=True)


def changes(sql: str, prepared: Mapping[str, str]) -> str | None:
    """What a statement changes in its session: `place`, `settings`, `prepared`; None: nothing."""
    text = without_comments(sql)
    words = _FIRST_WORD.match(text)
    first = words.group(1).upper() if words else ""
    if first in {"PREPARE", "DEALLOCATE"}:
        return "prepared"
    if first == "EXECUTE":
        inner = _executed(text, prepared)
        # What cannot be made out may change anything.
        return "place" if inner is None or statement_kind(inner) in _CHANGING else None
    return {"use": "place", "set": "settings"}.get(statement_kind(text))


def _executed(text: str, prepared: Mapping[str, str]) -> str | None:
    """The statement that an EXECUTE runs; None when that is not plain to see."""
    found = _EXECUTE.match(text)
    if found is None:
        return None
    if found.group("text") is not None:
        return found.group("text").replace("''", "'")
    name = found.group("name")
    return prepared.get(name) or prepared.get(name.lower())


def _prepared(after: Mapping[str, str], before: Mapping[str, str]) -> list[Header]:
    added = [
        ("X-Trino-Added-Prepare", prepared_header(name, sql)) for name, sql in after.items() if before.get(name) != sql
    ]
    return [*added, *(("X-Trino-Deallocated-Prepare", quote_plus(name)) for name in before if name not in after)]


def header_text(text: str) -> str:
    """A name as a header carries it: UTF-8, which clients send back as they got it."""
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise NotSupportedError("a name with control characters cannot be told over this protocol")
    return text.encode("utf-8").decode("latin-1")


def _place(before: tuple[str, str], after: tuple[str, str]) -> list[Header]:
    """Both names, whichever has changed: a client may have had none."""
    if before == after:
        return []
    return [("X-Trino-Set-Catalog", header_text(after[0])), ("X-Trino-Set-Schema", header_text(after[1]))]


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
