"""Our client of Trino's protocol against a server that answers what it is told to, good and bad."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from sqe.core.errors import (
    CanceledError,
    EngineUnavailableError,
    ErrorKind,
    ExternalError,
    Position,
    SqeError,
    SqlSyntaxError,
    UserError,
    code_of,
    kind_of,
)
from sqe.endpoints.trino_http import client_requests
from sqe.endpoints.trino_http.client import TrinoConnection
from sqe.endpoints.trino_http.client_state import ClientState, local_zone
from sqe.endpoints.trino_http.error_codes import ERROR_HEADER, error_header

BIGINT = {"name": "n", "type": "bigint", "typeSignature": {"rawType": "bigint", "arguments": []}}
Headers = dict[str, str]
#: Status, headers and body; a body that is no bytes is sent as JSON.
Answer = tuple[int, Headers, Any]


class Canned:
    """A server: answers by verb and path, one after the other; the last one stays."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[tuple[str, list[tuple[str, str]], bytes]] = []
        self.hold = threading.Event()
        self.hold.set()
        self.origin = ""

    def say(self, request: str, body: Any, status: int = 200, headers: Headers | None = None) -> None:
        self.answers.setdefault(request, []).append((status, headers or {}, body))

    def page(self, request: str, following: str | None = None, headers: Headers | None = None, **content: Any) -> None:
        body = {"id": "q1", "stats": {"state": "RUNNING", "totalSplits": 4, "completedSplits": 1}, **content}
        self.say(request, body | ({"nextUri": f"{self.origin}{following}"} if following else {}), headers=headers)

    def requests(self) -> list[str]:
        return [request for request, _, _ in self.asked]

    def headers(self, index: int, name: str) -> list[str]:
        return [value for key, value in self.asked[index][1] if key.lower() == name]


def _handler(canned: Canned) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            pass

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = f"{self.command} {self.path}"
            canned.asked.append((request, list(self.headers.items()), body))
            if self.command == "GET":
                canned.hold.wait(20)
            waiting = canned.answers.get(request) or [(404, {}, b"no such page")]
            status, headers, content = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_DELETE = _serve  # noqa: N815 - the base class names them

    return Handler


@pytest.fixture
def canned() -> Iterator[Canned]:
    made = Canned()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(made))
    server.daemon_threads = True
    made.origin = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield made
    made.hold.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def connection(canned: Canned, monkeypatch: pytest.MonkeyPatch) -> Iterator[TrinoConnection]:
    monkeypatch.setattr(client_requests, "PATIENCE_SECS", 3.0)
    made = TrinoConnection(canned.origin, authorization=lambda: "Bearer secret-1", time_zone="Europe/Berlin")
    yield made
    made.close()


POST = "POST /v1/statement"


def rows(connection: TrinoConnection, sql: str = "SELECT 1") -> list[Any]:
    result = connection.execute(sql)
    return [row for batch in result for row in batch.to_pylist()]


def test_pages_in_order(canned: Canned, connection: TrinoConnection) -> None:
    canned.page(POST, "/v1/statement/queued/q1/a/1")
    canned.page("GET /v1/statement/queued/q1/a/1", "/v1/statement/executing/q1/a/2", columns=[BIGINT])
    canned.page("GET /v1/statement/executing/q1/a/2", "/p3", columns=[BIGINT], data=[[1], [2]])
    canned.page("GET /p3", "/p4", columns=[BIGINT])
    canned.page("GET /p4", columns=[BIGINT], data=[[3], [None]])
    result = connection.execute("SELECT n")
    assert (result.query_id, result.schema) == ("q1", pa.schema([("n", pa.int64())]))
    assert [batch.column(0).to_pylist() for batch in result] == [[1, 2], [3, None]]
    progress = connection.progress()
    assert progress is not None
    assert (progress.tasks, progress.tasks_done) == (4, 1)
    assert canned.asked[0][2] == b"SELECT n"
    assert canned.headers(0, "authorization") == canned.headers(4, "authorization") == ["Bearer secret-1"]
    assert canned.headers(0, "x-trino-time-zone") == ["Europe/Berlin"]


