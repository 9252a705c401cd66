"""Commands and actions on the wire, against a made-up engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import any_pb2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import flight

from sqe.core.errors import (
    CanceledError,
    DeniedError,
    ExternalError,
    InternalError,
    NotFoundError,
    NotSupportedError,
    QueryTimeoutError,
    SqeError,
    TooManyRequestsError,
    UserError,
)
from sqe.endpoints.flight_sql import messages, metadata, sql_info
from sqe.endpoints.flight_sql.client import FlightConnection
from sqe.sql.functions.table import function_table

from .flight_fakes import Served, call, served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path, guarded=False) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[flight.FlightClient]:
    with server.client() as made:
        yield made


OPTIONS = call(x_sqe_session="one")


def described(name: str, **fields: Any) -> flight.FlightDescriptor:
    return flight.FlightDescriptor.for_command(messages.pack(name, **fields))


def listed(client: flight.FlightClient, name: str, **fields: Any) -> pa.Table:
    """The rows of a listing, which must have the columns that were promised."""
    info = client.get_flight_info(described(name, **fields), OPTIONS)
    table = client.do_get(info.endpoints[0].ticket, OPTIONS).read_all()
    # The stubs say Schema.
    told: Any = client.get_schema(described(name, **fields), OPTIONS)
    assert info.schema == table.schema == told.schema
    return table


def acted(client: flight.FlightClient, name: str, body: bytes = b"") -> list[bytes]:
    return [answer.body.to_pybytes() for answer in client.do_action(flight.Action(name, body), OPTIONS)]


def put(client: flight.FlightClient, command: bytes, table: pa.Table | None = None) -> bytes:
    """Send rows; answers the metadata that comes back."""
    schema = pa.schema([]) if table is None else table.schema
    writer, reader = client.do_put(flight.FlightDescriptor.for_command(command), schema, OPTIONS)
    answers: Any = reader
    with writer:
        if table is not None:
            writer.write_table(table)
        writer.done_writing()
        answer = answers.read()
    return bytes(answer.to_pybytes())


# --- metadata ---


def test_catalogs_schemas_and_tables(client: flight.FlightClient) -> None:
    assert listed(client, "CommandGetCatalogs").to_pylist() == [{"catalog_name": "lake"}, {"catalog_name": "system"}]
    schemas = listed(client, "CommandGetDbSchemas", catalog="lake", db_schema_filter_pattern="m%")
    assert schemas.to_pylist() == [{"catalog_name": "lake", "db_schema_name": "main"}]
    tables = listed(client, "CommandGetTables")
    assert tables.column("table_name").to_pylist() == ["order_view", "orders"]
    assert tables.column("table_type").to_pylist() == ["VIEW", "TABLE"]


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"table_name_filter_pattern": "orders"}, ["orders"]),
        ({"table_name_filter_pattern": "order%"}, ["order_view", "orders"]),
        ({"table_name_filter_pattern": "order\\_%"}, ["order_view"]),
        ({"table_name_filter_pattern": "o_ders"}, ["orders"]),
        ({"table_name_filter_pattern": "ORDERS"}, []),
        ({"table_name_filter_pattern": ""}, []),
        ({"table_types": ["VIEW"]}, ["order_view"]),
        ({"table_types": ["VIEW", "TABLE"]}, ["order_view", "orders"]),
        ({"table_types": ["SYSTEM TABLE"]}, []),
        ({"catalog": ""}, []),
        ({"catalog": "nowhere"}, []),
        ({"db_schema_filter_pattern": "other"}, []),
    ],
)
@pytest.mark.parametrize("include_schema", [False, True])
def test_filters_of_tables(
    client: flight.FlightClient, fields: dict[str, Any], names: list[str], include_schema: bool
) -> None:
    found = listed(client, "CommandGetTables", include_schema=include_schema, **fields)
    assert found.column("table_name").to_pylist() == names
    for encoded in found.column("table_schema").to_pylist() if include_schema else []:
        schema = pa.ipc.read_schema(pa.py_buffer(encoded or b""))
        assert schema.names == ["id", "tags"]
        assert schema.field("tags").type == pa.list_(
            pa.field("element", pa.struct([("a", pa.int32()), ("b", pa.utf8())]))
        )
        assert not schema.field("id").nullable
        assert (schema.field("id").metadata or {})[b"ARROW:FLIGHT:SQL:TYPE_NAME"] == b"bigint"


@pytest.mark.parametrize(
    "name", ["CommandGetPrimaryKeys", "CommandGetExportedKeys", "CommandGetImportedKeys", "CommandGetCrossReference"]
)
def test_there_are_no_keys(client: flight.FlightClient, name: str) -> None:
    assert listed(client, name).num_rows == 0


def test_types_are_ordered_and_can_be_asked_for(client: flight.FlightClient) -> None:
    every = listed(client, "CommandGetXdbcTypeInfo").to_pylist()
    assert [row["data_type"] for row in every] == sorted(row["data_type"] for row in every)
    assert [row["type_name"] for row in listed(client, "CommandGetXdbcTypeInfo", data_type=-5).to_pylist()] == [
        "bigint"
    ]
    assert listed(client, "CommandGetXdbcTypeInfo", data_type=77).num_rows == 0


def test_the_schemas_are_the_protocols() -> None:
    assert str(sql_info.SCHEMA.field("info_name").type) == "uint32"
    union = sql_info.SCHEMA.field("value").type
    assert [union.field(number).name for number in range(union.num_fields)] == [
        "string_value", "bool_value", "bigint_value", "int32_bitmask", "string_list", "int32_to_int32_list_map",
    ]  # fmt: skip
    assert union.mode == "dense"
    assert not sql_info.SCHEMA.field("value").nullable
    assert [field.nullable for field in metadata.TABLES] == [True, True, False, False]
    assert metadata.FOREIGN_KEYS.field("update_rule").type == pa.uint8()
    assert len(metadata.FOREIGN_KEYS) == 13
    assert len(metadata.TYPES) == 19


def test_sql_info(client: flight.FlightClient) -> None:
    every = listed(client, "CommandGetSqlInfo")
    assert set(every.column("info_name").to_pylist()) >= {*range(12), 100, 101, *range(500, 577)}
    few = listed(client, "CommandGetSqlInfo", info=[557, 0, 4, 99999, 8])
    assert dict(zip(few.column("info_name").to_pylist(), few.column("value").to_pylist(), strict=True)) == {
        0: "SQE", 4: True, 8: 0, 557: 1000,
    }  # fmt: skip


def test_the_functions_in_sql_info_exist() -> None:
    known = {name.lower() for name in function_table().names}
    told = [*sql_info.NUMERIC_FUNCTIONS, *sql_info.STRING_FUNCTIONS, *sql_info.DATETIME_FUNCTIONS]
    assert [name for name in [*told, *sql_info.SYSTEM_FUNCTIONS] if name not in known] == []


# --- statements ---


class _Trailers(flight.ClientMiddlewareFactory):
    """Notes the ids of queries that calls bring back."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def start_call(self, info: flight.CallInfo) -> flight.ClientMiddleware:
        del info
        outer = self

        class Reader(flight.ClientMiddleware):
            def received_headers(self, headers: Any) -> None:
                outer.found.extend(headers.get("x-sqe-query-id", []))

        return Reader()


