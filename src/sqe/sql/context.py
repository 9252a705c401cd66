"""What a translation knows beside the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from sqe.sql.anchors import Anchors
from sqe.sql.virtual import VirtualTable

if TYPE_CHECKING:
    from sqlglot import exp

    from sqe.sql.statements.cursor import Name


class Lookup(Protocol):
    """Answers what a translation must ask the engine; most statements ask nothing."""

    def columns(self, table: tuple[str, str, str]) -> Sequence[str] | None:
        """The columns of a table by catalog, schema and name; None when there is no such table."""

    def texts(self, query: str, most: int) -> Sequence[str]:
        """The values of a query of Spark's with one column of texts; at most one more than `most`."""

    def output(self, query: str, groups: frozenset[str]) -> Sequence[str]:
        """The names of the columns of a query of Spark's that needs these groups of jars."""


@dataclass
class Context:
    """One translation: the text, where names without a catalog or schema lead, and the marks for the way back."""

    sql: str
    query_id: str = ""
    catalog: str = "default"
    schema: str = "default"
    #: The branch that changes of data go to; SET WRITE_BRANCH changes it.
    write_branch: str | None = None
    #: None where there is no engine to ask.
    lookup: Lookup | None = None
    #: The session's prepared statements by their names.
    prepared: Mapping[str, str] = field(default_factory=dict)
    #: Whether SHOW and DESCRIBE answer with Trino's columns.
    trino_listings: bool = False
    #: The values of the statement's parameters.
    parameters: Sequence[exp.Expr] = ()
    anchors: Anchors = field(init=False)
    #: The first and the last character of every item of every SELECT list, as written.
    items: list[tuple[int, int]] = field(default_factory=list)

    #: The names that the outermost SELECT list gives.
    aliases: frozenset[str] = frozenset()

    #: A schema or a table that the statement asks about and that must be there: catalog, schema, table.
    asked_for: tuple[str, str, str | None] | None = None
    #: The relations that the statement reads: catalog, schema, name.
    read: set[tuple[str, str, str]] = field(default_factory=set)
    #: Names that must be those of catalogs.
    catalogs: list[Name] = field(default_factory=list)
    #: The virtual tables that the statement reads.
    virtual: list[VirtualTable] = field(default_factory=list)
    #: Keys that the statement brings along, by the names that stand for them in Spark's text.
    secrets: dict[str, dict[str, str]] = field(default_factory=dict)
    #: Whether it reads files by paths that mean something else in another folder.
    relative_files: bool = False
    #: Whether its text depends on values that a query found.
    of_this_moment: bool = False
    #: Whether the query becomes a view, which keeps the columns that it has now: no, `stored` or `temporary`.
    for_view: str | None = None
    #: Groups of jars that the statement needs.
    groups: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.anchors = Anchors(self.sql)

    def keep_secret(self, credentials: dict[str, str]) -> str:
        """Keep keys out of the text; answers the name that stands for them."""
        name = f"{self.query_id}/{len(self.secrets)}"
        self.secrets[name] = credentials
        return name

    def item_around(self, place: int) -> tuple[int, int] | None:
        """The innermost item of a SELECT list that contains a place."""
        around = [item for item in self.items if item[0] <= place <= item[1]]
        return min(around, key=lambda item: item[1] - item[0], default=None)
