"""Who calls, and which session is theirs: one fixed person on a private socket, or whoever the gate lets in."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote

from pyarrow import flight

from sqe.auth.credentials import BearerToken, Caller, CertificateName, Credentials, NoCredentials, Password
from sqe.auth.gate import Gate
from sqe.auth.login import Login
from sqe.core.errors import UnauthenticatedError
from sqe.core.identity import Identity
from sqe.endpoints.flight_sql.calls import CallFacts, Handshake, Verify, facts_of
from sqe.query.sessions import ClientState, Session, SessionStore

_ENDPOINT = "flight"
#: Clients set options of a session that stays; they do not send them with each call.
_STATE = ClientState()
_PEER = re.compile(r"ipv[46]:(?:%5B|\[)?(.*?)(?:%5D|\])?:\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Visitor:
    """Whoever makes a call, verified."""

    identity: Identity
    #: The session of this call, whether it is open or not.
    session_id: str
    session_name: str = ""
    folder: str = ""
    login: Login | None = None


class Access(Protocol):
    """Lets callers in and gives them their sessions."""

    #: None when there is nothing to log in to.
    handshake: Handshake | None
    verify: Verify | None

    def enter(self, context: flight.ServerCallContext) -> Visitor:
        """Verify who calls. Raises `SqeError`."""
        ...

    def session(self, visitor: Visitor) -> Session:
        """The session of a call, opened if need be."""
        ...

    def find(self, visitor: Visitor) -> Session | None:
        """The session of a call, if it is open."""
        ...

    def is_open(self, session_id: str) -> bool:
        """Whether there is a session of this id."""
        ...

    def leave(self, visitor: Visitor) -> list[str]:
        """The client has left; answers the ids of the sessions that go with it."""
        ...


class OwnerAccess:
    """Everybody who reaches the socket is its owner; sessions are told apart by the names that clients give them."""

    handshake: Handshake | None = None
    verify: Verify | None = None

    def __init__(self, sessions: SessionStore, identity: Identity) -> None:
        self._sessions = sessions
        self._identity = identity

    def enter(self, context: flight.ServerCallContext) -> Visitor:
        """Without a name each call is a session of its own."""
        facts = facts_of(context)
        return Visitor(self._identity, facts.session_name or os.urandom(16).hex(), facts.session_name, facts.folder)

    def session(self, visitor: Visitor) -> Session:
        """The session of this name."""
        return self._sessions.open(visitor.session_id, visitor.identity, visitor.folder)

    def find(self, visitor: Visitor) -> Session | None:
        """The session of this name."""
        return self._sessions.find(visitor.session_id)

    def is_open(self, session_id: str) -> bool:
        """Whether there is a session of this id."""
        return self._sessions.find(session_id) is not None

    def leave(self, visitor: Visitor) -> list[str]:
        """Nobody opens a session of this name again."""
        self._sessions.close_session(visitor.session_id, for_good=True)
        return [visitor.session_id]


class GateAccess:
    """Everybody shows credentials with each call, or a token that a handshake has given them."""

    def __init__(self, sessions: SessionStore, gate: Gate) -> None:
        self._sessions = sessions
        self._gate = gate
        self.handshake: Handshake | None = self._greet
        self.verify: Verify | None = lambda credentials: self._login(credentials, _caller(credentials))
        self._lock = threading.Lock()
        #: Logins that belong to one connection.
        self._own: set[str] = set()
        gate.listen(ended=self._ended)

    def enter(self, context: flight.ServerCallContext) -> Visitor:
        """The login of the credentials; a session's name means something only together with it."""
        facts = facts_of(context)
        credentials = _with_certificate(facts.credentials, context)
        login = self._login(credentials, Caller(address_of(context.peer()), _ENDPOINT))
        return visitor_of(login, facts)

    def session(self, visitor: Visitor) -> Session:
        """The session of this name under this login."""
        if visitor.login is None:  # pragma: no cover - everybody who comes in here has one
            raise UnauthenticatedError("log in first")
        return self._sessions.session_for(visitor.login, _STATE, visitor.session_name)

    def find(self, visitor: Visitor) -> Session | None:
        """The session of this name under this login."""
        return self._sessions.find(visitor.session_id)

    def is_open(self, session_id: str) -> bool:
        """Whether there is a session of this id."""
        return self._sessions.find(session_id) is not None

    def leave(self, visitor: Visitor) -> list[str]:
        """A session with a name is its client's, and so is a login by handshake; others may share the rest."""
        login = visitor.login
        with self._lock:
            own = login is not None and login.id in self._own
        if not visitor.session_name and not own:
            return []
        self._sessions.close_session(visitor.session_id, for_good=True)
        if login is not None and own:
            self._gate.logout(login)
        return [visitor.session_id]

    def _ended(self, login: Login) -> None:
        with self._lock:
            self._own.discard(login.id)

    def _greet(self, credentials: Credentials) -> str:
        """A login of its own for each handshake: what one connection sets is nothing to the others."""
        fresh = isinstance(credentials, Password)
        login = self._login(credentials, _caller(credentials), fresh=fresh)
        if fresh:
            with self._lock:
                self._own.add(login.id)
        return self._gate.hand_out(login)

    def _login(self, credentials: Credentials, caller: Caller, *, fresh: bool = False) -> Login:
        try:
            return self._gate.login(credentials, caller, fresh=fresh)
        except UnauthenticatedError as error:
            if isinstance(credentials, BearerToken | NoCredentials):
                # One that was good before may know why it is no longer; nobody else learns a thing.
                raise
            raise UnauthenticatedError("invalid credentials") from error


def _caller(credentials: Credentials) -> Caller:
    """Flight tells a handshake nothing of where it comes from: failures are counted by the name that was tried."""
    return Caller(f"user {credentials.user}" if isinstance(credentials, Password) else "", _ENDPOINT)


def visitor_of(login: Login, facts: CallFacts) -> Visitor:
    """The name of a session means something only together with the login."""
    session_id = SessionStore.id_for(login, _STATE, facts.session_name)
    return Visitor(login.identity, session_id, facts.session_name, login=login)


def _with_certificate(credentials: Credentials, context: flight.ServerCallContext) -> Credentials:
    """A verified certificate counts where nothing else was sent; Flight tells no more of it than the name."""
    name = context.peer_identity()
    if not isinstance(credentials, NoCredentials) or not name:
        return credentials
    try:
        return CertificateName(name.decode() if isinstance(name, bytes) else str(name))
    except UnicodeDecodeError as error:
        raise UnauthenticatedError("invalid credentials") from error


def address_of(peer: str) -> str:
    """`127.0.0.1` for `ipv4:127.0.0.1:5000`; empty for a Unix socket."""
    found = _PEER.fullmatch(unquote(peer))
    return found.group(1) if found else ""