def test_pages_are_fetched_as_they_are_read(canned: Canned, connection: TrinoConnection) -> None:
    canned.page(POST, "/p1", columns=[BIGINT], data=[[1]])
    canned.page("GET /p1", "/p2", data=[[2]])
    batches = iter(connection.execute("SELECT n"))
    next(batches)
    assert canned.requests() == [POST]
    next(batches)
    assert canned.requests() == [POST, "GET /p1"]


def test_no_rows_keep_their_columns(canned: Canned, connection: TrinoConnection) -> None:
    canned.page(POST, columns=[BIGINT])
    result = connection.execute("SELECT n")
    assert (result.schema.names, list(result)) == (["n"], [])


def test_an_update_has_no_rows_to_show(canned: Canned, connection: TrinoConnection) -> None:
    canned.page(POST, "/p1", updateType="INSERT")
    canned.page("GET /p1", updateType="INSERT", updateCount=3, columns=[BIGINT], data=[[3]])
    result = connection.execute("INSERT")
    assert (len(result.schema), list(result)) == (0, [])
    assert canned.requests() == [POST, "GET /p1"]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_page_is_asked_for_again(canned: Canned, connection: TrinoConnection, status: int) -> None:
    canned.page(POST, "/p1", columns=[BIGINT])
    canned.say("GET /p1", b"busy", status, {"Retry-After": "0"})
    canned.page("GET /p1", columns=[BIGINT], data=[[7]])
    assert rows(connection) == [{"n": 7}]
    assert canned.requests().count("GET /p1") == 2


@pytest.mark.parametrize(("status", "times"), [(429, 2), (503, 2), (502, 1), (504, 1), (500, 1)])
def test_a_statement_is_sent_again_only_when_nothing_was_done(
    canned: Canned, connection: TrinoConnection, status: int, times: int
) -> None:
    canned.say(POST, b"busy", status)
    canned.page(POST, columns=[BIGINT], data=[[7]])
    if times == 2:
        assert rows(connection) == [{"n": 7}]
    else:
        with pytest.raises(ExternalError, match=f"status {status}"):
            rows(connection)
    assert canned.requests() == [POST] * times


def test_patience_ends(canned: Canned, connection: TrinoConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_requests, "PATIENCE_SECS", 0.0)
    canned.say(POST, b"too many", 429)
    with pytest.raises(SqeError, match="too many") as raised:
        rows(connection)
    assert kind_of(raised.value) is ErrorKind.EXHAUSTED


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:1/p", "https://{host}/p", "http://user@{host}/p", "http://example.com/p", "file:///x", "//x/p"],
)
def test_another_server_is_not_asked(canned: Canned, connection: TrinoConnection, address: str) -> None:
    host = canned.origin.removeprefix("http://")
    canned.say(POST, {"id": "q1", "stats": {}, "nextUri": address.format(host=host)})
    with pytest.raises(ExternalError, match="another address"):
        rows(connection)
    assert canned.requests() == [POST]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(canned: Canned, connection: TrinoConnection, status: int) -> None:
    canned.say(POST, b"", status, {"Location": f"{canned.origin}/elsewhere"})
    with pytest.raises(ExternalError, match="not followed"):
        rows(connection)
    assert canned.requests() == [POST]


def column(raw: Any, arguments: Any = ()) -> dict[str, Any]:
    return {"name": "x", "type": "x", "typeSignature": {"rawType": raw, "arguments": arguments}}


