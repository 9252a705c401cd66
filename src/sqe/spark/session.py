"""A Spark session and its statements. The session outlives its JVM: after a crash it is made anew on first use."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.core.errors import CanceledError, SqeError
from sqe.spark.engine import SparkEngine
from sqe.spark.file_access import FileAccess
from sqe.spark.jars import Report
from sqe.spark.jvm import Jvm
from sqe.spark.local_tables import local_table
from sqe.spark.neighbours import bare_address
from sqe.spark.result_depth import read_schema

if TYPE_CHECKING:
    import pyarrow as pa

#: A plan that is known to give at most this many rows is collected in one go instead of streamed.
_SMALL_ROWS = 5000
#: Py4J carries bytes as text in one piece: only for what is small.
_SMALL_BYTES = 4 << 20
_CATALOG = "spark.sql.catalog."
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


class SparkSession:
    """One session's settings, catalogs and temporary views in the JVM."""

    def __init__(self, engine: SparkEngine, conf: Mapping[str, str]) -> None:
        self._engine = engine
        self._conf = dict(conf)
        self._lock = threading.Lock()
        self._generation = 0
        self._jvm: Jvm | None = None
        self._reference: Any = None
        self._place: tuple[str, str] | None = None
        self._file_access: FileAccess | None = None
        self._file_access_sent = False
        #: The tokens that catalogs are asked with, by the references that their settings hold.
        self._tokens: dict[str, str] = {}

    def show(self, tokens: Mapping[str, str]) -> None:
        """Ask the catalogs with these tokens from now on."""
        with self._lock:
            self._tokens = dict(tokens)
            jvm = self._jvm
        if jvm is not None and jvm.alive:
            self._show_tokens(jvm)

    @cached_property
    def catalog_addresses(self) -> dict[str, str]:
        """The catalogs that are asked by network, and where they are."""
        found = {}
        for key, value in self._conf.items():
            name, _, last = key.removeprefix(_CATALOG).rpartition(".")
            if key.startswith(_CATALOG) and last == "uri" and value.startswith(("http://", "https://")):
                found[name] = bare_address(value)
        return found

    def prepare(self) -> None:
        """Make the session and load what its first statement would wait for; what fails here fails again there."""
        jvm, reference = self._current()
        self._engine.call(jvm, lambda: jvm.entry_point.prepareSession(reference))

    def allow_files(self, access: FileAccess) -> None:
        """Say which files the session may read; without a word about it, none."""
        with self._lock:
            self._file_access = access
            self._file_access_sent = False

    def need(self, groups: frozenset[str], report: Report | None = None) -> None:
        """Have the jars of these groups in the JVM, fetched where needed. `report` may raise to end the wait."""
        if groups:
            self._engine.add_groups(groups, report)

    def put_secrets(self, secrets: Mapping[str, Mapping[str, str]]) -> None:
        """Let the statement whose id the names begin with use keys; they go when it is closed."""
        for name, credentials in secrets.items():
            jvm, _ = self._current()
            self._engine.call(jvm, partial(jvm.entry_point.putSecret, name, json.dumps(dict(credentials))))

    def statement(
        self, query_id: str, sql: str, *, secretive: bool = False, procedures: Iterable[str] = ()
    ) -> SparkStatement:
        """A statement of this session, not yet looked at.

        A secretive one has keys in the JVM. Of the procedures that take paths it may call those named here.
        """
        jvm, reference = self._current()
        permitted = json.dumps(sorted(procedures))
        handle = self._engine.call(jvm, lambda: jvm.entry_point.statement(reference, query_id, sql, permitted))
        return SparkStatement(self._engine, jvm, handle, query_id, sql, secretive=secretive)

    def catalogs(self) -> list[str]:
        """The names of the session's catalogs."""
        return list(self._listing(lambda jvm, reference: jvm.entry_point.catalogs(reference)))

    def schemas(self, catalog: str) -> list[str]:
        """The schemas of a catalog."""
        return list(self._listing(lambda jvm, reference: jvm.entry_point.schemas(reference, catalog)))

    def has_schema(self, catalog: str, schema: str) -> bool:
        """Whether a catalog has a schema of this name."""
        jvm, reference = self._current()
        return bool(self._engine.call(jvm, lambda: jvm.entry_point.schemaExists(reference, catalog, schema)))

    def relations(self, catalog: str, schema: str) -> list[tuple[str, str]]:
        """Name and kind (TABLE, VIEW) of what a schema holds."""
        found = self._listing(lambda jvm, reference: jvm.entry_point.relations(reference, catalog, schema))
        return [(name, kind) for name, kind in found]

    def describe(
        self, catalog: str, schema: str, relations: Mapping[str, str], *, properties: bool = True
    ) -> list[dict[str, Any] | None]:
        """Columns and properties of each of the relations, several at a time; None for one that cannot be read."""
        asked = (catalog, schema, json.dumps(dict(relations)), properties)
        return list(self._listing(lambda jvm, reference: jvm.entry_point.describe(reference, *asked)))

    def table_facts(self, catalog: str, schema: str, table: str) -> dict[str, Any]:
        """What Iceberg knows about a table: location, properties, partition fields, sort order."""
        return dict(self._listing(lambda jvm, session: jvm.entry_point.tableFacts(session, catalog, schema, table)))

    def table_health(self, catalog: str, schema: str, table: str) -> dict[str, Any]:
        """How many files of which sizes a table has, and what a rewrite would take."""
        return dict(self._listing(lambda jvm, session: jvm.entry_point.tableHealth(session, catalog, schema, table)))

    def table_stats(self, catalog: str, schema: str, table: str) -> dict[str, Any]:
        """What the files of a table say about its columns."""
        return dict(self._listing(lambda jvm, session: jvm.entry_point.tableStats(session, catalog, schema, table)))

    def settings(self, keys: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Value and default of settings."""
        wanted = json.dumps(dict.fromkeys(keys))
        found = self._listing(lambda jvm, session: jvm.entry_point.settings(session, wanted))
        return {key: (value, default) for key, (value, default) in found.items()}

    def schema_properties(self, catalog: str, schema: str) -> dict[str, str]:
        """The properties of a schema."""
        return dict(self._listing(lambda jvm, session: jvm.entry_point.schemaProperties(session, catalog, schema)))

    def register_table(self, catalog: str, schema: str, table: str, metadata: str) -> dict[str, Any]:
        """Take a table into a catalog by its metadata file."""
        names = (catalog, schema, table, metadata)
        return dict(self._listing(lambda jvm, session: jvm.entry_point.registerTable(session, *names)))

    def stay_at(self, catalog: str, schema: str) -> None:
        """Where names lead, also in a later JVM."""
        self._place = (catalog, schema)

    def go_to(self, catalog: str, schema: str) -> None:
        """Let names lead there from now on. Raises when there is no such catalog."""
        jvm, reference = self._current()
        self._engine.call(jvm, lambda: jvm.entry_point.use(reference, catalog, schema))
        self.stay_at(catalog, schema)

    def place(self) -> tuple[str, str]:
        """The current catalog and schema."""
        catalog, schema = self._listing(lambda jvm, reference: jvm.entry_point.place(reference))
        return catalog, schema

    def put_table(self, name: str, table: pa.Table) -> None:
        """Let the statement whose id `name` begins with read a table by that name."""
        jvm, reference = self._current()
        batch, schema = local_table(table)
        self._engine.call(jvm, lambda: jvm.entry_point.putTable(reference, name, schema, batch))

    def put_file(self, name: str, path: Path) -> None:
        """Let the statement whose id `name` begins with read the rows of a Parquet file by that name."""
        jvm, reference = self._current()
        self._engine.call(jvm, lambda: jvm.entry_point.putFile(reference, name, path.as_uri()))

    @property
    def uploads(self) -> Path:
        """Where rows wait that a client has sent; only we can look into it, and it goes with the engine."""
        folder = self._engine.scratch / "uploads"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def attach(self, name: str, settings: Mapping[str, str]) -> None:
        """Add a catalog. Raises when it does not answer."""
        jvm, reference = self._current()
        self._engine.call(jvm, lambda: jvm.entry_point.attach(reference, name, json.dumps(dict(settings))))
        self._conf |= settings

    def detach(self, name: str) -> None:
        """Take a catalog away."""
        own = f"spark.sql.catalog.{name}"
        self._conf = {key: value for key, value in self._conf.items() if key != own and not key.startswith(f"{own}.")}
        jvm, reference = self._current()
        self._engine.call(jvm, lambda: jvm.entry_point.detach(reference, name))

    def change(self, what: str, request: Mapping[str, Any], sql: str = "") -> bool:
        """Change a table (`defaults`, `columns`, `like`) or a view (`view`); whether anything was done."""
        jvm, reference = self._current()
        text = json.dumps(dict(request))
        return bool(self._engine.call(jvm, lambda: jvm.entry_point.change(reference, what, text), sql))

    def forget_tables(self, query_id: str) -> None:
        """The statement is over."""
        jvm = self._jvm
        if jvm is not None and jvm.alive:
            self._engine.call(jvm, lambda: jvm.entry_point.forgetTables(query_id))

    def _listing(self, ask: Callable[[Jvm, Any], str]) -> Any:  # noqa: ANN401 - whatever the JSON holds
        jvm, reference = self._current()
        return json.loads(self._engine.call(jvm, lambda: ask(jvm, reference)))

    def progress(self, query_id: str) -> dict[str, int]:
        """Stages, tasks and rows of a statement so far; empty while no JVM runs."""
        jvm = self._jvm
        if jvm is None or not jvm.alive:
            return {}
        return dict(json.loads(self._engine.call(jvm, lambda: jvm.entry_point.progress(query_id))))

    def close(self) -> None:
        """Close the session's catalogs and forget it."""
        with self._lock:
            jvm, reference, tokens = self._jvm, self._reference, self._tokens
            self._jvm = self._reference = None
            self._tokens = {}
        if jvm is None or not jvm.alive:
            return
        try:
            for name in tokens:
                self._engine.call(jvm, partial(jvm.entry_point.forgetToken, name))
            self._engine.call(jvm, lambda: jvm.entry_point.closeSession(reference))
        except SqeError:
            # It is thrown away in any case, and a JVM that is gone has closed it.
            return
        jvm.gateway.release(reference)

    def _show_tokens(self, jvm: Jvm) -> None:
        for name, token in self._tokens.items():
            self._engine.call(jvm, partial(jvm.entry_point.putToken, name, token))

    def _go_back(self, jvm: Jvm, reference: Any) -> None:  # noqa: ANN401 - a Java object
        """Names lead where they led before the JVM was lost, if that is still there."""
        if self._place is not None:
            catalog, schema = self._place
            with suppress(SqeError):
                self._engine.call(jvm, lambda: jvm.entry_point.use(reference, catalog, schema))

    def _current(self) -> tuple[Jvm, Any]:
        with self._lock:
            if self._jvm is None or self._jvm is not self._engine.jvm():
                self._jvm, self._reference = self._engine.new_session(self._conf)
                self._show_tokens(self._jvm)
                self._go_back(self._jvm, self._reference)
                self._file_access_sent = False
            jvm, reference, access = self._jvm, self._reference, self._file_access
            if access is not None and not self._file_access_sent:
                self._engine.call(jvm, lambda: jvm.entry_point.allowFiles(reference, access.text()))
                self._file_access_sent = True
            return jvm, reference


class SparkStatement:
    """One statement in the JVM. `analyze` first, then `batches` once; `cancel` at any time from any thread."""

    def __init__(
        self,
        engine: SparkEngine,
        jvm: Jvm,
        handle: Any,  # noqa: ANN401 - a Java object
        query_id: str,
        sql: str,
        *,
        secretive: bool = False,
    ) -> None:
        self._engine = engine
        self._secretive = secretive
        self._jvm = jvm
        self._handle = handle
        self._query_id = query_id
        self._sql = sql
        self._schema_message = b""
        self._canceled = False

    def analyze(self) -> pa.Schema:
        """Parse and analyze; commands are executed here. Answers the columns of the result."""
        self._schema_message = self._call(self._handle.analyze)
        return read_schema(self._schema_message)

    def changed_rows(self) -> int | None:
        """How many rows the analyzed statement has inserted, updated or deleted; None when nobody can tell."""
        count = self._call(self._handle.changedRows)
        return None if count is None else int(count)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Execute; the batches in order. Bytes in flight are bounded, so a slow reader slows the tasks down."""
        small = self._call(lambda: self._handle.collectText(_SMALL_ROWS, _SMALL_BYTES))
        yield from self._collected(base64.b64decode(small)) if small is not None else self._streamed()

    def explain(self, mode: str) -> list[list[Any]]:
        """EXPLAIN of it: rows of `plain`, `analyze` (it runs) or `full`."""
        return list(json.loads(self._call(lambda: self._handle.explain(mode))))

    def copy(self, request: Mapping[str, Any]) -> int:
        """Write the rows of the analyzed statement to files; answers how many there were."""
        text = json.dumps(dict(request))
        return int(self._call(lambda: self._handle.copy(text)))

    def cancel(self) -> None:
        """Stop the jobs of this statement."""
        self._canceled = True
        self._engine.call(self._jvm, self._handle.cancel)

    def close(self) -> None:
        """Let the JVM forget the statement."""
        if self._jvm.alive:
            if self._secretive:
                self._engine.call(self._jvm, lambda: self._jvm.entry_point.forgetSecrets(self._query_id))
            self._jvm.gateway.release(self._handle)

    def _collected(self, messages: bytes) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        yield from pa.ipc.open_stream(pa.py_buffer(self._schema_message + messages + _END_OF_STREAM))

    def _streamed(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        folder = str(self._engine.scratch / "streams")
        path = self._call(lambda: self._handle.open(folder, *self._engine.result_room))
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(path)
                with connection.makefile("rb", buffering=1 << 20) as source:
                    yield from pa.ipc.open_stream(pa.PythonFile(source, "r"))
            except (OSError, pa.ArrowInvalid):
                # The stream broke off. Why is what `finish` tells; without a reason it would be a fault of ours.
                self._call(self._handle.finish)
                raise
        self._call(self._handle.finish)

    def _call(self, function: Any) -> Any:  # noqa: ANN401 - Py4J's answers have no types
        try:
            return self._engine.call(self._jvm, function, self._sql)
        except SqeError as error:
            # A canceled job fails in many ways; what the person asked for is what happened.
            if self._canceled and not isinstance(error, CanceledError):
                raise CanceledError("the statement was canceled") from error
            raise
