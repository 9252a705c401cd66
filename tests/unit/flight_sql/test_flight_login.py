"""Every call shows who makes it."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import flight

from sqe.core.errors import EngineUnavailableError, ErrorKind, SqeError, kind_of
from sqe.endpoints.flight_sql import messages
from sqe.endpoints.flight_sql.access import address_of
from sqe.endpoints.flight_sql.client import FlightConnection, basic_login
from sqe.query.lifecycle import QueryState

from .flight_fakes import Served, call, served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as running:
        yield running


def query(sql: str) -> flight.FlightDescriptor:
    return flight.FlightDescriptor.for_command(messages.pack("CommandStatementQuery", query=sql))


def listing(name: str) -> flight.FlightDescriptor:
    return flight.FlightDescriptor.for_command(messages.pack(name))


def put(client: flight.FlightClient, options: flight.FlightCallOptions, sql: str = "X") -> None:
    command = messages.pack("CommandStatementUpdate", query=sql)
    writer, reader = client.do_put(flight.FlightDescriptor.for_command(command), pa.schema([]), options)
    with writer:
        writer.done_writing()
        answers: Any = reader
        answers.read()


def exchange(client: flight.FlightClient, options: flight.FlightCallOptions) -> None:
    writer, reader = client.do_exchange(flight.FlightDescriptor.for_command(b"x"), options)
    with writer:
        writer.done_writing()
        reader.read_all()


CALLS: dict[str, Callable[[flight.FlightClient, flight.FlightCallOptions], object]] = {
    "info": lambda client, options: client.get_flight_info(query("SELECT 1"), options),
    "schema": lambda client, options: client.get_schema(query("SELECT 1"), options),
    "get": lambda client, options: client.do_get(flight.Ticket(b"x"), options).read_all(),
    "put": put,
    "exchange": exchange,
    "flights": lambda client, options: list(client.list_flights(options=options)),
    "actions": lambda client, options: client.list_actions(options),
    **{
        f"action {name}": lambda client, options, name=name: list(client.do_action(flight.Action(name, b""), options))  # type: ignore[misc]
        for name in ("CancelFlightInfo", "CloseSession", "sqe.attach", "sqe.cancel", "sqe.progress", "sqe.status", "no")
    },
    **{
        f"rows of {name}": lambda client, options, name=name: client.do_get(  # type: ignore[misc]
            flight.Ticket(messages.pack(name)), options
        ).read_all()
        for name in ("CommandGetCatalogs", "CommandGetTables", "CommandGetSqlInfo", "CommandGetXdbcTypeInfo")
    },
    **{
        f"info of {name}": lambda client, options, name=name: client.get_flight_info(listing(name), options)  # type: ignore[misc]
        for name in ("CommandGetCatalogs", "CommandGetDbSchemas", "CommandGetSqlInfo", "CommandGetPrimaryKeys")
    },
}
BAD_HEADERS = {
    "none": {},
    "unknown token": {"authorization": "Bearer made-up"},
    "wrong password": {"authorization": "Basic " + base64.b64encode(b"alice:guess").decode()},
    "no base64": {"authorization": "Basic ***"},
    "no colon": {"authorization": "Basic " + base64.b64encode(b"alice").decode()},
    "no text": {"authorization": "Basic " + base64.b64encode(b"\xff\xfe:x").decode()},
    "another scheme": {"authorization": "Digest x"},
    "empty bearer": {"authorization": "Bearer "},
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_answered_without_a_login(server: Served, name: str) -> None:
    # What pyarrow's client makes of the status of GetSchema.
    refusals = (flight.FlightUnauthenticatedError, OSError)
    with server.client() as client, pytest.raises(refusals, match=r"log in first.*Detail: Unauthenticated"):
        CALLS[name](client, call())
    assert server.pipeline.ran == []


@pytest.mark.parametrize("name", BAD_HEADERS)
def test_bad_credentials_are_refused_and_say_nothing(server: Served, name: str) -> None:
    with server.client() as client, pytest.raises(flight.FlightUnauthenticatedError) as refused:
        client.get_flight_info(query("SELECT 1"), call(**BAD_HEADERS[name]))
    assert "wrong password" not in str(refused.value)
    assert "Traceback" not in str(refused.value)


def test_handshake_by_header_gives_a_token(server: Served) -> None:
    with server.client() as client:
        _, header = client.authenticate_basic_token("alice", "wonder")
        asked = server.provider.asked
        options = call(authorization=_text(header))
        info = client.get_flight_info(query("SELECT 1"), options)
        rows = client.do_get(info.endpoints[0].ticket, options).read_all()
    assert rows.column("n").to_pylist() == [1, 2, 3]
    assert server.provider.asked == asked


def test_each_handshake_is_a_login_of_its_own(server: Served) -> None:
    with server.client() as client:
        tokens = {_text(client.authenticate_basic_token("alice", "wonder")[1]) for _ in range(2)}
        for token in tokens:
            client.get_flight_info(query("SELECT 1"), call(authorization=token))
    assert len(tokens) == 2
    assert len(server.sessions.opened) == 2


@pytest.mark.parametrize("encoded", ["Ym9iOmJ1aWxkZXI=", "Ym9iOmJ1aWxkZXI"])
def test_padding_may_be_missing(server: Served, encoded: str) -> None:
    with server.client() as client:
        client.get_flight_info(query("SELECT 1"), call(authorization=f"Basic {encoded}"))
    assert [session.identity.user for session in server.sessions.opened.values()] == ["bob"]


def test_a_wrong_handshake(server: Served) -> None:
    with server.client() as client, pytest.raises(flight.FlightUnauthenticatedError, match="invalid credentials"):
        client.authenticate_basic_token("alice", "guess")


class _ByMessage(flight.ClientAuthHandler):
    def __init__(self, password: str) -> None:
        super().__init__()
        self._password = password
        self._token = b""

    def authenticate(self, outgoing: Any, incoming: Any) -> None:
        outgoing.write(flight.BasicAuth("alice", self._password).serialize())
        self._token = incoming.read()

    def get_token(self) -> bytes:  # type: ignore[override] # the stubs say text
        return self._token


def test_handshake_by_message(server: Served) -> None:
    with server.client() as client:
        client.authenticate(_ByMessage("wonder"), call())
        assert client.get_flight_info(query("SELECT 1"), call()).schema.names == ["n"]


def test_a_wrong_handshake_by_message(server: Served) -> None:
    with server.client() as client, pytest.raises(flight.FlightUnauthenticatedError, match="invalid credentials"):
        client.authenticate(_ByMessage("guess"), call())


class _Garbage(_ByMessage):
    def authenticate(self, outgoing: Any, incoming: Any) -> None:
        outgoing.write(b"\xff\xff\xff garbage")
        self._token = incoming.read()


def test_a_handshake_with_garbage(server: Served) -> None:
    with server.client() as client:
        with pytest.raises(flight.FlightUnauthenticatedError):
            client.authenticate(_Garbage(""), call())
        # The next one in the same thread of the server is none the worse for it.
        client.authenticate(_ByMessage("wonder"), call())


def test_basic_and_bearer_work_with_each_call(server: Served) -> None:
    basic = "Basic " + base64.b64encode(b"bob:builder").decode()
    with server.client() as client:
        for _ in range(3):
            client.get_flight_info(query("SELECT 1"), call(authorization=basic))
        client.get_flight_info(query("SELECT 1"), call(authorization="Bearer jwt-carol"))
    assert server.provider.asked == 2
    assert {session.identity.user for session in server.sessions.opened.values()} == {"bob", "carol"}


def test_two_different_credentials_in_one_call(server: Served) -> None:
    headers: Any = [(b"authorization", b"Bearer jwt-alice"), (b"authorization", b"Bearer jwt-bob")]
    with server.client() as client, pytest.raises(flight.FlightUnauthenticatedError):
        client.list_actions(flight.FlightCallOptions(headers=headers))


def test_a_session_name_of_somebody_else_is_worth_nothing(server: Served) -> None:
    with server.client() as client:
        for user in ("alice", "bob"):
            client.get_flight_info(query("SELECT 1"), call(authorization=f"Bearer jwt-{user}", x_sqe_session="mine"))
    assert [session.identity.user for session in server.sessions.opened.values()] == ["alice", "bob"]


def test_a_cookie_names_a_session(server: Served) -> None:
    with server.client() as client:
        for cookie in ("arrow_flight_session_id=a", "x=y; arrow_flight_session_id=b", "arrow_flight_session_id=../"):
            client.get_flight_info(query("SELECT 1"), call(authorization="Bearer jwt-alice", cookie=cookie))
    assert sorted(name.split("/")[1] for name in server.sessions.opened) == ["", "a", "b"]


def test_tickets_are_for_their_owner_and_hold_once(server: Served) -> None:
    alice, bob = call(authorization="Bearer jwt-alice"), call(authorization="Bearer jwt-bob")
    with server.client() as client:
        ticket = client.get_flight_info(query("SELECT 1"), alice).endpoints[0].ticket
        with pytest.raises(flight.FlightUnauthorizedError, match="somebody else"):
            client.do_get(ticket, bob).read_all()
        assert client.do_get(ticket, alice).read_all().num_rows == 3
        with pytest.raises(pa.ArrowKeyError, match="no such result"):
            client.do_get(ticket, alice).read_all()


def test_forged_tickets(server: Served) -> None:
    alice = call(authorization="Bearer jwt-alice")
    with server.client() as client:
        info = client.get_flight_info(query("SELECT 1"), alice)
        query_id = info.app_metadata
        assert isinstance(query_id, bytes)
        for handle in (query_id, query_id + b".", query_id + b".guess", b"", b"\xff.\xff", query_id + ".ü".encode()):
            forged = flight.Ticket(messages.pack("TicketStatementQuery", statement_handle=handle))
            with pytest.raises(pa.ArrowKeyError):
                client.do_get(forged, alice).read_all()


def test_a_query_of_somebody_else_cannot_be_canceled(server: Served) -> None:
    alice, bob = call(authorization="Bearer jwt-alice"), call(authorization="Bearer jwt-bob")
    with server.client() as client:
        info = client.get_flight_info(query("SELECT 1"), alice)
        body = messages.message("CancelFlightInfoRequest", info=info.serialize()).SerializeToString()
        action = flight.Action("CancelFlightInfo", body)
        with pytest.raises(flight.FlightUnauthorizedError):
            list(client.do_action(action, bob))
        (answer,) = client.do_action(action, alice)
    assert messages.parse("CancelFlightInfoResult", answer.body.to_pybytes()).status == messages.CANCELLED


def test_closing_a_connection_that_shook_hands_logs_out(server: Served) -> None:
    with server.client() as client:
        token = call(authorization=_text(client.authenticate_basic_token("alice", "wonder")[1]))
        client.get_flight_info(query("SELECT 1"), token)
        list(client.do_action(flight.Action("CloseSession", b""), token))
        with pytest.raises(flight.FlightUnauthenticatedError):
            client.get_flight_info(query("SELECT 1"), token)
    assert not server.sessions.opened


def test_closing_a_session_that_others_share_leaves_it_open(server: Served) -> None:
    options = call(authorization="Bearer jwt-alice")
    with server.client() as client:
        client.get_flight_info(query("SELECT 1"), options)
        (answer,) = client.do_action(flight.Action("CloseSession", b""), options)
    assert messages.parse("CloseSessionResult", answer.body.to_pybytes()).status == messages.CLOSED
    assert len(server.sessions.opened) == 1


def test_the_shells_client_logs_in_and_out(server: Served) -> None:
    def away() -> SqeError:
        return EngineUnavailableError("away")

    with pytest.raises(SqeError) as refused:
        basic_login(server.location, "alice", "guess", away)
    assert kind_of(refused.value) is ErrorKind.UNAUTHENTICATED
    token = basic_login(server.location, "alice", "wonder", away)
    connection = FlightConnection(server.location, token=lambda: token)
    result = connection.execute("SELECT 1")
    assert [row for batch in result for row in batch.to_pylist()] == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert connection.progress() is None
    connection.close()
    with pytest.raises(SqeError) as over:
        FlightConnection(server.location, token=lambda: token).execute("SELECT 1")
    assert kind_of(over.value) is ErrorKind.UNAUTHENTICATED
    assert not server.sessions.opened


def test_whoever_comes_back_after_their_login_has_ended_is_logged_in_again(server: Served) -> None:
    tokens: list[str] = []

    def token() -> str:
        tokens.append(basic_login(server.location, "alice", "wonder", lambda: EngineUnavailableError("away")))
        return tokens[-1]

    connection = FlightConnection(server.location, token=token)
    list(connection.execute("SELECT 1"))
    other = FlightConnection(server.location, token=lambda: tokens[0])
    list(other.execute("SELECT 1"))
    other.close()
    assert sum(batch.num_rows for batch in connection.execute("SELECT 1")) == 3
    assert len(set(tokens)) == 2
    connection.close()


def test_a_token_that_never_worked_is_not_tried_twice(server: Served) -> None:
    asked: list[str] = []

    def token() -> str:
        asked.append("made-up")
        return asked[-1]

    with pytest.raises(SqeError) as refused:
        FlightConnection(server.location, token=token).execute("SELECT 1")
    assert kind_of(refused.value) is ErrorKind.UNAUTHENTICATED
    assert len(asked) == 1


def test_whoever_leaves_stops_nothing_but_their_own_statement(server: Served) -> None:
    shared = {"authorization": "Bearer jwt-alice"}
    running = server.pipeline.tracker.running
    with server.client() as client, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.get_flight_info, query("WAIT"), call(3, **shared))
        while not running():
            time.sleep(0.01)
        (left,) = running()
        # The same session, later: what a look at the session's last statement would find.
        with server.client() as other:
            other.get_flight_info(query("SELECT 1"), call(**shared))
        # The client gives up after its three seconds.
        assert isinstance(waiting.exception(30), flight.FlightError | pa.ArrowException)
    while not left.state.ended:
        time.sleep(0.01)
    assert [statement.sql for statement in running()] == ["SELECT 1"]
    assert left.state is QueryState.CANCELED
    running()[0].refuse_if_stopped()


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:127.0.0.1:46452", "127.0.0.1"),
        ("ipv6:%5B::1%5D:52368", "::1"),
        ("ipv6:[2001:db8::7]:1", "2001:db8::7"),
        ("unix:/run/x", ""),
        ("", ""),
    ],
)
def test_address_of_a_peer(peer: str, address: str) -> None:
    assert address_of(peer) == address


def _text(header: str | bytes) -> str:
    return header.decode() if isinstance(header, bytes) else header