def _deep(levels: int) -> dict[str, Any]:
    signature: dict[str, Any] = {"rawType": "bigint", "arguments": []}
    for _ in range(levels):
        signature = {"rawType": "array", "arguments": [{"kind": "TYPE", "value": signature}]}
    return {"name": "x", "type": "x", "typeSignature": signature}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00\xff{{",
        b"<html>welcome</html>",
        b"[1]",
        {"id": "q1", "nextUri": 7},
        {"id": "q1", "nextUri": "http://[::"},
        {"id": "q1", "columns": 5},
        {"id": "q1", "columns": [5]},
        {"id": "q1", "columns": [{"name": 1}]},
        {"id": "q1", "columns": [{"name": "x"}]},
        {"id": "q1", "columns": [column(5)]},
        {"id": "q1", "columns": [column("array", [])]},
        {"id": "q1", "columns": [column("map", [5])]},
        {"id": "q1", "columns": [column("row", [{"value": 5}])]},
        {"id": "q1", "columns": [_deep(100)]},
        {"id": "q1", "data": [[1]]},
        {"id": "q1", "columns": [BIGINT], "data": "rows"},
        {"id": "q1", "columns": [BIGINT], "data": [1]},
        {"id": "q1", "columns": [BIGINT], "data": [[1, 2]]},
        {"id": "q1", "columns": [BIGINT], "data": [["x"]]},
        {"id": "q1", "columns": [BIGINT], "data": [[2**80]]},
        {"id": "q1", "columns": [column("date")], "data": [["today"]]},
        {"id": "q1", "columns": [column("timestamp with time zone")], "data": [["2024-01-01 00:00:00"]]},
        {"id": "q1", "columns": [column("varbinary")], "data": [["%%"]]},
        {"id": "q1", "columns": [column("interval day to second")], "data": [["long"]]},
        {"id": "q1", "columns": [column("decimal", [{"value": 5}, {"value": 1}])], "data": [["abc"]]},
    ],
)
def test_garbage(canned: Canned, connection: TrinoConnection, body: Any) -> None:
    canned.say(POST, body)
    with pytest.raises(ExternalError, match="not understood"):
        rows(connection)


def test_what_is_said_in_passing_may_be_anything(canned: Canned, connection: TrinoConnection) -> None:
    body = {"id": {"x": 1}, "stats": [1], "warnings": 5, "columns": [BIGINT], "data": [[1]], "infoUri": 7}
    canned.say(POST, body)
    assert rows(connection) == [{"n": 1}]
    assert connection.progress() is None


def test_an_answer_without_end(canned: Canned, connection: TrinoConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_requests, "MAX_ANSWER_BYTES", 1000)
    canned.say(POST, b"x" * 5000)
    with pytest.raises(ExternalError, match="too long"):
        rows(connection)


def test_an_error_of_ours_keeps_its_parts(canned: Canned, connection: TrinoConnection) -> None:
    error = SqlSyntaxError("bad", hint="do it well", position=Position(2, 3, 4), condition="C")
    canned.page(POST, error={"message": "line 2:3: bad (do it well)"}, headers=dict([error_header(error, "q1")]))
    with pytest.raises(SqeError) as raised:
        rows(connection)
    got = raised.value
    assert (got.message, got.hint, got.position, code_of(got)) == (
        "bad",
        "do it well",
        Position(2, 3, 4),
        "SYNTAX_ERROR",
    )
    assert got.query_id == "q1"


def test_an_error_of_trinos(canned: Canned, connection: TrinoConnection) -> None:
    error = {
        "message": "line 1:8: Column 'x' cannot be resolved",
        "errorName": "COLUMN_NOT_FOUND",
        "errorType": "USER_ERROR",
        "errorLocation": {"lineNumber": 1, "columnNumber": 8},
    }
    canned.page(POST, error=error)
    with pytest.raises(SqeError) as raised:
        rows(connection)
    assert raised.value.message == "Column 'x' cannot be resolved"
    assert raised.value.position == Position(1, 8)
    assert kind_of(raised.value) is ErrorKind.NOT_FOUND


@pytest.mark.parametrize("header", ["{", "[]", "null", '{"kind": "nonsense"}', '{"position": 5}'])
def test_an_error_header_that_makes_no_sense(canned: Canned, connection: TrinoConnection, header: str) -> None:
    canned.page(POST, error={"message": "it failed", "errorType": "USER_ERROR"}, headers={ERROR_HEADER: header})
    with pytest.raises(SqeError):
        rows(connection)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, ErrorKind.USER), (401, ErrorKind.UNAUTHENTICATED), (403, ErrorKind.DENIED), (500, ErrorKind.EXTERNAL)],
)
def test_refusals(canned: Canned, connection: TrinoConnection, status: int, kind: ErrorKind) -> None:
    canned.say(POST, b"because of this", status)
    with pytest.raises(SqeError, match="because of this") as raised:
        rows(connection)
    assert kind_of(raised.value) is kind
    assert "secret-1" not in str(raised.value) + repr(raised.value)