def test_calls_bring_back_the_ids_of_their_queries(server: Served) -> None:
    trailers = _Trailers()
    with server.client(middleware=[trailers]) as client:
        info = client.get_flight_info(described("CommandStatementQuery", query="SELECT 1"), OPTIONS)
        put(client, messages.pack("CommandStatementUpdate", query="DELETE FROM t"))
    assert len(trailers.found) == 2
    assert info.app_metadata == trailers.found[0].encode()


def test_a_query_tells_its_id(client: flight.FlightClient, server: Served) -> None:
    info = client.get_flight_info(described("CommandStatementQuery", query="SELECT 1"), OPTIONS)
    (query,) = server.pipeline.tracker.running()
    assert info.app_metadata == query.id.encode()


def test_no_rows_keep_their_schema(client: flight.FlightClient) -> None:
    info = client.get_flight_info(described("CommandStatementQuery", query="EMPTY"), OPTIONS)
    assert client.do_get(info.endpoints[0].ticket, OPTIONS).read_all().schema.names == ["n"]


def test_update(client: flight.FlightClient, server: Served) -> None:
    answer = put(client, messages.pack("CommandStatementUpdate", query="DELETE FROM t"))
    # Not -1: Arrow's JDBC driver would run the statement again.
    assert messages.parse("DoPutUpdateResult", answer).record_count == 0
    assert server.pipeline.ran == ["DELETE FROM t"]


