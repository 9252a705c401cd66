"""A result as pieces of JSON: each holds some rows, and pieces joined by commas are the rows of a page."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
import pyarrow as pa

from sqe.endpoints.trino_http.row_values import rows_of
from sqe.query.result import ResultStream

#: A page has at least so many rows, unless they are large.
PAGE_ROWS = 1000
#: How many times the target a page of so few rows may be.
_LARGE = 8


def fragments(result: ResultStream, page_bytes: int) -> Iterator[bytes]:
    """The rows of a result, once. The first pieces are small, so that a client sees something soon."""
    rows_each = PAGE_ROWS
    batches = iter(result)
    try:
        for batch in batches:
            start = 0
            while start < batch.num_rows:
                piece = batch.slice(start, _bounded(batch, rows_each, page_bytes))
                start += piece.num_rows
                # Without the brackets around all rows: whoever joins pieces puts them.
                text = orjson.dumps(rows_of(piece, result.schema))[1:-1]
                rows_each = _next_size(len(text), piece.num_rows, page_bytes)
                yield text
    finally:
        close = getattr(batches, "close", None)
        if close is not None:
            close()


def page(pieces: list[bytes]) -> orjson.Fragment:
    """The pieces as the rows of one answer."""
    return orjson.Fragment(b"[" + b",".join(pieces) + b"]")


def _next_size(bytes_seen: int, rows_seen: int, page_bytes: int) -> int:
    """How many rows fill a page, if they are like those before."""
    each = max(1, bytes_seen // max(1, rows_seen))
    fitting = page_bytes // each
    return max(fitting, min(PAGE_ROWS, _LARGE * page_bytes // each), 1)


def _bounded(batch: pa.RecordBatch, rows: int, page_bytes: int) -> int:
    """Not more rows than a page may have bytes, by what Arrow needs for them."""
    each = max(1, batch.nbytes // max(1, batch.num_rows))
    return max(1, min(rows, _LARGE * page_bytes // each))
