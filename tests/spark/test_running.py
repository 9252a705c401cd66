"""Many people at once: places, turns, and that whatever is stopped leaves no Spark job behind."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.core.errors import CanceledError, DeniedError, QueryTimeoutError, TooManyRequestsError, UserError
from sqe.core.identity import Identity
from sqe.query.lifecycle import Query, QueryState
from sqe.query.pipeline import Pipeline
from sqe.query.virtual.runtime import TABLES
from sqe.server.local import LocalEngine

from .support import (
    LONG_QUERY,
    Client,
    client_of,
    failure,
    in_background,
    jobs_end,
    own_pipeline,
    rows,
    running_query,
    value,
    wait_until,
)

STREAM = "SELECT id, rpad('x', 100, 'x') AS s FROM range(0, 2000000, 1, 8)"


def queued(pipeline: Pipeline) -> Query:
    def found() -> Query | None:
        return next((query for query in pipeline.tracker.running() if query.state is QueryState.QUEUED), None)

    return wait_until(found, "a statement that waits")


def shown(client: Client, pipeline: Pipeline) -> list[dict[str, Any]]:
    """The rows of system.runtime.queries, without being one of them."""
    found: list[dict[str, Any]] = TABLES["system.runtime.queries"](client.session, pipeline.tracker).to_pylist()
    return found


def test_a_statement_waits_for_its_turn(session: Client, engine: LocalEngine) -> None:
    ann = client_of(engine, "ann")
    with own_pipeline(engine, max_concurrent_queries=1, queue_timeout_secs=600) as pipeline:
        holder = session.run("SELECT id FROM range(0, 10, 1, 2)", pipeline)
        with in_background(lambda: rows(ann, "SELECT 1 AS x", pipeline)) as waiting:
            query = queued(pipeline)
            states = {row["query_id"]: row["state"] for row in shown(session, pipeline)}
            assert states == {holder.query_id: "RUNNING", query.id: "QUEUED"}
            assert [row["query_id"] for row in shown(ann, pipeline)] == [query.id]
            assert sum(batch.num_rows for batch in holder) == 10
            assert waiting.result(60) == [{"x": 1}]
        assert pipeline.admission.running == 0


def test_a_cancel_while_it_waits(session: Client, engine: LocalEngine) -> None:
    ann = client_of(engine, "ann")
    with own_pipeline(engine, max_concurrent_queries=1, queue_timeout_secs=600) as pipeline:
        holder = session.run("SELECT id FROM range(0, 10, 1, 2)", pipeline)
        with in_background(lambda: failure(ann, "SELECT 1", pipeline)) as waiting:
            query = queued(pipeline)
            assert pipeline.tracker.cancel(query.id, ann.identity) is True
            assert isinstance(waiting.result(60), CanceledError)
        assert (query.state, query.started, pipeline.admission.waiting) == (QueryState.CANCELED, None, 0)
        assert sum(batch.num_rows for batch in holder) == 10


def test_nobody_waits_for_ever(session: Client, engine: LocalEngine) -> None:
    with own_pipeline(engine, max_concurrent_queries=1, queue_timeout_secs=0) as pipeline:
        holder = session.run("SELECT id FROM range(0, 10, 1, 2)", pipeline)
        error = failure(client_of(engine, "ann"), "SELECT 1", pipeline)
        assert isinstance(error, TooManyRequestsError)
        assert pipeline.tracker.get(error.query_id or "").state is QueryState.FAILED
        holder.close()
        assert rows(session, "SELECT 1 AS x", pipeline) == [{"x": 1}]


def test_a_result_that_nobody_reads_gives_its_place_back(session: Client, engine: LocalEngine) -> None:
    with own_pipeline(engine, timeout_secs=1, max_concurrent_queries=1) as pipeline:
        result = session.run(STREAM, pipeline)
        wait_until(lambda: result.query.state.ended, "the end of its time")
        assert (result.query.state, pipeline.admission.running) == (QueryState.FAILED, 0)
        jobs_end(engine)
        with pytest.raises(QueryTimeoutError):
            list(result)


def test_a_reader_that_stops_in_the_middle(session: Client, engine: LocalEngine) -> None:
    with own_pipeline(engine, max_concurrent_queries=1) as pipeline:
        result = session.run(STREAM, pipeline)
        batches = iter(result)
        next(batches)
        result.query.cancel()
        # The reader has not come back, and need not.
        assert (result.query.state, pipeline.admission.running) == (QueryState.CANCELED, 0)
        jobs_end(engine)
        with pytest.raises(CanceledError):
            list(batches)
        assert rows(session, "SELECT 1 AS x", pipeline) == [{"x": 1}]


def test_the_time_of_a_role(engine: LocalEngine) -> None:
    guest = Client(engine, Identity("ann", roles=frozenset({"guest"})))
    with own_pipeline(engine, timeout_secs=0, role_overrides={"guest": 1}) as pipeline:
        assert isinstance(failure(guest, LONG_QUERY, pipeline), QueryTimeoutError)
    jobs_end(engine)
    guest.close()


def test_kill_query(session: Client, engine: LocalEngine) -> None:
    ann, mallory = client_of(engine, "ann"), client_of(engine, "mallory")
    for killer, text, said in (
        (Client(engine, ann.identity), "CALL system.runtime.kill_query('{}')", "the statement was killed by ann"),
        (
            session,
            "CALL system.runtime.kill_query(query_id => '{}', message => 'enough')",
            f"the statement was killed by {session.identity.user}: enough",
        ),
    ):
        with in_background(lambda: failure(ann, LONG_QUERY)) as waiting:
            query = running_query(ann, LONG_QUERY)
            assert isinstance(failure(mallory, text.format(query.id)), DeniedError)
            assert rows(killer, text.format(query.id)) == []
            error = waiting.result(60)
        assert (type(error), error.message) == (CanceledError, said)
        jobs_end(engine)
        ended = failure(killer, text.format(query.id))
        assert isinstance(ended, UserError)
        assert "does not run" in ended.message


def test_admins_see_all_statements_and_others_their_own(session: Client, engine: LocalEngine) -> None:
    ann = client_of(engine, "ann")
    mine = session.run("SELECT 'mine'")
    hers = ann.run("SELECT 'hers'")
    list(mine), list(hers)
    query = "SELECT count(*) FROM system.runtime.queries WHERE query_id = '{}'"
    assert value(session, query.format(hers.query_id)) == 1
    assert value(ann, query.format(hers.query_id)) == 1
    assert value(ann, query.format(mine.query_id)) == 0


def test_people_share_the_task_slots(engine: LocalEngine) -> None:
    """A statement of many tasks does not keep somebody else's from running: it still runs when the other has ended."""
    many = "SELECT count(*) FROM range(0, 4000000000, 1, 4000) WHERE hash(id) = 1"
    ann, bob = client_of(engine, "ann"), client_of(engine, "bob")
    with in_background(lambda: failure(ann, many)) as waiting:
        query = running_query(ann, many)
        assert value(bob, "SELECT count(DISTINCT id % 7) FROM range(0, 1000, 1, 4)") == 7
        assert query.state is QueryState.RUNNING
        query.cancel()
        assert isinstance(waiting.result(60), CanceledError)
    jobs_end(engine)
