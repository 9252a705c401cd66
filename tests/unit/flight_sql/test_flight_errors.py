from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pyarrow import flight

from sqe.core.errors import CanceledError, EngineUnavailableError, NotFoundError, Position, SqeError, code_of, kind_of
from sqe.endpoints.flight_sql.wire_errors import ERROR_TRAILER, from_flight, to_flight


@pytest.mark.parametrize(
    "error",
    [NotFoundError("no such table", hint="look", position=Position(2, 3, 4)), CanceledError("stopped")],
)
def test_an_error_survives_the_wire(error: SqeError) -> None:
    error.query_id = "q"
    sent: dict[str, str] = {}
    context: Any = SimpleNamespace(add_trailer=sent.__setitem__)
    back = from_flight(to_flight(error, context), trailer=sent.get(ERROR_TRAILER, ""))
    assert (code_of(back), kind_of(back)) == (error.code, error.kind)
    assert back.to_dict() == error.to_dict()


def test_a_server_that_is_away() -> None:
    error = flight.FlightUnavailableError("no")
    assert isinstance(from_flight(error), EngineUnavailableError)
    away = EngineUnavailableError("no server answers")
    assert from_flight(error, lambda: away) is away


def test_extra_info_of_somebody_else_is_no_reason_to_fail() -> None:
    assert from_flight(flight.FlightServerError("broken\nlong story", b"\x00not json")).message.startswith("broken")
