"""A result that a worker thread reads ahead, so that the main thread stays free for Ctrl-C and progress."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.cli.connect import Result

_AHEAD = 4
_TICK_SECS = 0.2
_END = object()


class Relay:
    """A `Result` whose statement runs in a thread of its own from the moment it is made."""

    def __init__(self, source: Callable[[], Result], tick: Callable[[], None], arrived: Callable[[], None]) -> None:
        """Start the statement.

        Args:
            source: Runs the statement; called in the worker thread.
            tick: Called in the reading thread a few times a second while there is nothing to read.
            arrived: Called in the reading thread when there is something again.
        """
        self._source = source
        self._tick = tick
        self._arrived = arrived
        self._messages: queue.Queue[Any] = queue.Queue(_AHEAD)
        self._abandoned = threading.Event()
        self._schema: pa.Schema | None = None
        self.query_id = ""
        self.done = False
        # A daemon: a statement that cannot be stopped must not keep the process alive.
        threading.Thread(target=self._work, name="statement", daemon=True).start()

    @property
    def schema(self) -> pa.Schema:
        """The columns; waits until they are known."""
        if self._schema is None:
            self._schema = self._take()
        return self._schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """The batches, as the worker hands them over."""
        _ = self.schema
        while (batch := self._take()) is not _END:
            yield batch

    def close(self) -> None:
        """Leave the worker to itself; it ends at its next batch."""
        self._abandoned.set()

    def drain(self) -> None:
        """Wait for the end of the statement and drop what still comes, its error too."""
        while not self.done:
            try:
                self._take()
            except KeyboardInterrupt:
                self.close()
                raise
            except Exception:  # noqa: BLE001 - the caller has already given the statement up
                return

    def _take(self) -> Any:  # noqa: ANN401 - a schema, a batch or the end mark
        message = self._wait()
        self._arrived()
        self.done = message is _END or isinstance(message, BaseException)
        if isinstance(message, BaseException):
            raise message
        return message

    def _wait(self) -> Any:  # noqa: ANN401 - as above, or an error
        while True:
            try:
                return self._messages.get(timeout=_TICK_SECS)
            except queue.Empty:
                self._tick()

    def _work(self) -> None:
        try:
            result = self._source()
            try:
                self.query_id = result.query_id
                self._put(result.schema)
                for batch in result:
                    if not self._put(batch):
                        break
            finally:
                result.close()
            self._put(_END)
        except BaseException as error:  # noqa: BLE001 - raised again in the reading thread
            self._put(error)

    def _put(self, message: object) -> bool:
        while not self._abandoned.is_set():
            try:
                self._messages.put(message, timeout=_TICK_SECS)
            except queue.Full:
                continue
            return True
        return False
