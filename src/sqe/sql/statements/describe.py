"""DESCRIBE."""

from __future__ import annotations

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.statements.create import QueryText
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.show import columns_of
from sqe.sql.statements.writing import schema_text, table_text

_NOT_HERE = {
    "HISTORY": 'SELECT * FROM "t$history" tells of the snapshots of t',
    "FUNCTION": "SHOW FUNCTIONS LIKE 'name' tells of a function",
    "CATALOG": "SHOW CATALOGS lists the catalogs",
}


def describe(cursor: Cursor, context: Context, query_text: QueryText) -> str | list[str]:
    """The columns of a table or of a query; `EXTENDED` and `SCHEMA` tell what Spark knows beside them."""
    for word, hint in _NOT_HERE.items():
        if cursor.left > 1 and cursor.word(word):
            raise NotSupportedError(f"DESCRIBE {word} is not supported", hint=hint)
    if cursor.word("QUERY"):
        return [f"DESCRIBE QUERY {query_text(cursor.rest())}"]
    if any(cursor.sees(word) for word in ("SELECT", "WITH", "VALUES", "FROM")):
        return [f"DESCRIBE QUERY {query_text(cursor.rest())}"]
    if cursor.left > 1 and (cursor.word("SCHEMA") or cursor.word("DATABASE") or cursor.word("NAMESPACE")):
        extended = " EXTENDED" if cursor.word("EXTENDED") else ""
        text = f"DESCRIBE NAMESPACE{extended} {schema_text(cursor.path(), context)}"
        cursor.end()
        return [text]
    cursor.word("TABLE")
    if cursor.left > 1 and (cursor.word("EXTENDED") or cursor.word("FORMATTED")):
        text = f"DESCRIBE TABLE EXTENDED {table_text(cursor.path(), context)}"
        cursor.end()
        return [text]
    return columns_of(cursor, context)
