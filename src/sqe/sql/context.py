"""What a translation knows beside the text."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqe.sql.anchors import Anchors
from sqe.sql.virtual import VirtualTable


@dataclass
class Context:
    """One translation: the text, where names without a catalog or schema lead, and the marks for the way back."""

    sql: str
    query_id: str = ""
    catalog: str = "default"
    schema: str = "default"
    #: The branch that changes of data go to; SET WRITE_BRANCH changes it.
    write_branch: str | None = None
    anchors: Anchors = field(init=False)
    #: The first and the last character of every item of every SELECT list, as written.
    items: list[tuple[int, int]] = field(default_factory=list)

    #: A schema or a table that the statement asks about and that must be there: catalog, schema, table.
    asked_for: tuple[str, str, str | None] | None = None
    #: The virtual tables that the statement reads.
    virtual: list[VirtualTable] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.anchors = Anchors(self.sql)

    def item_around(self, place: int) -> tuple[int, int] | None:
        """The innermost item of a SELECT list that contains a place."""
        around = [item for item in self.items if item[0] <= place <= item[1]]
        return min(around, key=lambda item: item[1] - item[0], default=None)
