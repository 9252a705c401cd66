"""The messages of Flight SQL, and those of Flight's own actions, built from descriptors at run time.

Names and field numbers are those of Arrow's protocol. A field that is a `FlightInfo` or a `FlightEndpoint` there is
bytes here, as we only pass it on, and an enum is a number: both look the same on the wire.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from sqe.core.errors import UserError

_PACKAGE = "arrow.flight.protocol.sql"
_FIELD = descriptor_pb2.FieldDescriptorProto


@dataclass(frozen=True)
class _Field:
    number: int
    type: _FIELD.Type.ValueType
    #: The message that the field holds.
    of: str = ""
    repeated: bool = False
    #: Whether one can tell that it was not sent.
    optional: bool = False
    #: A name that the fields share of which only one can be set.
    choice: str = ""


def _field(kind: _FIELD.Type.ValueType, number: int, **more: Any) -> _Field:  # noqa: ANN401 - as in the class
    return _Field(number, kind, **more)


def _text(number: int, **more: Any) -> _Field:  # noqa: ANN401 - as in the class
    return _field(_FIELD.TYPE_STRING, number, **more)


def _bytes(number: int, **more: Any) -> _Field:  # noqa: ANN401 - as in the class
    return _field(_FIELD.TYPE_BYTES, number, **more)


def _enum(number: int) -> _Field:
    return _field(_FIELD.TYPE_INT32, number)


def _flag(number: int, **more: Any) -> _Field:  # noqa: ANN401 - as in the class
    return _field(_FIELD.TYPE_BOOL, number, **more)


def _one(number: int, of: str, **more: Any) -> _Field:  # noqa: ANN401 - as in the class
    return _field(_FIELD.TYPE_MESSAGE, number, of=of, **more)


_TRANSACTION = {"transaction_id": _bytes(2, optional=True)}
_HANDLE = {"prepared_statement_handle": _bytes(1)}
_TABLE = {"catalog": _text(1, optional=True), "db_schema": _text(2, optional=True), "table": _text(3)}
_SCHEMAS = {"catalog": _text(1, optional=True), "db_schema_filter_pattern": _text(2, optional=True)}

#: Those of Flight SQL, which travel inside an `Any`.
_SQL: dict[str, dict[str, _Field]] = {
    "CommandGetSqlInfo": {"info": _field(_FIELD.TYPE_UINT32, 1, repeated=True)},
    "CommandGetXdbcTypeInfo": {"data_type": _field(_FIELD.TYPE_INT32, 1, optional=True)},
    "CommandGetCatalogs": {},
    "CommandGetDbSchemas": _SCHEMAS,
    "CommandGetTables": {
        **_SCHEMAS,
        "table_name_filter_pattern": _text(3, optional=True),
        "table_types": _text(4, repeated=True),
        "include_schema": _flag(5),
    },
    "CommandGetTableTypes": {},
    "CommandGetPrimaryKeys": _TABLE,
    "CommandGetExportedKeys": _TABLE,
    "CommandGetImportedKeys": _TABLE,
    "CommandGetCrossReference": {
        "pk_catalog": _text(1, optional=True),
        "pk_db_schema": _text(2, optional=True),
        "pk_table": _text(3),
        "fk_catalog": _text(4, optional=True),
        "fk_db_schema": _text(5, optional=True),
        "fk_table": _text(6),
    },
    "CommandStatementQuery": {"query": _text(1), **_TRANSACTION},
    "CommandStatementUpdate": {"query": _text(1), **_TRANSACTION},
    "CommandPreparedStatementQuery": _HANDLE,
    "CommandPreparedStatementUpdate": _HANDLE,
    "CommandStatementIngest": {
        "table_definition_options": _one(1, "TableDefinitionOptions"),
        "table": _text(2),
        "schema": _text(3, optional=True),
        "catalog": _text(4, optional=True),
        "temporary": _flag(5),
        "transaction_id": _bytes(6, optional=True),
        "options": _one(1000, "TextEntry", repeated=True),
    },
    "TicketStatementQuery": {"statement_handle": _bytes(1)},
    "ActionCreatePreparedStatementRequest": {"query": _text(1), **_TRANSACTION},
    "ActionCreatePreparedStatementResult": {**_HANDLE, "dataset_schema": _bytes(2), "parameter_schema": _bytes(3)},
    "ActionClosePreparedStatementRequest": _HANDLE,
    "ActionCancelQueryRequest": {"info": _bytes(1)},
    "ActionCancelQueryResult": {"result": _enum(1)},
}

#: Parts of other messages, answers to DoPut, and Flight's own actions: never inside an `Any`.
_PLAIN: dict[str, dict[str, _Field]] = {
    "TableDefinitionOptions": {"if_not_exist": _enum(1), "if_exists": _enum(2)},
    "TextEntry": {"key": _text(1), "value": _text(2)},
    "DoPutUpdateResult": {"record_count": _field(_FIELD.TYPE_INT64, 1)},
    "DoPutPreparedStatementResult": {"prepared_statement_handle": _bytes(1, optional=True)},
    "CancelFlightInfoRequest": {"info": _bytes(1)},
    "CancelFlightInfoResult": {"status": _enum(1)},
    "RenewFlightEndpointRequest": {"endpoint": _bytes(1)},
    "StringListValue": {"values": _text(1, repeated=True)},
    "SessionOptionValue": {
        "string_value": _text(1, choice="option_value"),
        "bool_value": _flag(2, choice="option_value"),
        "int64_value": _field(_FIELD.TYPE_SFIXED64, 3, choice="option_value"),
        "double_value": _field(_FIELD.TYPE_DOUBLE, 4, choice="option_value"),
        "string_list_value": _one(5, "StringListValue", choice="option_value"),
    },
    "SessionOption": {"key": _text(1), "value": _one(2, "SessionOptionValue")},
    "SetSessionOptionsRequest": {"session_options": _one(1, "SessionOption", repeated=True)},
    "SetSessionOptionsError": {"value": _enum(1)},
    "SetSessionOptionsErrorEntry": {"key": _text(1), "value": _one(2, "SetSessionOptionsError")},
    "SetSessionOptionsResult": {"errors": _one(1, "SetSessionOptionsErrorEntry", repeated=True)},
    "GetSessionOptionsRequest": {},
    "GetSessionOptionsResult": {"session_options": _one(1, "SessionOption", repeated=True)},
    "CloseSessionRequest": {},
    "CloseSessionResult": {"status": _enum(1)},
}

#: `CancelStatus` of Flight, and the same of Flight SQL's older action.
CANCELLED, NOT_CANCELLABLE = 1, 3
#: `CloseSessionResult.Status`.
CLOSED = 1
#: `SetSessionOptionsResult.ErrorValue`.
INVALID_NAME, INVALID_VALUE = 1, 2


def _build() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="sqe/flight_sql.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in (_SQL | _PLAIN).items():
        _describe(file.message_type.add(name=name), fields)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    found = pool.FindFileByName(file.name).message_types_by_name
    return {name: message_factory.GetMessageClass(found[name]) for name in _SQL | _PLAIN}


def _describe(message: descriptor_pb2.DescriptorProto, fields: dict[str, _Field]) -> None:
    for name in sorted({field.choice for field in fields.values()} - {""}):
        message.oneof_decl.add(name=name)
    for name, field in fields.items():
        made = message.field.add(name=name, number=field.number, type=field.type, label=_FIELD.LABEL_OPTIONAL)
        if field.repeated:
            made.label = _FIELD.LABEL_REPEATED
        if field.of:
            made.type_name = f".{_PACKAGE}.{field.of}"
        if field.choice:
            made.oneof_index = 0
        if field.optional:
            made.proto3_optional = True
            made.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{name}")


_CLASSES = _build()


def message(name: str, **fields: object) -> Any:  # noqa: ANN401 - classes made at run time have no types
    """A message of this name."""
    return _CLASSES[name](**fields)


def parse(name: str, data: bytes) -> Any:  # noqa: ANN401 - classes made at run time have no types
    """A message of this name from its bytes. Raises `UserError`."""
    made = _CLASSES[name]()
    try:
        made.ParseFromString(data)
    except DecodeError as error:
        raise UserError(f"this is no {name}") from error
    return made


def pack(name: str, **fields: object) -> bytes:
    """A message inside an `Any`, as commands and tickets are sent."""
    envelope = any_pb2.Any()
    envelope.Pack(message(name, **fields))
    return envelope.SerializeToString()


def unpack(data: bytes) -> tuple[str, Any]:
    """The name and the message inside an `Any`; the message is None when the name is unknown. Raises `UserError`."""
    envelope = any_pb2.Any()
    try:
        envelope.ParseFromString(data)
    except DecodeError as error:
        raise UserError("this is no Flight SQL message") from error
    package, _, name = envelope.type_url.rpartition("/")[2].rpartition(".")
    known = package == _PACKAGE and name in _SQL
    return name, parse(name, envelope.value) if known else None


def maybe(message: Any, field: str) -> Any:  # noqa: ANN401 - see above
    """The value of an optional field, None when it was not sent."""
    return getattr(message, field) if message.HasField(field) else None
