"""What follows the columns of CREATE TABLE: partitioning, properties, location, comment."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import NotSupportedError
from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.properties import Properties, read_properties
from sqe.sql.statements.transforms import transform_list


def table_clause(cursor: Cursor, context: Context, properties: Properties) -> str | None:
    """Read one clause; answers the comment if that is what it was."""
    if cursor.word("COMMENT"):
        return cursor.text()
    if cursor.word("USING"):
        if cursor.name().text != "iceberg":
            raise NotSupportedError("tables are Iceberg tables", hint="leave USING out, or write USING iceberg")
    elif cursor.word("PARTITIONED", "BY"):
        cursor.need(TokenType.L_PAREN, "(")
        properties.partitioning += transform_list(cursor, context)
        cursor.need(TokenType.R_PAREN, ")")
    elif cursor.word("LOCATION"):
        properties.location = cursor.text()
    elif cursor.word("TBLPROPERTIES") or cursor.word("WITH"):
        read_properties(cursor, context, properties)
    else:
        raise cursor.error("PARTITIONED BY, WITH, TBLPROPERTIES, COMMENT, LOCATION or AS is expected")
    return None
