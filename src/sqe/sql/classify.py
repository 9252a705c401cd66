"""What a statement is for: its kind, by its first words. The full parser comes with the SQL dialect."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"\s+|--[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"\(*\s*([A-Za-z]+)")

_KINDS = {
    "SELECT": "query", "WITH": "query", "VALUES": "query", "TABLE": "query", "FROM": "query",
    "PIVOT": "query", "UNPIVOT": "query",
    "INSERT": "insert", "MERGE": "merge", "UPDATE": "update", "DELETE": "delete", "TRUNCATE": "truncate",
    "CREATE": "create", "DROP": "drop", "ALTER": "alter", "CALL": "call", "USE": "use", "SET": "set",
    "RESET": "set", "SHOW": "show", "DESCRIBE": "describe", "DESC": "describe", "EXPLAIN": "explain",
}  # fmt: skip

#: Changes of data.
CHANGES = frozenset({"insert", "merge", "update", "delete", "truncate"})
#: A statement of these kinds that lost the race for a commit has changed nothing and may run again as a whole.
RERUNNABLE = CHANGES


#: Statements of these kinds may insert, update or delete rows; with CREATE, those of its query.
CHANGES_ROWS = frozenset({"insert", "merge", "update", "delete", "create"})


def statement_kind(sql: str) -> str:
    """The kind of a statement; `utility` for whatever has none of its own."""
    at = 0
    while found := _COMMENT.match(sql, at):
        at = found.end()
    word = _WORD.match(sql, at)
    return _KINDS.get(word.group(1).upper(), "utility") if word else "utility"
