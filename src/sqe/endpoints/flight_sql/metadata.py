"""The commands that ask what there is. The rows come from where information_schema and system.jdbc get theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqe.endpoints.flight_sql import sql_info
from sqe.endpoints.flight_sql.column_types import table_schema
from sqe.endpoints.flight_sql.messages import maybe
from sqe.endpoints.flight_sql.session_options import time_zone
from sqe.query.sessions import Session
from sqe.query.virtual.catalogs import catalog_names, stored_catalogs
from sqe.query.virtual.information_schema import described
from sqe.query.virtual.jdbc import TABLES as JDBC_TABLES
from sqe.query.virtual.narrowing import Narrowing, relations, schemas
from sqe.sql.virtual import like_expression

#: Patterns take it before a `%` or `_` that means itself.
_ESCAPE = "\\"
_TEXT, _WHOLE, _FLAG, _SMALL = pa.utf8(), pa.int32(), pa.bool_(), pa.uint8()


def _schema(**columns: pa.DataType) -> pa.Schema:
    """Columns in this order; a name that ends with `_` takes no NULL."""
    return pa.schema([pa.field(name.removesuffix("_"), kind, name[-1] != "_") for name, kind in columns.items()])


CATALOGS = _schema(catalog_name_=_TEXT)
SCHEMAS = _schema(catalog_name=_TEXT, db_schema_name_=_TEXT)
TABLES = _schema(catalog_name=_TEXT, db_schema_name=_TEXT, table_name_=_TEXT, table_type_=_TEXT)
TABLES_WITH_SCHEMA = TABLES.append(pa.field("table_schema", pa.binary(), nullable=False))
TABLE_TYPES = _schema(table_type_=_TEXT)
PRIMARY_KEYS = _schema(
    catalog_name=_TEXT,
    db_schema_name=_TEXT,
    table_name_=_TEXT,
    column_name_=_TEXT,
    key_name=_TEXT,
    key_sequence_=_WHOLE,
)
FOREIGN_KEYS = _schema(
    pk_catalog_name=_TEXT, pk_db_schema_name=_TEXT, pk_table_name_=_TEXT, pk_column_name_=_TEXT, fk_catalog_name=_TEXT,
    fk_db_schema_name=_TEXT, fk_table_name_=_TEXT, fk_column_name_=_TEXT, key_sequence_=_WHOLE, fk_key_name=_TEXT,
    pk_key_name=_TEXT, update_rule_=_SMALL, delete_rule_=_SMALL,
)  # fmt: skip
TYPES = _schema(
    type_name_=_TEXT, data_type_=_WHOLE, column_size=_WHOLE, literal_prefix=_TEXT, literal_suffix=_TEXT,
    create_params=pa.list_(pa.field("item", _TEXT, nullable=False)), nullable_=_WHOLE, case_sensitive_=_FLAG,
    searchable_=_WHOLE, unsigned_attribute=_FLAG, fixed_prec_scale_=_FLAG, auto_increment=_FLAG, local_type_name=_TEXT,
    minimum_scale=_WHOLE, maximum_scale=_WHOLE, sql_data_type_=_WHOLE, datetime_subcode=_WHOLE, num_prec_radix=_WHOLE,
    interval_precision=_WHOLE,
)  # fmt: skip
#: Numbers of JDBC that Flight SQL has others for: BOOLEAN is BIT, TIMESTAMP_WITH_TIMEZONE is TIMESTAMP.
_NUMBERS = {16: -7, 2014: 93}
_KNOWN_NUMBERS = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 12, 91, 92, 93, -2, -3, -5, -6, -7})
_LITERALS = {
    "char": ("'", "'"), "varchar": ("'", "'"), "date": ("DATE '", "'"), "time": ("TIME '", "'"),
    "timestamp": ("TIMESTAMP '", "'"), "timestamp with time zone": ("TIMESTAMP '", "'"), "varbinary": ("X'", "'"),
}  # fmt: skip
_PARAMETERS = {"decimal": ["precision", "scale"], "varchar": ["length"], "char": ["length"], "timestamp": ["precision"]}
#: Of datetime types: the number of all of them, and which one it is.
_DATETIME = 9
_SUBCODES = {91: 1, 92: 2, 93: 3}


@dataclass(frozen=True)
class Ask:
    """What a command is answered with."""

    session: Session
    max_sql_bytes: int


@dataclass(frozen=True)
class Listing:
    """A command: the columns of its answer, which may depend on what it says, and how the rows are found."""

    schema: Callable[[Any], pa.Schema]
    rows: Callable[[Any, Ask], pa.Table]


def _table(schema: pa.Schema, rows: Iterable[tuple[Any, ...]]) -> pa.Table:
    gathered = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(list(values), field.type) for values, field in zip(gathered, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _catalogs(command: Any, ask: Ask) -> pa.Table:  # noqa: ANN401 - see messages
    del command
    return _table(CATALOGS, ((name,) for name in catalog_names(ask.session)))


def _schemas(command: Any, ask: Ask) -> pa.Table:  # noqa: ANN401 - see messages
    wanted = _narrowing(command)
    found = (
        (catalog, schema)
        for catalog in stored_catalogs(ask.session, wanted)
        for schema in schemas(ask.session, catalog, wanted)
    )
    return _table(SCHEMAS, sorted(found))


def _tables(command: Any, ask: Ask) -> pa.Table:  # noqa: ANN401 - see messages
    wanted = _narrowing(command)
    kinds = frozenset(command.table_types) or {"TABLE", "VIEW"}
    if command.include_schema:
        zone = time_zone(ask.session)
        found = (
            (*owner, facts["kind"], table_schema(owner, facts["columns"], zone).serialize().to_pybytes())
            for owner, facts in _with_columns(ask.session, wanted, kinds)
        )
        return _table(TABLES_WITH_SCHEMA, sorted(found))
    rows = (
        (catalog, schema, name, kind)
        for catalog in stored_catalogs(ask.session, wanted)
        for schema in schemas(ask.session, catalog, wanted)
        for name, kind in relations(ask.session, catalog, schema, wanted).items()
        if kind in kinds
    )
    return _table(TABLES, sorted(rows))


def _with_columns(
    session: Session, wanted: Narrowing, kinds: Iterable[str]
) -> Iterator[tuple[tuple[str, str, str], dict[str, Any]]]:
    for kind in sorted(set(kinds) & {"TABLE", "VIEW"}):
        for catalog in stored_catalogs(session, wanted):
            for schema, name, facts in described(session, catalog, wanted, only=kind):
                yield (catalog, schema, name), facts | {"kind": kind}


def _narrowing(command: Any) -> Narrowing:  # noqa: ANN401 - see messages
    equal, patterns = {}, {}
    catalog = maybe(command, "catalog")
    if catalog is not None:
        equal["table_cat"] = catalog
    fields = {"db_schema_filter_pattern": "table_schem", "table_name_filter_pattern": "table_name"}
    for field, column in fields.items():
        pattern = maybe(command, field) if field in command.DESCRIPTOR.fields_by_name else None
        if pattern is None:
            continue
        if re.search(r"[%_\\]", pattern):
            patterns[column] = like_expression(pattern, _ESCAPE)
        else:
            equal[column] = pattern
    return Narrowing(equal, patterns)


def _table_types(command: Any, ask: Ask) -> pa.Table:  # noqa: ANN401 - see messages
    del command, ask
    return _table(TABLE_TYPES, [("TABLE",), ("VIEW",)])


def _types(command: Any, ask: Ask) -> pa.Table:  # noqa: ANN401 - see messages
    wanted = maybe(command, "data_type")
    found = JDBC_TABLES["system.jdbc.types"](ask.session, Narrowing()).to_pylist()
    rows = sorted((_type_row(facts) for facts in found), key=lambda row: (row[1], row[0]))
    return _table(TYPES, (row for row in rows if wanted in {None, row[1]}))


def _type_row(facts: dict[str, Any]) -> tuple[Any, ...]:
    name = facts["type_name"]
    number = _NUMBERS.get(facts["data_type"], facts["data_type"])
    number = number if number in _KNOWN_NUMBERS else 0
    prefix, suffix = _LITERALS.get(name, (None, None))
    scaled = name == "decimal"
    return (
        name, number, facts["precision"], prefix, suffix, _PARAMETERS.get(name), facts["nullable"],
        name in {"char", "varchar"}, facts["searchable"], False if facts["num_prec_radix"] else None, False, None, None,
        0 if scaled else None, 38 if scaled else None, _DATETIME if number in _SUBCODES else number,
        _SUBCODES.get(number), facts["num_prec_radix"], None,
    )  # fmt: skip


def _nothing(schema: pa.Schema) -> Listing:
    """Tables have no keys here."""
    return Listing(lambda _: schema, lambda _, __: schema.empty_table())


LISTINGS: dict[str, Listing] = {
    "CommandGetCatalogs": Listing(lambda _: CATALOGS, _catalogs),
    "CommandGetDbSchemas": Listing(lambda _: SCHEMAS, _schemas),
    "CommandGetTables": Listing(lambda ask: TABLES_WITH_SCHEMA if ask.include_schema else TABLES, _tables),
    "CommandGetTableTypes": Listing(lambda _: TABLE_TYPES, _table_types),
    "CommandGetPrimaryKeys": _nothing(PRIMARY_KEYS),
    "CommandGetExportedKeys": _nothing(FOREIGN_KEYS),
    "CommandGetImportedKeys": _nothing(FOREIGN_KEYS),
    "CommandGetCrossReference": _nothing(FOREIGN_KEYS),
    "CommandGetXdbcTypeInfo": Listing(lambda _: TYPES, _types),
    "CommandGetSqlInfo": Listing(
        lambda _: sql_info.SCHEMA, lambda command, ask: sql_info.sql_info(command.info, ask.max_sql_bytes)
    ),
}
