"""A session: what one client has opened, and where its statements run."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sqe.core.errors import ExternalError
from sqe.core.identity import Identity
from sqe.observe.logs import get_logger
from sqe.query.attachments import Attached, Attachments
from sqe.query.lifecycle import Query
from sqe.spark.jar_lock import Jar
from sqe.spark.session import SparkSession

_log = get_logger(__name__)


@dataclass(frozen=True)
class ClientState:
    """What a client has set that its statements depend on; empty: nothing. Wires without sessions send it each time."""

    catalog: str = ""
    schema: str = ""
    time_zone: str = ""
    #: Session properties by the names that SET SESSION knows, sorted.
    properties: tuple[tuple[str, str], ...] = ()
    #: Whether it is a client of Trino's, to which SHOW answers with Trino's columns.
    of_trino: bool = False

    @property
    def digest(self) -> str:
        """Tells two states apart."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:16]


@dataclass(eq=False)
class Session:
    """One Spark session and what its statements share."""

    id: str
    identity: Identity
    spark: SparkSession
    folder: Path
    #: Whether paths of this machine mean anything to the person.
    local_paths: bool = False
    last_used: float = field(default_factory=time.monotonic)
    #: The statement that came last.
    current: Query | None = None
    #: Where names without a catalog or a schema lead; USE changes it.
    catalog: str = "default"
    schema: str = "default"
    write_branch: str | None = None
    #: The catalog whose tables go with the session.
    passing: str | None = None
    #: Whether SHOW and DESCRIBE answer with Trino's columns.
    trino_listings: bool = False
    #: The texts of prepared statements by their names.
    prepared: dict[str, str] = field(default_factory=dict)
    #: The attached catalogs as this session has them.
    attached: dict[str, Attached] = field(default_factory=dict)
    #: What the settings of its catalogs call the person's token; empty when they need none.
    token_reference: str = ""
    _queries: list[Query] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def begin(self, query: Query) -> None:
        """A statement begins."""
        with self._lock:
            self._queries = [*(known for known in self._queries if not known.state.ended), query]
            self.current = query

    def running(self) -> list[Query]:
        """The statements that have not ended."""
        with self._lock:
            return [query for query in self._queries if not query.state.ended]

    def need(self, groups: frozenset[str]) -> None:
        """Have these jars. The current statement says which one it waits for; its cancel ends the wait."""
        query = self.current

        def report(jar: Jar, arrived: int) -> None:
            if query is not None:
                query.doing = f"fetching {jar.file_name}, {arrived / 1e6:.0f} of {jar.size / 1e6:.0f} MB"
                query.refuse_if_stopped()

        try:
            self.spark.need(groups, report)
        finally:
            if query is not None:
                query.doing = ""

    def follow(self, attachments: Attachments) -> None:
        """Have exactly the catalogs that this person has attached, in whatever session that was."""
        with self._lock:
            wanted = attachments.catalogs(self.identity.user)
            if wanted == self.attached:
                return
            for name in [name for name, facts in self.attached.items() if wanted.get(name) != facts]:
                del self.attached[name]
                self.spark.detach(name)
            self._attach({name: wanted[name] for name in wanted.keys() - self.attached.keys()}.items())

    def _attach(self, catalogs: Iterable[tuple[str, Attached]]) -> None:
        for name, facts in catalogs:
            self.need(facts.groups)
            try:
                self.spark.attach(name, facts.settings)
            except ExternalError as error:
                # Whoever uses it is told; the others need not wait for it to come back.
                _log.warning("an attached catalog does not answer", catalog=name, error=error.message)
                continue
            self.attached[name] = facts

    def close(self) -> None:
        """Stop what runs in it and free everything it holds."""
        for query in self.running():
            query.cancel()
        self.spark.close()
        shutil.rmtree(self.folder, ignore_errors=True)
