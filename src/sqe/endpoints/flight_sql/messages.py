"""The Flight SQL messages we speak, built from descriptors at run time.

Names and field numbers are those of Arrow's protocol. A field that is a message of its own there is bytes here where
we only pass it on: both look the same on the wire.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "arrow.flight.protocol.sql"
_FIELD = descriptor_pb2.FieldDescriptorProto
_STRING, _BYTES, _INT64, _ENUM_AS_INT = (
    _FIELD.TYPE_STRING,
    _FIELD.TYPE_BYTES,
    _FIELD.TYPE_INT64,
    _FIELD.TYPE_INT32,
)

_MESSAGES: dict[str, tuple[tuple[str, int, _FIELD.Type.ValueType], ...]] = {
    "CommandStatementQuery": (("query", 1, _STRING), ("transaction_id", 2, _BYTES)),
    "CommandStatementUpdate": (("query", 1, _STRING), ("transaction_id", 2, _BYTES)),
    "TicketStatementQuery": (("statement_handle", 1, _BYTES),),
    "DoPutUpdateResult": (("record_count", 1, _INT64),),
    # These two are of Flight itself, not of Flight SQL; they are never packed, so the package does not show.
    "CancelFlightInfoRequest": (("info", 1, _BYTES),),
    "CancelFlightInfoResult": (("status", 1, _ENUM_AS_INT),),
}

#: `CancelStatus` of Flight.
CANCELLED, NOT_CANCELLABLE = 1, 3


def _build() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="sqe/flight_sql.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            message.field.add(name=field, number=number, type=kind, label=_FIELD.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    found = pool.FindFileByName(file.name).message_types_by_name
    return {name: message_factory.GetMessageClass(found[name]) for name in _MESSAGES}


_CLASSES = _build()


def message(name: str, **fields: object) -> Any:  # noqa: ANN401 - classes made at run time have no types
    """A message of this name."""
    return _CLASSES[name](**fields)


def parse(name: str, data: bytes) -> Any:  # noqa: ANN401 - classes made at run time have no types
    """A message of this name from its bytes. Raises `google.protobuf.message.DecodeError`."""
    made = _CLASSES[name]()
    made.ParseFromString(data)
    return made


def pack(name: str, **fields: object) -> bytes:
    """A message inside an `Any`, as commands and tickets are sent."""
    envelope = any_pb2.Any()
    envelope.Pack(message(name, **fields))
    return envelope.SerializeToString()


def unpack(data: bytes) -> tuple[str, Any]:
    """The name and the message inside an `Any`; the message is None when the name is unknown."""
    envelope = any_pb2.Any()
    envelope.ParseFromString(data)
    name = envelope.type_url.rsplit(".", 1)[-1]
    return name, parse(name, envelope.value) if name in _CLASSES else None