def test_prepared_statement_with_parameters(client: flight.FlightClient, server: Served) -> None:
    request = messages.pack("ActionCreatePreparedStatementRequest", query="SELECT ? + ?")
    (answer,) = acted(client, "CreatePreparedStatement", request)
    _, result = messages.unpack(answer)
    assert pa.ipc.read_schema(pa.py_buffer(result.dataset_schema)).names == ["n"]
    assert pa.ipc.read_schema(pa.py_buffer(result.parameter_schema)).names == ["parameter_1", "parameter_2"]
    handle = {"prepared_statement_handle": result.prepared_statement_handle}
    bound = put(client, messages.pack("CommandPreparedStatementQuery", **handle), pa.table({"a": [1], "b": ["it's"]}))
    # Java's client uses what comes back, also when nothing does.
    assert messages.parse("DoPutPreparedStatementResult", bound) == messages.message(
        "DoPutPreparedStatementResult", **handle
    )
    info = client.get_flight_info(described("CommandPreparedStatementQuery", **handle), OPTIONS)
    client.do_get(info.endpoints[0].ticket, OPTIONS).read_all()
    assert server.pipeline.ran == ["EXECUTE IMMEDIATE 'SELECT ? + ?' USING 1, 'it''s'"]
    put(client, messages.pack("CommandPreparedStatementQuery", **handle), pa.table({"a": [1, 2], "b": ["x", "y"]}))
    with pytest.raises(pa.ArrowNotImplementedError, match="one row"):
        client.get_flight_info(described("CommandPreparedStatementQuery", **handle), OPTIONS)
    acted(client, "ClosePreparedStatement", messages.pack("ActionClosePreparedStatementRequest", **handle))
    with pytest.raises(pa.ArrowKeyError, match="no such prepared statement"):
        client.get_flight_info(described("CommandPreparedStatementQuery", **handle), OPTIONS)


def prepared(client: flight.FlightClient, sql: str) -> bytes:
    (answer,) = acted(
        client, "CreatePreparedStatement", messages.pack("ActionCreatePreparedStatementRequest", query=sql)
    )
    return bytes(messages.unpack(answer)[1].prepared_statement_handle)


def test_a_plain_insert_takes_all_rows_at_once(client: flight.FlightClient, server: Served) -> None:
    handle = prepared(client, 'insert into lake.main."T" (a, b) values (?, ?)')
    command = messages.pack("CommandPreparedStatementUpdate", prepared_statement_handle=handle)
    # Names of columns that no table could have.
    rows = pa.Table.from_arrays([pa.array([1, 2, 3]), pa.array(["x", None, "z"])], names=["", ""])
    assert messages.parse("DoPutUpdateResult", put(client, command, rows)).record_count == 3
    assert server.pipeline.ran == ['insert into lake.main."T" (a, b) SELECT "p0", "p1" FROM system.upload.rows']
    assert server.pipeline.uploaded[0].to_pydict() == {"p0": [1, 2, 3], "p1": ["x", None, "z"]}


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        ("INSERT INTO orders (id) VALUES (?)", ["int64"]),
        ("INSERT INTO lake.main.orders VALUES (?, ?)", ["int64", "list<element: struct<a: int32, b: string>>"]),
        ("INSERT INTO orders (id) VALUES (?, ?)", ["string", "string"]),
        ("SELECT ?", ["string"]),
        ("SELECT id FROM orders o WHERE o.id = ? AND ? < id AND x = ? LIMIT ?", ["int64", "int64", "string", "int64"]),
        ("DELETE FROM orders WHERE id IN (?, ?)", ["int64", "int64"]),
        ("SELECT 1", []),
    ],
)
def test_types_of_parameters(client: flight.FlightClient, sql: str, kinds: list[str]) -> None:
    request = messages.pack("ActionCreatePreparedStatementRequest", query=sql)
    (answer,) = acted(client, "CreatePreparedStatement", request)
    told = pa.ipc.read_schema(pa.py_buffer(messages.unpack(answer)[1].parameter_schema))
    assert [str(field.type) for field in told] == kinds


