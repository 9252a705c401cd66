"""The request, in order. Every way in — Flight SQL, the shell in this process — goes through `Pipeline.run`.

    admit → classify → (bind catalogs: the session) → analyze in Spark → execute → stream out → record

Authentication stands before it, in the endpoints; policy will stand between analyze and execute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqe.core.errors import CommitConflictError, InternalError, SqeError
from sqe.observe.logs import get_logger
from sqe.query.admission import Admission
from sqe.query.attachments import Attachments
from sqe.query.commands import carry_out
from sqe.query.commands.workbench import Workbench
from sqe.query.lifecycle import Query
from sqe.query.lookup import SessionLookup
from sqe.query.result import ResultStream
from sqe.query.sessions import Session
from sqe.query.settings import QuerySettings
from sqe.query.tracker import QueryTracker
from sqe.query.virtual import fill, refuse_denied, refuse_missing, refuse_unknown_catalogs
from sqe.spark.neighbours import name_catalog
from sqe.spark.session import SparkStatement
from sqe.sql.classify import CHANGES_ROWS, RERUNNABLE, statement_kind
from sqe.sql.commands import Command
from sqe.sql.context import Context
from sqe.sql.effects import has_no_effect
from sqe.sql.secrets import secrets_in
from sqe.sql.translate import Translation, translate
from sqe.sql.virtual import UPLOAD, VirtualTable

if TYPE_CHECKING:
    import pyarrow as pa

_log = get_logger(__name__)
#: Keys that came with a statement, by the names that stand for them.
Secrets = Mapping[str, Mapping[str, str]]


class Pipeline:
    """Takes a statement of a session through all steps."""

    def __init__(
        self,
        settings: QuerySettings,
        tracker: QueryTracker,
        attachments: Attachments | None = None,
        admission: Admission | None = None,
    ) -> None:
        self._settings = settings
        self.tracker = tracker
        self.admission = admission or Admission(settings)
        self._attachments = attachments or Attachments()

    def run(
        self,
        session: Session,
        sql: str,
        *,
        upload: Path | None = None,
        query_id: str = "",
        admitted: Callable[[Query], None] | None = None,
    ) -> ResultStream:
        """Run a statement; answers when its columns are known. Raises `SqeError`.

        Args:
            session: Whose statement it is.
            sql: The statement.
            upload: A Parquet file with the rows that the statement reads as `system.upload.rows`.
            query_id: An id for a caller that must name the query before it runs.
            admitted: Told of the query before anything happens: it adds what it knows, another thread can cancel it.
        """
        query = self.tracker.admit(sql, statement_kind(sql), session.identity, session.id, query_id)
        session.begin(query)
        try:
            if admitted is not None:
                admitted(query)
            self.admission.admit(query)
            query.refuse_if_stopped()
            query.start(self._settings.timeout_for(session.identity.roles))
            statement, schema = self._analyzed(session, query, upload)
        except SqeError as error:
            query.secrets = secrets_in(query.sql)
            name_catalog(error, session.spark.catalog_addresses, sql, session.catalog)
            raise query.fail(error) from error
        except Exception as error:
            _log.exception("statement failed", query_id=query.id)
            raise query.fail(InternalError("the statement failed in a way we did not foresee")) from error
        return ResultStream(query, statement, schema, self._settings.max_result_rows)

    @property
    def max_sql_bytes(self) -> int:
        """How long a statement may be; 0 when there is no limit."""
        return self._settings.max_sql_bytes

    def describe(self, session: Session, sql: str, text: str = "") -> pa.Schema | None:
        """The columns of a query, which is analyzed and not run; None for a statement that analysis would carry out.

        Raises `SqeError`.

        Args:
            session: Whose query it is.
            sql: The query.
            text: The same with values for its parameters, if it has any.
        """
        if not has_no_effect(sql):
            return None
        result = self.run(session, text or sql)
        result.leave()
        return result.schema

    def progress(self, session: Session, query: Query | None = None) -> dict[str, Any]:
        """How far a statement of a session is, without one the current one; empty when it does not run."""
        query = query or session.current
        if query is None or query.state.ended:
            return {}
        facts = {"query_id": query.id, "state": query.state.value, "elapsed_secs": query.elapsed_secs}
        waits = {"doing": query.doing} if query.doing else {}
        return facts | waits | session.spark.progress(query.id)

    def _analyzed(self, session: Session, query: Query, upload: Path | None) -> tuple[SparkStatement, pa.Schema]:
        session.follow(self._attachments)
        try:
            translation = self._translated(session, query)
        except SqeError:
            # What cannot be read may hold secrets all the same, and an error tells what stands near.
            query.secrets = secrets_in(query.sql)
            raise
        query.locate = translation.blame
        told = translation.executed or query.sql
        query.secrets = (*translation.hidden, *(secrets_in(told) if translation.secrets else ()))
        if translation.executed is not None:
            query.kind = statement_kind(translation.executed)
        try:
            refuse_denied(translation.virtual, self._permitted(session))
            refuse_unknown_catalogs(session, translation.catalogs)
            refuse_missing(session, translation.asked_for)
            for table in translation.virtual:
                self._provide(session, table, upload)
            session.need(translation.groups)
            answer = self._answer(session, query, translation)
            session.write_branch = translation.write_branch
            if query.kind == "use":
                session.catalog, session.schema = session.spark.place()
                session.spark.stay_at(session.catalog, session.schema)
            return answer
        finally:
            if translation.virtual or translation.command is not None:
                session.spark.forget_tables(query.id)

    def _provide(self, session: Session, table: VirtualTable, upload: Path | None) -> None:
        """Have the rows of a table that no catalog holds where the statement finds them."""
        if table.name == UPLOAD and upload is not None:
            session.spark.put_file(table.token, upload)
        else:
            session.spark.put_table(table.token, fill(table, session, self.tracker))

    def _answer(self, session: Session, query: Query, translation: Translation) -> tuple[SparkStatement, pa.Schema]:
        if translation.command is not None:
            return self._commanded(session, query, translation, translation.command)
        answer = self._attempts(session, query, translation.text, translation.secrets)
        if query.kind in CHANGES_ROWS:
            query.changed_rows = answer[0].changed_rows()
        for text in translation.after:
            self._attempts(session, query, text)[0].close()
        return answer

    def _commanded(
        self, session: Session, query: Query, translation: Translation, command: Command
    ) -> tuple[SparkStatement, pa.Schema]:
        """Carry out a command; what it answers leaves as the rows of any other statement do."""

        def statement(text: str) -> SparkStatement:
            return self._statement(session, query, text, translation.secrets)

        bench = Workbench(session, translation.text, statement, translation.after, self._attachments)
        token = f"{query.id}/answer"
        session.spark.put_table(token, carry_out(command, bench))
        return self._attempts(session, query, f"SELECT * FROM sqe_local('{token}')")  # noqa: S608 - our own id

    def _statement(self, session: Session, query: Query, text: str, secrets: Secrets) -> SparkStatement:
        """A statement of Spark's that a cancel of the query reaches."""
        # Those of an attempt before went with it.
        session.spark.put_secrets(secrets)
        permitted = self._permitted(session)
        statement = session.spark.statement(query.id, text, secretive=bool(secrets), procedures=permitted)
        query.on_stop(statement.cancel)
        return statement

    def _permitted(self, session: Session) -> frozenset[str]:
        """The procedures with paths of files that the session's person may call."""
        return frozenset(self._settings.admin_procedures if session.identity.admin else ())

    def _translated(self, session: Session, query: Query) -> Translation:
        query.place = session.catalog, session.schema
        lookup = SessionLookup(session, query)
        known = session.prepared if query.prepared is None else query.prepared
        place = *query.place, session.write_branch, lookup, known
        return translate(Context(query.sql, query.id, *place, trino_listings=session.trino_listings))

    def _attempts(
        self, session: Session, query: Query, text: str, secrets: Secrets = MappingProxyType({})
    ) -> tuple[SparkStatement, pa.Schema]:
        """Analyze, which executes commands; one that lost a race for a commit has done nothing and runs again."""
        attempts = 1 + (self._settings.conflict_retries if query.kind in RERUNNABLE else 0)
        for attempt in range(attempts):
            statement = self._statement(session, query, text, secrets)
            try:
                return statement, statement.analyze()
            except CommitConflictError:
                statement.close()
                if attempt + 1 == attempts:
                    raise
                _log.info("commit conflict, running again", query_id=query.id, attempt=attempt + 1)
                time.sleep(0.1 * 2**attempt)
            except SqeError:
                statement.close()
                raise
        raise InternalError("no attempt was made")  # pragma: no cover - attempts is at least one
