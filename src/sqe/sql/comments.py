"""Takes comments out of a statement, each character by a blank: places stay what they are.

The tokenizer gets comments inside comments wrong where their marks touch, and Spark's parser takes minutes for many of
them. Neither ever sees one.
"""

from __future__ import annotations

import re

_TURN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*|/\*""")
_EDGE = re.compile(r"/\*|\*/")
_INK = re.compile(r"[^\s]")


def without_comments(sql: str) -> str:
    """The statement with blanks for its comments; one that does not end is left for the tokenizer to complain about."""
    if "/*" not in sql and "--" not in sql:
        return sql
    pieces, at = [], 0
    while found := _TURN.search(sql, at):
        start, end = found.span()
        if found.group() == "/*":
            end = _end_of_comment(sql, end)
            if end < 0:
                break
        elif not found.group().startswith("--"):
            pieces.append(sql[at:end])
            at = end
            continue
        pieces += [sql[at:start], _INK.sub(" ", sql[start:end])]
        at = end
    return "".join(pieces) + sql[at:]


def _end_of_comment(sql: str, at: int) -> int:
    depth = 1
    while depth:
        edge = _EDGE.search(sql, at)
        if edge is None:
            return -1
        depth += 1 if edge.group() == "/*" else -1
        at = edge.end()
    return at
