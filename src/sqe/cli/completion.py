"""Completion of keywords and names at the prompt; never waits for the engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion

from sqe.cli.name_cache import NameCache
from sqe.cli.names import quote

if TYPE_CHECKING:
    from prompt_toolkit.document import Document

KEYWORDS = tuple(
    """
    ALTER ALL ANALYZE AND ANTI ARRAY AS ASC ATTACH BETWEEN BIGINT BOOLEAN BRANCH BY CALL CASE CAST
    CATALOGS COLUMN COLUMNS COMMENT COPY COUNT CREATE CROSS CUBE CURRENT_DATE CURRENT_TIMESTAMP DATE
    DECIMAL DEFAULT DELETE DESC DESCRIBE DETACH DISTINCT DOUBLE DROP ELSE END EXCEPT EXCLUDE EXISTS
    EXPLAIN FALSE FIRST FOR FROM FULL GRANT GROUP GROUPING HAVING IF ILIKE IN INNER INSERT INT INTERSECT
    INTERVAL INTO IS JOIN LAST LATERAL LEFT LIKE LIMIT MAP MATCHED MERGE NATURAL NOT NULL NULLS OFFSET
    ON OR ORDER OUTER OVER OVERWRITE PARTITION PARTITIONED QUALIFY RENAME REPLACE REVOKE RIGHT ROLLUP
    ROWS SCHEMA SCHEMAS SELECT SEMI SET SETS SHOW SNAPSHOT STRING STRUCT SUMMARIZE SYSTEM_TIME TABLE
    TABLES TABLESAMPLE TAG TBLPROPERTIES THEN TIMESTAMP TO TRUE TRUNCATE UNION UPDATE USE USING VALUES
    VARCHAR VERSION VIEW VIEWS WHEN WHERE WINDOW WITH
    """.split()  # noqa: SIM905 - a list of quoted words is harder to read
)
_WORD = re.compile(r'(?P<parent>(?:(?:\w+|"[^"]*"|`[^`]*`)\.)*)(?P<last>["`]?\w*)$')
_TABLES_IN_TEXT = re.compile(
    r'\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+((?:[\w$]+|"[^"]+"|`[^`]+`)(?:\.(?:[\w$]+|"[^"]+"|`[^`]+`)){0,2})',
    re.IGNORECASE,
)
_MAX_SCANNED = 20_000


class SqlCompleter(Completer):
    """Offers what the cache knows now, and lets it learn more for the next time."""

    def __init__(self, names: NameCache, commands: Iterable[str] = ()) -> None:
        self._names = names
        self._commands = tuple(commands)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """The words that can stand at the cursor."""
        before = document.text_before_cursor[-_MAX_SCANNED:]
        mentioned = tables_in(document.text[:_MAX_SCANNED])
        self._names.want(mentioned)
        if before.startswith("."):
            if " " not in before:
                yield from _matching(self._commands, before, "command")
            return
        match = _WORD.search(before)
        if match is None or not (match["last"] or match["parent"] or complete_event.completion_requested):
            return
        for meaning, words in self._offers(_unquoted(match["parent"].rstrip(".")), mentioned):
            yield from _matching(words, match["last"], meaning)

    def _offers(self, parent: str, mentioned: list[str]) -> Iterator[tuple[str, list[str]]]:
        names = self._names
        columns = sorted({column for table in mentioned for column in names.columns.get(table, [])})
        if not parent:
            yield "column", columns
            yield "table", sorted({name.table for name in names.tables})
            yield "schema", sorted({schema for _, schema in names.schemas})
            yield "catalog", sorted(names.catalogs)
            yield "", list(KEYWORDS)
            return
        yield "schema", sorted(schema for catalog, schema in names.schemas if catalog == parent)
        tables = (n.table for n in names.tables if parent in {n.schema, f"{n.catalog}.{n.schema}"})
        yield "table", sorted(set(tables))
        # What stands before the dot may be an alias; then every column of the statement may follow.
        yield "column", columns


def tables_in(text: str) -> list[str]:
    """The names in the text that stand where a table is expected."""
    return list(dict.fromkeys(_TABLES_IN_TEXT.findall(text)))


def _matching(words: Iterable[str], typed: str, meaning: str) -> Iterator[Completion]:
    start = typed.lstrip('"`').lower()
    for word in words:
        if word.lower().startswith(start):
            yield Completion(_written(word, meaning), -len(typed), display=word, display_meta=meaning)


def _written(word: str, meaning: str) -> str:
    plain = meaning in {"", "command"} or re.fullmatch(r"[a-z_]\w*", word, re.ASCII)
    return word if plain else quote(word)


def _unquoted(path: str) -> str:
    return path.replace('"', "").replace("`", "")
