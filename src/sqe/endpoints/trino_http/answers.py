"""The answers to POST and GET of a statement: JSON as `QueryResults` of Trino's clients reads it."""

from __future__ import annotations

import time
from typing import Any

import orjson
import pyarrow as pa

from sqe.endpoints.trino_http.error_codes import query_error
from sqe.endpoints.trino_http.fragments import page
from sqe.endpoints.trino_http.statement import Statement, Taken
from sqe.endpoints.trino_http.type_signatures import column, trino_type
from sqe.endpoints.trino_http.update_types import update_type

_DONE = frozenset({"FINISHED", "FAILED"})
_COUNT = column("rows", trino_type(pa.int64()))
_TRUE = column("result", trino_type(pa.bool_()))


def answer(statement: Statement, taken: Taken, base: str, token: int, progress: dict[str, Any]) -> bytes:
    """One answer; `token` is the one that the client asks with next."""
    body: dict[str, Any] = {"id": statement.id, "infoUri": f"{base}/v1/query/{statement.id}"}
    state = statement.state if taken.last or statement.state not in _DONE else "RUNNING"
    if not taken.last:
        step = "queued" if state == "QUEUED" else "executing"
        body["nextUri"] = f"{base}/v1/statement/{step}/{statement.id}/{statement.slug}/{token}"
    if taken.error is not None:
        body["error"] = query_error(taken.error, statement.id)
    else:
        body |= _content(statement, taken)
    body |= {"stats": stats(statement, state, progress), "warnings": []}
    return orjson.dumps(body)


def stats(statement: Statement, state: str, progress: dict[str, Any]) -> dict[str, Any]:
    """How far the statement is, in the terms of the progress bars of Trino's clients: a task is a split."""
    query = statement.query
    now = time.time()
    started = query.started if query is not None else None
    ended = query.ended if query is not None and query.ended is not None else now
    done = state in _DONE
    tasks, tasks_done = int(progress.get("tasks", 0)), int(progress.get("tasks_done", 0))
    tasks_done = tasks if state == "FINISHED" else min(tasks_done, tasks)
    running = 0 if done else min(tasks - tasks_done, int(progress.get("tasks_running", 1 if tasks > tasks_done else 0)))
    rows = int(progress.get("rows", 0)) or (query.rows if query is not None else 0)
    elapsed = _millis(ended - statement.created)
    facts: dict[str, Any] = {
        "nodes": 0 if started is None else 1,
        "totalSplits": tasks,
        "queuedSplits": tasks - tasks_done - running,
        "runningSplits": running,
        "completedSplits": tasks_done,
        "cpuTimeMillis": 0,
        "wallTimeMillis": 0 if started is None else _millis(ended - started),
        "processedRows": rows,
        "processedBytes": 0,
        "physicalInputBytes": 0,
    }
    return {
        "state": state,
        "queued": state == "QUEUED",
        "scheduled": started is not None and tasks > 0,
        "progressPercentage": 100.0 if state == "FINISHED" else tasks_done * 100.0 / tasks if tasks else None,
        "runningPercentage": running * 100.0 / tasks if tasks else None,
        **facts,
        "queuedTimeMillis": _millis((started or ended) - statement.created),
        "elapsedTimeMillis": elapsed,
        "peakMemoryBytes": 0,
        "spilledBytes": 0,
        "rootStage": _stage(state, facts, done=done) if tasks else None,
    }


def _content(statement: Statement, taken: Taken) -> dict[str, Any]:
    """Columns as soon as they are known, rows when there are any; what an update did."""
    if statement.columns is None:
        return {}
    query = statement.query
    word = update_type(statement.sql, query.kind if query is not None else "", has_columns=bool(statement.columns))
    if word is not None:
        return _update(word, query.changed_rows if query is not None else None, last=taken.last)
    body: dict[str, Any] = {"columns": statement.columns} if statement.columns else {}
    return body | ({"data": page(taken.pieces)} if taken.pieces else {})


def _update(word: str, count: int | None, *, last: bool) -> dict[str, Any]:
    """Clients that know no updates expect columns and a row of every statement."""
    body: dict[str, Any] = {"updateType": word}
    if count is not None:
        body["updateCount"] = count
    if last:
        body["columns"] = [_TRUE if count is None else _COUNT]
        body["data"] = [[True if count is None else count]]
    return body


def _stage(state: str, facts: dict[str, Any], *, done: bool) -> dict[str, Any]:
    """The whole engine as one stage."""
    return {
        "stageId": "0",
        "state": state,
        "done": done,
        **facts,
        "failedTasks": 0,
        "coordinatorOnly": False,
        "subStages": [],
    }


def _millis(secs: float) -> int:
    return max(0, round(secs * 1000))