def test_another_update_runs_once_for_each_row(client: flight.FlightClient, server: Served) -> None:
    handle = prepared(client, "DELETE FROM t WHERE a = ?")
    put(
        client,
        messages.pack("CommandPreparedStatementUpdate", prepared_statement_handle=handle),
        pa.table({"a": [1, 2]}),
    )
    assert server.pipeline.ran == [f"EXECUTE IMMEDIATE 'DELETE FROM t WHERE a = ?' USING {number}" for number in (1, 2)]


def test_a_handle_is_of_no_use_in_another_session(client: flight.FlightClient) -> None:
    handle = prepared(client, "SELECT 1")
    with pytest.raises(pa.ArrowKeyError):
        client.get_flight_info(
            described("CommandPreparedStatementQuery", prepared_statement_handle=handle), call(x_sqe_session="two")
        )


def test_ingest_leaves_no_file(client: flight.FlightClient, server: Served, tmp_path: Path) -> None:
    options = messages.message("TableDefinitionOptions", if_not_exist=2, if_exists=2)
    command = messages.pack("CommandStatementIngest", table='od"d', table_definition_options=options)
    answer = put(client, command, pa.table({"a": [1, 2]}))
    assert messages.parse("DoPutUpdateResult", answer).record_count == 2
    assert server.pipeline.ran == ['INSERT INTO "od""d" ("a") SELECT "a" FROM system.upload.rows']
    server.pipeline.failure = UserError("no")
    with pytest.raises(pa.ArrowInvalid, match="no"):
        put(client, command, pa.table({"a": [1, 2]}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fields", "rows", "error"),
    [
        ({"table": "t", "temporary": True}, {"a": [1]}, pa.ArrowNotImplementedError),
        ({"table": ""}, {"a": [1]}, pa.ArrowInvalid),
        ({"table": "t", "transaction_id": b"x"}, {"a": [1]}, pa.ArrowNotImplementedError),
        ({"table": "t"}, {"a": [1], "A": [1]}, pa.ArrowInvalid),
        ({"table": "t"}, {"a": pa.array([1], pa.duration("s"))}, pa.ArrowNotImplementedError),
        ({"table": "t"}, {"a": pa.array([1], pa.timestamp("ns"))}, pa.ArrowInvalid),
        ({"table": "t", "table_definition_options": messages.message("TableDefinitionOptions")}, {"a": [1]},
         pa.ArrowNotImplementedError),
    ],
)  # fmt: skip
def test_ingest_that_is_refused(
    client: flight.FlightClient, server: Served, fields: dict[str, Any], rows: dict[str, Any], error: type[Exception]
) -> None:
    options = messages.message("TableDefinitionOptions", if_not_exist=1, if_exists=1)
    command = messages.pack("CommandStatementIngest", **({"table_definition_options": options} | fields))
    with pytest.raises(error):
        put(client, command, pa.table(rows))
    assert server.pipeline.ran == []


@pytest.mark.parametrize("name", ["BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint"])
def test_transactions_are_refused(client: flight.FlightClient, name: str) -> None:
    with pytest.raises(pa.ArrowNotImplementedError, match="no transactions"):
        acted(client, name)


def test_a_statement_in_a_transaction_is_refused(client: flight.FlightClient, server: Served) -> None:
    with pytest.raises(pa.ArrowNotImplementedError, match="no transactions"):
        client.get_flight_info(described("CommandStatementQuery", query="SELECT 1", transaction_id=b"t"), OPTIONS)
    assert server.pipeline.ran == []


@pytest.mark.parametrize("name", ["CancelFlightInfo", "CancelQuery"])
def test_cancel(client: flight.FlightClient, server: Served, name: str) -> None:
    info = client.get_flight_info(described("CommandStatementQuery", query="SELECT 1"), OPTIONS).serialize()
    if name == "CancelQuery":
        (answer,) = acted(client, name, messages.pack("ActionCancelQueryRequest", info=info))
        assert messages.unpack(answer)[1].result == messages.CANCELLED
    else:
        request = messages.message("CancelFlightInfoRequest", info=info).SerializeToString()
        (answer,) = acted(client, name, request)
        assert messages.parse("CancelFlightInfoResult", answer).status == messages.CANCELLED
    (query,) = server.pipeline.tracker.running()
    with pytest.raises(CanceledError):
        query.refuse_if_stopped()


def test_renew(client: flight.FlightClient) -> None:
    endpoint = client.get_flight_info(described("CommandStatementQuery", query="SELECT 1"), OPTIONS).endpoints[0]
    request = messages.message("RenewFlightEndpointRequest", endpoint=endpoint.serialize()).SerializeToString()
    (answer,) = acted(client, "RenewFlightEndpoint", request)
    again = flight.FlightEndpoint.deserialize(answer)
    assert client.do_get(again.ticket, OPTIONS).read_all().num_rows == 3
    with pytest.raises(pa.ArrowKeyError):
        acted(client, "RenewFlightEndpoint", request)


def test_session_options(client: flight.FlightClient, server: Served) -> None:
    def option(key: str, **value: Any) -> Any:
        return messages.message("SessionOption", key=key, value=messages.message("SessionOptionValue", **value))

    request = messages.message(
        "SetSessionOptionsRequest",
        session_options=[
            option("catalog", string_value="lake"), option("schema", string_value="other"),
            option("time_zone", string_value="Europe/Berlin"), option("moon", string_value="full"),
        ],
    ).SerializeToString()  # fmt: skip
    (answer,) = acted(client, "SetSessionOptions", request)
    errors = messages.parse("SetSessionOptionsResult", answer).errors
    assert {entry.key: entry.value.value for entry in errors} == {"moon": messages.INVALID_NAME}
    assert server.pipeline.ran == ["SET TIME ZONE 'Europe/Berlin'"]
    (answer,) = acted(client, "GetSessionOptions")
    found = messages.parse("GetSessionOptionsResult", answer).session_options
    assert {entry.key: entry.value.string_value for entry in found} == {
        "catalog": "lake", "schema": "other", "time_zone": "UTC",
    }  # fmt: skip
    wrong = [option("catalog", string_value="nowhere"), option("time_zone", int64_value=3)]
    request = messages.message("SetSessionOptionsRequest", session_options=wrong).SerializeToString()
    errors = messages.parse("SetSessionOptionsResult", acted(client, "SetSessionOptions", request)[0]).errors
    assert {entry.key for entry in errors} == {"catalog", "time_zone"}
    assert {entry.value.value for entry in errors} == {messages.INVALID_VALUE}


# --- errors ---


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (UserError("m"), pa.ArrowInvalid),
        (NotFoundError("m"), pa.ArrowKeyError),
        (NotSupportedError("m"), pa.ArrowNotImplementedError),
        (DeniedError("m"), flight.FlightUnauthorizedError),
        (ExternalError("m"), flight.FlightUnavailableError),
        (TooManyRequestsError("m"), flight.FlightUnavailableError),
        (QueryTimeoutError("m"), flight.FlightTimedOutError),
        (CanceledError("m"), flight.FlightCancelledError),
        (InternalError("m"), flight.FlightInternalError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_status_by_kind(
    server: Served, client: flight.FlightClient, failure: SqeError, status: type[Exception]
) -> None:
    server.pipeline.failure = failure
    with pytest.raises(status) as raised:
        client.get_flight_info(described("CommandStatementQuery", query="SELECT 1"), OPTIONS)
    assert "Traceback" not in str(raised.value)
    assert ".py" not in str(raised.value)


def test_our_client_gets_the_whole_error(server: Served) -> None:
    connection = FlightConnection(server.location)
    try:
        with pytest.raises(SqeError) as raised:
            connection.execute("syntax")
        assert raised.value.to_dict()["code"] == "SYNTAX_ERROR"
        assert raised.value.hint == "mend it"
        result = connection.execute("BREAK")
        with pytest.raises(SqeError) as broken:
            list(result)
        assert (broken.value.message, broken.value.query_id) == ("the third row is bad", result.query_id)
    finally:
        connection.close()


def test_a_long_message_does_not_break_the_call(server: Served, client: flight.FlightClient) -> None:
    server.pipeline.failure = UserError("ü" * 100_000, hint="x" * 100_000)
    with pytest.raises(pa.ArrowInvalid, match="üü"):
        client.get_flight_info(described("CommandStatementQuery", query="SELECT 1"), OPTIONS)


# --- bad input ---


@pytest.mark.parametrize("data", [b"", b"\xff\xff", b"x" * 5000, messages.pack("TicketStatementQuery")])
def test_commands_that_are_none(client: flight.FlightClient, data: bytes) -> None:
    refusals = (pa.ArrowInvalid, pa.ArrowNotImplementedError)
    descriptor = flight.FlightDescriptor.for_command(data)
    with pytest.raises(refusals):
        client.get_flight_info(descriptor, OPTIONS)
    with pytest.raises(refusals):
        client.get_schema(descriptor, OPTIONS)
    with pytest.raises(refusals):
        put(client, data)
    if data != messages.pack("TicketStatementQuery"):
        with pytest.raises(refusals):
            client.do_get(flight.Ticket(data), OPTIONS).read_all()
    with pytest.raises(refusals):
        client.get_flight_info(flight.FlightDescriptor.for_path("a", "b"), OPTIONS)


@pytest.mark.parametrize("name", ["", "nothing", "x" * 1000, "createpreparedstatement"])
def test_unknown_actions(client: flight.FlightClient, name: str) -> None:
    with pytest.raises(pa.ArrowNotImplementedError, match="no action"):
        acted(client, name)


def test_oversized_headers_are_refused_and_the_server_goes_on(client: flight.FlightClient) -> None:
    with pytest.raises((flight.FlightError, pa.ArrowException)):
        client.list_actions(call(x_sqe_session="x" * 200_000))
    assert client.list_actions(OPTIONS)


def test_the_actions_are_listed(client: flight.FlightClient) -> None:
    names = {action.type for action in client.list_actions(OPTIONS)}
    assert names >= {"CreatePreparedStatement", "SetSessionOptions", "CancelFlightInfo", "sqe.progress", "sqe.status"}
    assert json.loads(acted(client, "sqe.status")[0]) == {}


NAMES = sorted([*metadata.LISTINGS, "CommandStatementQuery", "CommandPreparedStatementQuery", "CommandStatementIngest"])
BODIES = st.binary(max_size=200) | st.builds(
    lambda name, value: any_pb2.Any(type_url=f"x/arrow.flight.protocol.sql.{name}", value=value).SerializeToString(),
    st.sampled_from(NAMES),
    st.binary(max_size=60),
)
ACTIONS = [
    "CancelFlightInfo", "CancelQuery", "RenewFlightEndpoint", "CreatePreparedStatement", "ClosePreparedStatement",
    "SetSessionOptions", "GetSessionOptions", "CloseSession",
]  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=BODIES)
def test_whatever_comes_is_decoded_or_refused(data: bytes) -> None:
    try:
        name, command = messages.unpack(data)
    except UserError:
        return
    assert isinstance(name, str)
    assert command is None or command.DESCRIPTOR.name == name


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=BODIES, action=st.sampled_from(ACTIONS))
def test_whatever_comes_gets_a_clean_answer(client: flight.FlightClient, data: bytes, action: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: client.get_flight_info(flight.FlightDescriptor.for_command(data), OPTIONS),
        lambda: client.do_get(flight.Ticket(data), OPTIONS).read_all(),
        lambda: acted(client, action, data),
    ]
    assert [said for said in map(refusal, calls) if "Traceback" in said] == []


def refusal(attempt: Callable[[], object]) -> str:
    """What a call is refused with; any other error than these is a fault."""
    try:
        attempt()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowKeyError) as error:
        return str(error)
    return ""
