"""What SHOW statements answer that no table of information_schema or the system catalog has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sqe.core.errors import NotFoundError, NotSupportedError
from sqe.core.session_settings import ENGINE_SETTINGS
from sqe.query.sessions import Session
from sqe.query.virtual.columns import FLAG, NUMBER, TEXT, table_of
from sqe.sql import definitions
from sqe.sql.functions.signatures import signatures
from sqe.sql.statements.session import SESSION_PROPERTIES

if TYPE_CHECKING:
    import pyarrow as pa

Asked = Mapping[str, str]
_STATS = {
    "column_name": TEXT, "data_size": NUMBER, "distinct_values_count": NUMBER, "nulls_fraction": NUMBER,
    "row_count": NUMBER, "low_value": TEXT, "high_value": TEXT,
}  # fmt: skip
_FUNCTIONS = {
    "Function": TEXT, "Return Type": TEXT, "Argument Types": TEXT, "Function Type": TEXT, "Deterministic": FLAG,
    "Description": TEXT,
}  # fmt: skip


def _path(catalog: str, asked: Asked) -> list[str]:
    return [catalog, asked["table_schema"], asked["table_name"]]


def _described(session: Session, catalog: str, asked: Asked, kind: str) -> dict[str, Any]:
    """Columns and properties of a relation, which must be of a kind."""
    schema, name = asked["table_schema"], asked["table_name"]
    found = dict(session.spark.relations(catalog, schema)).get(name)
    if found != kind:
        other = "view" if kind == "TABLE" else "table"
        raise NotSupportedError(f"{name} is a {other}", hint=f"SHOW CREATE {other.upper()} {name}")
    (facts,) = session.spark.describe(catalog, schema, {name: kind})
    if facts is None:
        raise NotFoundError(f"{catalog}.{schema}.{name} cannot be read", condition="TABLE_OR_VIEW_NOT_FOUND")
    return facts


def _create_table(session: Session, catalog: str, asked: Asked) -> pa.Table:
    columns = _described(session, catalog, asked, "TABLE")["columns"]
    facts = session.spark.table_facts(catalog, asked["table_schema"], asked["table_name"])
    made = definitions.create_table(_path(catalog, asked), columns, facts)
    return table_of({"Create Table": TEXT}, [(made,)])


def _create_view(session: Session, catalog: str, asked: Asked) -> pa.Table:
    facts = _described(session, catalog, asked, "VIEW")
    query = facts["written"] or facts["query"]
    if "sqe_" in query:
        raise NotSupportedError("the text of this view was not kept", hint="CREATE OR REPLACE it to have it shown")
    made = definitions.create_view(_path(catalog, asked), facts["columns"], query, facts["properties"].get("comment"))
    return table_of({"Create View": TEXT}, [(made,)])


def _create_schema(session: Session, catalog: str, asked: Asked) -> pa.Table:
    schema = asked["table_schema"]
    made = definitions.create_schema([catalog, schema], session.spark.schema_properties(catalog, schema))
    return table_of({"Create Schema": TEXT}, [(made,)])


def _stats(session: Session, catalog: str, asked: Asked) -> pa.Table:
    facts = session.spark.table_stats(catalog, asked["table_schema"], asked["table_name"])
    rows = [
        (column["name"], column["data_size"], column["distinct"], column["nulls"], None, column["low"], column["high"])
        for column in facts["columns"]
    ]
    return table_of(_STATS, [*rows, (None, None, None, None, facts["rows"], None, None)])


def _functions(session: Session, catalog: str, asked: Asked) -> pa.Table:
    del session, catalog, asked
    rows = ((item.name, item.returns, item.takes, item.kind, item.deterministic, "") for item in signatures())
    return table_of(_FUNCTIONS, rows)


def settings(session: Session) -> dict[str, tuple[str, str]]:
    """Value and default of every setting that a person may change, by Spark's names."""
    return session.spark.settings(sorted(ENGINE_SETTINGS))


def _session(session: Session, catalog: str, asked: Asked) -> pa.Table:
    del catalog, asked
    values = settings(session)
    rows = [(name, *values[known.key], known.type, known.description) for name, known in SESSION_PROPERTIES.items()]
    named = {known.key for known in SESSION_PROPERTIES.values()}
    rows += [(key, *found, "varchar", "Setting of Spark's") for key, found in values.items() if key not in named]
    columns = {"Name": TEXT, "Value": TEXT, "Default": TEXT, "Type": TEXT, "Description": TEXT}
    return table_of(columns, sorted(rows))


def _roles(session: Session, catalog: str, asked: Asked) -> pa.Table:
    """The embedded engine's only user has no roles."""
    del session, catalog, asked
    return table_of({"Role": TEXT}, [])


TABLES: dict[str, Callable[[Session, str, Asked], pa.Table]] = {
    "show.create_table": _create_table,
    "show.create_view": _create_view,
    "show.create_schema": _create_schema,
    "show.stats": _stats,
    "show.functions": _functions,
    "show.session": _session,
    "show.roles": _roles,
}
