"""The rows of one query on their way to one reader."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from sqe.core.errors import CanceledError, InternalError, ResultTooLargeError, SqeError
from sqe.observe.logs import get_logger
from sqe.query.lifecycle import Query
from sqe.spark.session import SparkStatement

if TYPE_CHECKING:
    import pyarrow as pa

_log = get_logger(__name__)


class ResultStream:
    """Schema first, then the batches once. Its end, whichever it is, is the end of the query."""

    def __init__(self, query: Query, statement: SparkStatement, schema: pa.Schema, max_rows: int) -> None:
        self.query = query
        self.schema = schema
        self._statement = statement
        self._max_rows = max_rows
        self._taken = False
        #: A thread is at work on the next batch, and will notice a stop.
        self._busy = False
        self._lock = threading.Lock()
        query.on_stop(self._stop)

    @property
    def query_id(self) -> str:
        """The id of the query."""
        return self.query.id

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The batches in order. Raises `SqeError`."""
        if not self._take():
            self.query.refuse_if_stopped()
            raise InternalError("a result can be read once")
        try:
            yield from self._counted()
        except SqeError as error:
            raise self.query.fail(error) from error
        except Exception as error:
            _log.exception("result failed", query_id=self.query.id)
            raise self.query.fail(InternalError("the result broke off in a way we did not foresee")) from error
        except GeneratorExit:
            # The reader went away before the end.
            self.query.cancel()
            self.query.fail(CanceledError("the reader went away"))
            raise
        else:
            self.query.finish()
        finally:
            self._statement.close()

    def leave(self) -> None:
        """End the query without its rows: nobody wants more than the columns."""
        if self._take():
            self.query.finish()
            self._statement.close()

    def close(self) -> None:
        """Give the result up; a query that still runs is canceled."""
        if self._take():
            self.query.cancel()
            self.query.fail(CanceledError("the result was not read"))
            self._statement.close()

    def _take(self) -> bool:
        """Whether the result is the caller's, which it is for one."""
        with self._lock:
            first, self._taken = not self._taken, True
            self._busy = self._busy or first
            return first

    def _stop(self) -> None:
        """Stop the engine's work. A query that no thread works on ends here: nobody else would notice."""
        with suppress(SqeError):
            # An engine that is gone does no work.
            self._statement.cancel()
        if self._take():
            self.query.fail(CanceledError("the statement was canceled"))
            self._statement.close()
        elif not self._busy:
            self.query.fail(CanceledError("the statement was canceled"))

    def _counted(self) -> Iterator[pa.RecordBatch]:
        for batch in self._statement.batches():
            self.query.refuse_if_stopped()
            self.query.rows += batch.num_rows
            if self._max_rows and self.query.rows > self._max_rows:
                self._statement.cancel()
                raise ResultTooLargeError(
                    f"the result has more rows than {self._max_rows:,}",
                    hint="add a LIMIT, or raise query.max_result_rows",
                )
            # While the reader looks at it, nobody is here.
            self._busy = False
            yield batch
            self._busy = True
        # Cut off is not complete: what was read must not pass for the whole.
        self.query.refuse_if_stopped()
