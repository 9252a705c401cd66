from __future__ import annotations

import pytest
from google.protobuf import any_pb2
from google.protobuf.message import DecodeError

from sqe.endpoints.flight_sql import messages


def test_command_has_the_protocols_bytes() -> None:
    envelope = any_pb2.Any()
    envelope.ParseFromString(messages.pack("CommandStatementQuery", query="SELECT 1"))
    assert envelope.type_url == "type.googleapis.com/arrow.flight.protocol.sql.CommandStatementQuery"
    # Field 1, a string of eight bytes.
    assert envelope.value == b"\x0a\x08SELECT 1"


def test_round_trip() -> None:
    name, message = messages.unpack(messages.pack("TicketStatementQuery", statement_handle=b"\x00q"))
    assert name == "TicketStatementQuery"
    assert message.statement_handle == b"\x00q"


def test_unknown_message_has_a_name_and_no_body() -> None:
    envelope = any_pb2.Any(type_url="type.googleapis.com/arrow.flight.protocol.sql.CommandGetTables", value=b"x")
    assert messages.unpack(envelope.SerializeToString()) == ("CommandGetTables", None)


def test_garbage_is_refused() -> None:
    with pytest.raises(DecodeError):
        messages.unpack(b"\xff\xfe garbage")