def test_a_server_that_says_what_is_away_is_not_asked_again(canned: Canned, connection: TrinoConnection) -> None:
    canned.say(POST, b"away", 503, dict([error_header(ExternalError("the identity provider is away"), "")]))
    with pytest.raises(SqeError, match="identity provider"):
        rows(connection)
    assert canned.requests() == [POST]


def test_state_goes_along(canned: Canned, connection: TrinoConnection) -> None:
    canned.say(POST, {"id": "q"}, headers={"X-Trino-Set-Catalog": "lake", "X-Trino-Set-Session": "a=1%2C2"})
    canned.say(POST, {"id": "q"}, headers={"X-Trino-Added-Prepare": "p=SELECT+1", "X-Trino-Set-Schema": "ns"})
    canned.say(POST, {"id": "q"}, headers={"X-Trino-Clear-Session": "a", "X-Trino-Deallocated-Prepare": "p"})
    canned.say(POST, {"id": "q"})
    for _ in range(4):
        connection.execute("SELECT 1")
    assert canned.headers(1, "x-trino-catalog") == ["lake"]
    assert canned.headers(1, "x-trino-session") == ["a=1%2C2"]
    assert canned.headers(2, "x-trino-schema") == ["ns"]
    assert canned.headers(2, "x-trino-prepared-statement") == ["p=SELECT+1"]
    assert canned.headers(3, "x-trino-catalog") == ["lake"]
    assert canned.headers(3, "x-trino-session") == canned.headers(3, "x-trino-prepared-statement") == []


def test_names_come_back_as_they_were_sent() -> None:
    state = ClientState()
    state.update([(b"X-Trino-Set-Catalog", "größe".encode())])
    assert (b"x-trino-catalog", "größe".encode()) in state.headers()


def _in_thread(work: Callable[[], object]) -> tuple[threading.Thread, list[BaseException]]:
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            failures.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    return thread, failures


def test_cancel_from_another_thread(canned: Canned, connection: TrinoConnection) -> None:
    canned.hold.clear()
    canned.page(POST, "/p1")
    canned.page("GET /p1", error={"message": "canceled", "errorName": "USER_CANCELED", "errorType": "USER_ERROR"})
    canned.say("DELETE /p1", b"", 204)
    thread, failures = _in_thread(lambda: rows(connection))
    while "GET /p1" not in canned.requests():
        thread.join(0.01)
    connection.cancel()
    canned.hold.set()
    thread.join(10)
    assert [type(failure) for failure in failures] == [CanceledError]
    assert "DELETE /p1" in canned.requests()


def test_a_result_that_is_left_is_canceled(canned: Canned, connection: TrinoConnection) -> None:
    canned.page(POST, "/p1", columns=[BIGINT], data=[[1]])
    canned.say("DELETE /p1", b"", 204)
    connection.execute("SELECT n").close()
    assert canned.requests() == [POST, "DELETE /p1"]


def test_nobody_there() -> None:
    connection = TrinoConnection("http://127.0.0.1:1")
    with pytest.raises(EngineUnavailableError, match="no server answers"):
        connection.execute("SELECT 1")
    connection.close()


def test_a_statement_that_is_no_text(connection: TrinoConnection) -> None:
    with pytest.raises(UserError, match="Unicode"):
        connection.execute("SELECT '\ud800'")


@pytest.mark.parametrize(
    ("told", "zone"), [("Europe/Berlin", "Europe/Berlin"), (":UTC", "UTC"), ("CET-1CEST,M3", ""), ("a\nb", "")]
)
def test_the_time_zone_of_the_environment(told: str, zone: str) -> None:
    assert local_zone({"TZ": told}) == zone


def test_the_time_zone_of_the_machine(tmp_path: Path) -> None:
    target = tmp_path / "zoneinfo" / "Asia" / "Tokyo"
    target.parent.mkdir(parents=True)
    target.touch()
    (tmp_path / "localtime").symlink_to(target)
    assert local_zone({}, tmp_path / "localtime") == "Asia/Tokyo"
    assert local_zone({}, tmp_path / "nothing") == ""
