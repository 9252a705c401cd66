"""A Flight SQL service without an engine: sessions and results that are made up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
from pyarrow import flight

from sqe.auth.credentials import BearerToken, CertificateName, Credentials, Password
from sqe.auth.gate import Gate
from sqe.auth.login import Login
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.core.errors import CanceledError, SqeError, SqlSyntaxError, UserError
from sqe.core.identity import Identity
from sqe.endpoints.flight_sql.access import Access, GateAccess, OwnerAccess
from sqe.endpoints.flight_sql.service import FlightSqlService, Tls
from sqe.query.admission import Admission
from sqe.query.lifecycle import Query
from sqe.query.pipeline import Pipeline
from sqe.query.sessions import ClientState, SessionStore
from sqe.query.settings import HistorySettings, QuerySettings
from sqe.query.tracker import QueryTracker

PASSWORDS = {"alice": "wonder", "bob": "builder"}


class FakeSpark:
    """A catalog `lake` with a schema and a few relations."""

    def __init__(self, folder: Path) -> None:
        self.uploads = folder
        self.place = ("lake", "main")

    def catalogs(self) -> list[str]:
        return ["lake", "spark_catalog"]

    def schemas(self, catalog: str) -> list[str]:
        return ["main", "other"] if catalog == "lake" else []

    def has_schema(self, catalog: str, schema: str) -> bool:
        return schema in self.schemas(catalog)

    def relations(self, catalog: str, schema: str) -> list[tuple[str, str]]:
        return [("orders", "TABLE"), ("order_view", "VIEW")] if (catalog, schema) == ("lake", "main") else []

    def describe(self, catalog: str, schema: str, found: dict[str, str], *, properties: bool) -> list[dict[str, Any]]:
        del catalog, schema, properties
        columns = [
            ["id", "BIGINT", False, "the key", None],
            ["tags", "ARRAY<STRUCT<a: INT, b: STRING>>", True, None, None],
        ]
        return [{"columns": columns} for _ in found]

    def settings(self, keys: list[str]) -> dict[str, tuple[str, str]]:
        return dict.fromkeys(keys, ("UTC", "UTC"))

    def go_to(self, catalog: str, schema: str) -> None:
        self.place = (catalog, schema)


@dataclass(eq=False)
class FakeSession:
    id: str
    identity: Identity
    spark: FakeSpark
    catalog: str = "lake"
    schema: str = "main"
    current: Query | None = None


class FakeSessions:
    """Has whatever session is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.opened: dict[str, FakeSession] = {}

    def open(self, session_id: str, identity: Identity, working_folder: str = "") -> FakeSession:
        del working_folder
        return self.opened.setdefault(session_id, FakeSession(session_id, identity, FakeSpark(self._folder)))

    def session_for(self, login: Login, state: ClientState, name: str = "") -> FakeSession:
        return self.open(SessionStore.id_for(login, state, name), login.identity)

    def find(self, session_id: str) -> FakeSession | None:
        return self.opened.get(session_id)

    def close_session(self, session_id: str, *, for_good: bool = False) -> bool:
        del for_good
        return self.opened.pop(session_id, None) is not None


@dataclass
class FakeResult:
    query: Query
    schema: pa.Schema
    batches: list[pa.RecordBatch]

    @property
    def query_id(self) -> str:
        return self.query.id

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        yield from self.batches
        if self.query.sql == "BREAK":
            raise self.query.fail(UserError("the third row is bad", hint="look at it"))
        self.query.finish()

    def close(self) -> None:
        self.query.cancel()


@dataclass
class FakePipeline:
    """Answers every statement with the rows 1, 2, 3 and notes what it was given."""

    tracker: QueryTracker
    ran: list[str] = field(default_factory=list)
    uploaded: list[pa.Table] = field(default_factory=list)
    max_sql_bytes: int = 1000
    failure: SqeError | None = None
    admission: Admission = field(default_factory=lambda: Admission(QuerySettings()))

    def run(
        self,
        session: FakeSession,
        sql: str,
        *,
        upload: Path | None = None,
        admitted: Callable[[Query], None] | None = None,
    ) -> FakeResult:
        if "syntax" in sql:
            raise SqlSyntaxError("syntax error", hint="mend it")
        if self.failure is not None:
            raise self.failure
        self.ran.append(sql)
        if upload is not None:
            import pyarrow.parquet as pq

            self.uploaded.append(pq.read_table(upload))
        query = self.tracker.admit(sql, "query", session.identity, session.id)
        if admitted is not None:
            admitted(query)
        query.start(0)
        session.current = query
        if sql == "WAIT":
            stopped = threading.Event()
            query.on_stop(stopped.set)
            assert stopped.wait(60)
            raise query.fail(CanceledError("stopped"))
        schema = pa.schema([("n", pa.int64())])
        rows: list[int] = [] if sql == "EMPTY" else [1, 2, 3]
        return FakeResult(query, schema, [pa.record_batch([pa.array(rows, pa.int64())], schema=schema)])

    def describe(self, session: FakeSession, sql: str, text: str = "") -> pa.Schema | None:
        del session, text
        return pa.schema([("n", pa.int64())]) if sql.startswith("SELECT") else None

    def progress(self, session: FakeSession) -> dict[str, Any]:
        del session
        return {}


class FakeProvider:
    """Knows two passwords, and `jwt-<user>` as a token; counts how often it was asked."""

    name = "fake"

    def __init__(self) -> None:
        self.asked = 0

    def authenticate(self, credentials: Credentials) -> Outcome:
        self.asked += 1
        if isinstance(credentials, Password):
            good = PASSWORDS.get(credentials.user) == credentials.password
            return Accepted(Identity(credentials.user)) if good else Rejected("wrong password")
        if isinstance(credentials, BearerToken) and credentials.token.startswith("jwt-"):
            return Accepted(Identity(credentials.token.removeprefix("jwt-")))
        if isinstance(credentials, CertificateName):
            return Accepted(Identity(credentials.name))
        return NotMine()

    def close(self) -> None:
        pass


@dataclass
class Served:
    """A service that runs, and what stands behind it."""

    service: FlightSqlService
    pipeline: FakePipeline
    sessions: FakeSessions
    provider: FakeProvider
    tls: bool = False

    @property
    def location(self) -> str:
        return f"grpc{'+tls' if self.tls else ''}://localhost:{self.service.port}"

    def client(self, **options: Any) -> flight.FlightClient:
        return flight.FlightClient(self.location, **options)


@contextmanager
def served(folder: Path, *, guarded: bool = True, tls: Tls | None = None) -> Iterator[Served]:
    """A service whose callers must log in, or are all its owner."""
    tracker = QueryTracker(QuerySettings(), HistorySettings())
    pipeline, sessions, provider = FakePipeline(tracker), FakeSessions(folder), FakeProvider()
    gate = Gate([provider])
    store = cast("SessionStore", sessions)
    access: Access = GateAccess(store, gate) if guarded else OwnerAccess(store, Identity("owner"))
    location = f"grpc{'+tls' if tls else ''}://localhost:0"
    service = FlightSqlService(location, cast("Pipeline", pipeline), access, {"sqe.status": lambda _: {}}, tls)
    try:
        yield Served(service, pipeline, sessions, provider, tls is not None)
    finally:
        service.close()
        gate.close()
        tracker.close()


def call(timeout: float = 20, /, **headers: str) -> flight.FlightCallOptions:
    """Options of a call with headers."""
    encoded: Any = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return flight.FlightCallOptions(headers=encoded, timeout=timeout)
