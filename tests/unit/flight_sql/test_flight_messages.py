from __future__ import annotations

import pytest
from google.protobuf import any_pb2

from sqe.core.errors import UserError
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
    for url in ("arrow.flight.protocol.sql.CommandGetMoons", "evil.CommandGetTables", "CommandGetTables", ""):
        envelope = any_pb2.Any(type_url=f"type.googleapis.com/{url}", value=b"x")
        assert messages.unpack(envelope.SerializeToString()) == (url.rpartition(".")[2], None)


def test_garbage_is_refused() -> None:
    with pytest.raises(UserError):
        messages.unpack(b"\xff\xfe garbage")
