"""The request, in order. Every way in — Flight SQL, the shell in this process — goes through `Pipeline.run`.

    admit → classify → (bind catalogs: the session) → analyze in Spark → execute → stream out → record

Authentication stands before it, in the endpoints; policy will stand between analyze and execute.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sqe.core.errors import CommitConflictError, InternalError, SqeError
from sqe.observe.logs import get_logger
from sqe.query.lifecycle import Query
from sqe.query.result import ResultStream
from sqe.query.sessions import Session
from sqe.query.settings import QuerySettings
from sqe.query.tracker import QueryTracker
from sqe.query.virtual import fill, refuse_missing
from sqe.spark.session import SparkStatement
from sqe.sql.classify import RERUNNABLE, statement_kind
from sqe.sql.context import Context
from sqe.sql.secrets import secrets_in
from sqe.sql.translate import Translation, translate

if TYPE_CHECKING:
    import pyarrow as pa

_log = get_logger(__name__)
#: Keys that came with a statement, by the names that stand for them.
Secrets = Mapping[str, Mapping[str, str]]


class Pipeline:
    """Takes a statement of a session through all steps."""

    def __init__(self, settings: QuerySettings, tracker: QueryTracker) -> None:
        self._settings = settings
        self.tracker = tracker

    def run(self, session: Session, sql: str) -> ResultStream:
        """Run a statement; answers when its columns are known. Raises `SqeError`."""
        query = self.tracker.admit(sql, statement_kind(sql), session.identity, session.id)
        session.current = query
        try:
            query.start(self._settings.timeout_secs)
            statement, schema = self._analyzed(session, query)
        except SqeError as error:
            query.secrets = secrets_in(query.sql)
            raise query.fail(error) from error
        except Exception as error:
            _log.exception("statement failed", query_id=query.id)
            raise query.fail(InternalError("the statement failed in a way we did not foresee")) from error
        return ResultStream(query, statement, schema, self._settings.max_result_rows)

    def progress(self, session: Session) -> dict[str, Any]:
        """How far the current statement of a session is; empty when none runs."""
        query = session.current
        if query is None or query.state.ended:
            return {}
        facts = {"query_id": query.id, "state": query.state.value, "elapsed_secs": query.elapsed_secs}
        return facts | session.spark.progress(query.id)

    def _analyzed(self, session: Session, query: Query) -> tuple[SparkStatement, pa.Schema]:
        translation = self._translated(session, query)
        query.locate = translation.blame
        query.secrets = secrets_in(query.sql) if translation.secrets else ()
        try:
            refuse_missing(session, translation.asked_for)
            for table in translation.virtual:
                session.spark.put_table(table.token, fill(table, session, self.tracker))
            session.spark.need(translation.groups)
            answer = self._attempts(session, query, translation.text, translation.secrets)
            for text in translation.after:
                self._attempts(session, query, text)[0].close()
            session.write_branch = translation.write_branch
            if query.kind == "use":
                session.catalog, session.schema = session.spark.place()
            return answer
        finally:
            if translation.virtual:
                session.spark.forget_tables(query.id)

    def _translated(self, session: Session, query: Query) -> Translation:
        place = session.catalog, session.schema
        return translate(Context(query.sql, query.id, *place, write_branch=session.write_branch))

    def _attempts(
        self, session: Session, query: Query, text: str, secrets: Secrets = MappingProxyType({})
    ) -> tuple[SparkStatement, pa.Schema]:
        """Analyze, which executes commands; one that lost a race for a commit has done nothing and runs again."""
        attempts = 1 + (self._settings.conflict_retries if query.kind in RERUNNABLE else 0)
        for attempt in range(attempts):
            # They went with the attempt before.
            session.spark.put_secrets(secrets)
            statement = session.spark.statement(query.id, text, secretive=bool(secrets))
            query.on_stop(statement.cancel)
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
