"""Statements that no text of Spark's stands for: what is to be done, as data. The pipeline carries them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

#: Catalog, schema and name.
FullName = tuple[str, str, str]


@dataclass(frozen=True)
class Explain:
    """The plan of the statement: `plain`, `analyze` (it runs), `full` (with what would be read).

    `extended`, `formatted` and `cost` are Spark's own forms, and the text is theirs.
    """

    mode: str


@dataclass(frozen=True)
class Summarize:
    """A line about each column of the query."""


@dataclass(frozen=True)
class Copy:
    """The rows of the query go to files."""

    target: str
    format: str
    options: Mapping[str, str]
    partition_by: tuple[str, ...] = ()
    overwrite: bool = False


@dataclass(frozen=True)
class NewColumn:
    """A column to add, in Spark's words."""

    path: tuple[str, ...]
    type: str
    required: bool = False
    comment: str | None = None
    #: A query with one column: the value.
    default: str | None = None
    #: `` (at the end), `FIRST`, or the column before it.
    after: str = ""


@dataclass(frozen=True)
class SetDefaults:
    """The statement makes the table, if there is one; these columns of it then get default values."""

    table: FullName
    #: By column: a query with one column, the value; None takes the default away.
    values: Mapping[str, str | None]


@dataclass(frozen=True)
class AddColumns:
    """Columns of which at least one has a default."""

    table: FullName
    columns: tuple[NewColumn, ...]


@dataclass(frozen=True)
class CreateLike:
    """A table with the columns of others, perhaps some more, and perhaps with the rest of what makes one of them."""

    table: FullName
    #: Tables whose columns it has, and columns of its own, in their order.
    parts: tuple[FullName | NewColumn, ...]
    if_not_exists: bool = False
    #: The one of the tables that it has partitioning, order and properties of.
    everything_of: FullName | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    location: str | None = None


@dataclass(frozen=True)
class CreateView:
    """The statement makes the view; what was written is kept beside it for engines that read Trino's SQL."""

    view: FullName
    written: str
    security: str
    #: The relations that it reads.
    read: frozenset[FullName] = field(default=frozenset(), repr=False)


@dataclass(frozen=True)
class DropSchema:
    """All that a schema holds goes first, then the schema; catalogs of Iceberg's drop none that holds anything."""

    catalog: str
    schema: str


@dataclass(frozen=True)
class CreateSecret:
    """Credentials under a name."""

    name: str
    kind: str
    options: Mapping[str, str] = field(repr=False)
    replace: bool = False
    if_not_exists: bool = False

    @property
    def hidden(self) -> list[str]:
        """What nobody may be shown."""
        return [value for key, value in self.options.items() if key not in {"username", "region", "profile"}]


@dataclass(frozen=True)
class DropSecret:
    """The end of a secret."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True)
class ShowSecrets:
    """Names and kinds, never values."""


@dataclass(frozen=True)
class Attach:
    """A catalog for this session's user until it is detached or the engine ends."""

    name: str
    kind: str
    location: str
    options: Mapping[str, str] = field(repr=False)
    secret: str | None = None
    if_not_exists: bool = False

    @property
    def hidden(self) -> list[str]:
        """What nobody may be shown: a password in the address."""
        return [unquote(urlsplit(self.location.removeprefix("jdbc:")).password or "")]


@dataclass(frozen=True)
class Detach:
    """The end of an attachment."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True)
class Prepare:
    """A statement under a name, for the session."""

    name: str
    text: str


@dataclass(frozen=True)
class Deallocate:
    """The end of a prepared statement."""

    name: str


@dataclass(frozen=True)
class DescribeOutput:
    """The columns of the statement, which is not run."""

    kind: str = ""
    #: Columns that the query gives names to.
    aliases: frozenset[str] = frozenset()


Command = (
    Explain
    | Summarize
    | Copy
    | SetDefaults
    | AddColumns
    | CreateLike
    | CreateView
    | DropSchema
    | CreateSecret
    | DropSecret
    | ShowSecrets
    | Attach
    | Detach
    | Prepare
    | Deallocate
    | DescribeOutput
)
