"""What Trino calls a statement that answers no rows."""

from __future__ import annotations

import re

from sqe.sql.classify import statement_kind

_QUERIES = frozenset({"query", "show", "describe", "explain"})
#: Changes of rows are no result sets, whatever the engine answers.
_CHANGES = frozenset({"insert", "update", "delete", "merge", "truncate"})
#: Spark answers with the setting under its own name.
_ASSIGNMENT = re.compile(r"=|^\s*(?:RESET|SET\s+TIME\s+ZONE)\b", re.IGNORECASE)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_WORDS = re.compile(r"[A-Za-z_]+")
#: Words between CREATE, ALTER or DROP and what is made.
_BETWEEN = frozenset({"OR", "REPLACE", "TEMP", "TEMPORARY", "GLOBAL", "LOCAL", "IF", "NOT", "EXISTS"})
_TWO_WORDS = frozenset({"CREATE", "ALTER", "DROP", "SET", "RESET", "COMMENT", "REFRESH", "START", "DEALLOCATE"})


def update_type(sql: str, executed: str, *, has_columns: bool) -> str | None:
    """`INSERT`, `CREATE TABLE` and so on; None for what is a query or has an answer to show.

    Args:
        sql: The statement.
        executed: The kind of statement that was run, which for EXECUTE is another one.
        has_columns: Whether it has columns.
    """
    kind = statement_kind(sql)
    if executed in _CHANGES and kind == "utility":
        return executed.upper()
    silent = kind in _CHANGES or (kind == "set" and _ASSIGNMENT.search(sql) is not None)
    if kind in _QUERIES or (has_columns and not silent):
        return None
    # The words that count are the first ones; a long text need not be looked at.
    words: list[str] = [word.upper() for word in _WORDS.findall(_COMMENT.sub(" ", sql[:2000]))[:8]]
    if not words:
        return "STATEMENT"
    if words[0] not in _TWO_WORDS:
        return words[0]
    second = next((word for word in words[1:] if word not in _BETWEEN), "")
    return words[0] if not second else f"{words[0]} {second}"
