"""system.jdbc: what drivers ask for when a tool shows catalogs, tables and types. The columns are those of JDBC."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqe.core.type_names import trino_type
from sqe.query.sessions import Session
from sqe.query.virtual.catalogs import catalog_names, stored_catalogs
from sqe.query.virtual.columns import FLAG, TEXT, WHOLE, table_of
from sqe.query.virtual.information_schema import described
from sqe.query.virtual.narrowing import Narrowing, relations, schemas
from sqe.sql.definitions import default_text

if TYPE_CHECKING:
    import pyarrow as pa

_TABLE = {"table_cat": TEXT, "table_schem": TEXT, "table_name": TEXT}
_TABLES = {
    **_TABLE, "table_type": TEXT, "remarks": TEXT, "type_cat": TEXT, "type_schem": TEXT, "type_name": TEXT,
    "self_referencing_col_name": TEXT, "ref_generation": TEXT,
}  # fmt: skip
_COLUMNS = {
    **_TABLE, "column_name": TEXT, "data_type": WHOLE, "type_name": TEXT, "column_size": WHOLE, "buffer_length": WHOLE,
    "decimal_digits": WHOLE, "num_prec_radix": WHOLE, "nullable": WHOLE, "remarks": TEXT, "column_def": TEXT,
    "sql_data_type": WHOLE, "sql_datetime_sub": WHOLE, "char_octet_length": WHOLE, "ordinal_position": WHOLE,
    "is_nullable": TEXT, "scope_catalog": TEXT, "scope_schema": TEXT, "scope_table": TEXT, "source_data_type": WHOLE,
    "is_autoincrement": TEXT, "is_generatedcolumn": TEXT,
}  # fmt: skip
_TYPES = {
    "type_name": TEXT, "data_type": WHOLE, "precision": WHOLE, "literal_prefix": TEXT, "literal_suffix": TEXT,
    "create_params": TEXT, "nullable": WHOLE, "case_sensitive": FLAG, "searchable": WHOLE, "unsigned_attribute": FLAG,
    "fixed_prec_scale": FLAG, "auto_increment": FLAG, "local_type_name": TEXT, "minimum_scale": WHOLE,
    "maximum_scale": WHOLE, "sql_data_type": WHOLE, "sql_datetime_sub": WHOLE, "num_prec_radix": WHOLE,
}  # fmt: skip
#: Of these there are none here.
_EMPTY = {
    "procedures": {
        "procedure_cat": TEXT, "procedure_schem": TEXT, "procedure_name": TEXT, "remarks": TEXT,
        "procedure_type": WHOLE, "specific_name": TEXT,
    },
    "procedure_columns": {
        "procedure_cat": TEXT, "procedure_schem": TEXT, "procedure_name": TEXT, "column_name": TEXT,
        "column_type": WHOLE, "data_type": WHOLE, "type_name": TEXT, "precision": WHOLE, "length": WHOLE,
        "scale": WHOLE, "radix": WHOLE, "nullable": WHOLE, "remarks": TEXT, "column_def": TEXT,
        "sql_data_type": WHOLE, "sql_datetime_sub": WHOLE, "char_octet_length": WHOLE, "ordinal_position": WHOLE,
        "is_nullable": TEXT, "specific_name": TEXT,
    },
    "pseudo_columns": {
        **_TABLE, "column_name": TEXT, "data_type": WHOLE, "column_size": WHOLE, "decimal_digits": WHOLE,
        "num_prec_radix": WHOLE, "column_usage": TEXT, "remarks": TEXT, "char_octet_length": WHOLE,
        "is_nullable": WHOLE,
    },
    "attributes": {
        "type_cat": TEXT, "type_schem": TEXT, "type_name": TEXT, "attr_name": TEXT, "data_type": WHOLE,
        "attr_type_name": TEXT, "attr_size": WHOLE, "decimal_digits": WHOLE, "num_prec_radix": WHOLE,
        "nullable": WHOLE, "remarks": TEXT, "attr_def": TEXT, "sql_data_type": WHOLE, "sql_datetime_sub": WHOLE,
        "char_octet_length": WHOLE, "ordinal_position": WHOLE, "is_nullable": TEXT, "scope_catalog": TEXT,
        "scope_schema": TEXT, "scope_table": TEXT, "source_data_type": WHOLE,
    },
    "super_tables": {**_TABLE, "supertable_name": TEXT},
    "super_types": {
        "type_cat": TEXT, "type_schem": TEXT, "type_name": TEXT, "supertype_cat": TEXT, "supertype_schem": TEXT,
        "supertype_name": TEXT,
    },
    "udts": {
        "type_cat": TEXT, "type_schem": TEXT, "type_name": TEXT, "class_name": TEXT, "data_type": WHOLE,
        "remarks": TEXT, "base_type": WHOLE,
    },
}  # fmt: skip
#: By the name of a type: JDBC's number of it, how many characters or digits it takes, and what those count by.
_NUMBERS = {
    "boolean": (16, None, None), "tinyint": (-6, 3, 10), "smallint": (5, 5, 10), "integer": (4, 10, 10),
    "bigint": (-5, 19, 10), "real": (7, 24, 2), "double": (8, 53, 2), "decimal": (3, 38, 10),
    "varchar": (12, 2147483647, None), "char": (1, 65536, None), "varbinary": (-3, 2147483647, None),
    "date": (91, 14, None), "time": (92, 8, None), "timestamp": (93, 21, None),
    "timestamp with time zone": (2014, 55, None), "array": (2003, None, None), "map": (2000, None, None),
    "row": (2000, None, None), "json": (2000, None, None), "uuid": (2000, None, None), "ipaddress": (2000, None, None),
    "interval day to second": (2000, None, None), "interval year to month": (2000, None, None),
    "unknown": (2000, None, None),
}  # fmt: skip
_OTHER = (2000, None, None)
_NULLABLE, _NULLABLE_UNKNOWN, _SEARCHABLE, _NOT_SEARCHABLE = 1, 2, 3, 0
_NOT_COMPARABLE = frozenset({"map", "array", "row", "json", "unknown"})


def _catalogs(session: Session, wanted: Narrowing) -> pa.Table:
    del wanted
    return table_of({"table_cat": TEXT}, ((name,) for name in catalog_names(session)))


def _schemas(session: Session, wanted: Narrowing) -> pa.Table:
    rows = (
        (schema, catalog)
        for catalog in stored_catalogs(session, wanted)
        for schema in schemas(session, catalog, wanted)
    )
    return table_of({"table_schem": TEXT, "table_catalog": TEXT}, rows)


def _tables(session: Session, wanted: Narrowing) -> pa.Table:
    rows = (
        (catalog, schema, name, kind, *[None] * 6)
        for catalog in stored_catalogs(session, wanted)
        for schema in schemas(session, catalog, wanted)
        for name, kind in relations(session, catalog, schema, wanted).items()
    )
    return table_of(_TABLES, rows)


def _table_types(session: Session, wanted: Narrowing) -> pa.Table:
    del session, wanted
    return table_of({"table_type": TEXT}, [("TABLE",), ("VIEW",)])


def _columns(session: Session, wanted: Narrowing) -> pa.Table:
    rows = (
        (catalog, schema, name, *_column(number, column))
        for catalog in stored_catalogs(session, wanted)
        for schema, name, facts in described(session, catalog, wanted)
        for number, column in enumerate(facts["columns"], 1)
    )
    return table_of(_COLUMNS, rows)


def _column(number: int, column: list[Any]) -> tuple[Any, ...]:
    name, spark_type, _, comment, default = column
    kind = trino_type(spark_type)
    code, size, radix = _NUMBERS.get(_base(kind), _OTHER)
    first, second = _parameters(kind)
    digits = None
    if _base(kind) == "decimal":
        size, digits = first, second
    elif first is not None and code in {92, 93, 2014}:
        size, digits = (size or 0) + min(first, 1) + first, first
    octets = size if code in {12, 1, -3} else None
    return (
        name, code, kind, size, 0, digits, radix, _NULLABLE_UNKNOWN, comment, default_text(default), None, None,
        octets, number, "", None, None, None, None, None, None,
    )  # fmt: skip


def _base(kind: str) -> str:
    """`timestamp with time zone` for `timestamp(6) with time zone`, `array` for `array(varchar)`."""
    name, _, rest = kind.partition("(")
    return f"{name} with time zone" if rest.endswith("with time zone") and name == "timestamp" else name


def _parameters(kind: str) -> tuple[int | None, int | None]:
    found = re.match(r"[a-z]+\((\d+)(?:, ?(\d+))?\)", kind)
    return (int(found[1]), int(found[2]) if found[2] else None) if found else (None, None)


def _types(session: Session, wanted: Narrowing) -> pa.Table:
    del session, wanted
    rows = (
        (
            name, code, size, None, None, None, _NULLABLE, False,
            _NOT_SEARCHABLE if name in _NOT_COMPARABLE else _SEARCHABLE, None, False, None, None, 0, 0, None, None,
            radix,
        )
        for name, (code, size, radix) in sorted(_NUMBERS.items())
    )  # fmt: skip
    return table_of(_TYPES, rows)


def _nothing(name: str) -> Callable[[Session, Narrowing], pa.Table]:
    def empty(session: Session, wanted: Narrowing) -> pa.Table:
        del session, wanted
        return table_of(_EMPTY[name], [])

    return empty


TABLES: dict[str, Callable[[Session, Narrowing], pa.Table]] = {
    "system.jdbc.catalogs": _catalogs,
    "system.jdbc.schemas": _schemas,
    "system.jdbc.tables": _tables,
    "system.jdbc.table_types": _table_types,
    "system.jdbc.columns": _columns,
    "system.jdbc.types": _types,
    **{f"system.jdbc.{name}": _nothing(name) for name in _EMPTY},
}
