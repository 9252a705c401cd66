"""Tables about one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sqe.query.sessions import Session
from sqe.query.virtual.columns import TEXT, table_of
from sqe.sql.secrets import shown_property
from sqe.sql.virtual import TABLE_PROPERTIES

if TYPE_CHECKING:
    import pyarrow as pa

Asked = Mapping[str, str]


def _properties(session: Session, catalog: str, asked: Asked) -> pa.Table:
    facts = session.spark.table_facts(catalog, asked["table_schema"], asked["table_name"])
    rows = ((key, shown_property(key, value)) for key, value in facts["properties"].items())
    return table_of({"key": TEXT, "value": TEXT}, rows)


TABLES: dict[str, Callable[[Session, str, Asked], pa.Table]] = {TABLE_PROPERTIES: _properties}
