"""CREATE TABLE, CREATE VIEW, CREATE SCHEMA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.sql.commands import CreateLike, CreateView, FullName, SetDefaults
from sqe.sql.context import Context
from sqe.sql.statements.attach import create_secret
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.defaults import default_query
from sqe.sql.statements.names import check_new, full_name
from sqe.sql.statements.outcome import Outcome
from sqe.sql.statements.properties import Properties, read_properties
from sqe.sql.statements.transforms import transform_list
from sqe.sql.statements.writing import literal, name_text, path_text, type_text
from sqe.sql.tokens import position_of

#: Translates the tokens of a query; the text still carries its marks.
QueryText = Callable[[Sequence[Token]], str]
_NOT_OFFERED = ("FUNCTION", "INDEX", "PROCEDURE", "SEQUENCE", "TYPE", "ROLE", "USER", "TRIGGER", "GLOBAL")
_COLUMN_ENDS = ("NOT", "NULL", "DEFAULT", "COMMENT", "WITH", "FIRST", "AFTER", "PRIMARY", "GENERATED")


def create(cursor: Cursor, context: Context, query_text: QueryText) -> Outcome:
    """What a CREATE stands for."""
    replace = cursor.word("OR", "REPLACE")
    if cursor.word("TEMPORARY", "VIEW") or cursor.word("TEMP", "VIEW"):
        made, _ = _view(cursor, context, query_text, replace=replace)
        return Outcome(spark=(made.replace(" VIEW", " TEMPORARY VIEW", 1),))
    if cursor.word("SCHEMA") or cursor.word("DATABASE") or cursor.word("NAMESPACE"):
        return Outcome(spark=(_schema(cursor, context),))
    if cursor.word("VIEW"):
        made, command = _view(cursor, context, query_text, replace=replace)
        if context.relative_files:
            raise NotSupportedError("a view cannot keep relative paths", hint="write the whole path of the file")
        return Outcome(spark=(made,), command=command)
    if cursor.word("SECRET"):
        return Outcome(command=create_secret(cursor, replace=replace))
    if cursor.word("MATERIALIZED", "VIEW"):
        raise NotSupportedError("materialized views are not supported", hint="use CREATE TABLE … AS or CREATE VIEW")
    if cursor.word("TABLE"):
        return _table(cursor, context, query_text, replace=replace)
    for kind in _NOT_OFFERED:
        if cursor.sees(kind):
            raise NotSupportedError(f"CREATE {kind} is not supported")
    raise cursor.error("TABLE, VIEW or SCHEMA is expected")


def _needs_catalog(path: Sequence[Name], parts: int, context: Context) -> None:
    """A name of so many parts begins with a catalog; Spark would look for nested schemas otherwise."""
    if len(path) >= parts:
        context.catalogs.append(path[0])


def _if_not_exists(cursor: Cursor) -> str:
    return " IF NOT EXISTS" if cursor.word("IF", "NOT", "EXISTS") else ""


def _schema(cursor: Cursor, context: Context) -> str:
    exists = _if_not_exists(cursor)
    path = check_new(cursor.path())
    _needs_catalog(path, 2, context)
    text = f"CREATE NAMESPACE{exists} {path_text(path, context)}"
    properties = Properties()
    while not cursor.ended:
        if cursor.word("LOCATION"):
            properties.location = cursor.text()
        elif cursor.word("COMMENT"):
            text += f" COMMENT {literal(cursor.text())}"
        elif cursor.word("WITH", "DBPROPERTIES") or cursor.word("WITH", "PROPERTIES") or cursor.word("WITH"):
            read_properties(cursor, context, properties)
        else:
            cursor.end()
    if properties.location is not None:
        text += f" LOCATION {literal(properties.location)}"
    return text + properties.written().replace(" TBLPROPERTIES ", " WITH DBPROPERTIES ")


def _view(cursor: Cursor, context: Context, query_text: QueryText, *, replace: bool) -> tuple[str, CreateView]:
    words = "CREATE OR REPLACE VIEW" if replace else "CREATE VIEW"
    exists = _if_not_exists(cursor)
    path = check_new(cursor.path())
    _needs_catalog(path, 3, context)
    text = f"{words}{exists} {path_text(path, context)}"
    if cursor.take(TokenType.L_PAREN):
        columns = [_view_column(cursor, context)]
        while cursor.take(TokenType.COMMA):
            columns.append(_view_column(cursor, context))
        cursor.need(TokenType.R_PAREN, ")")
        text += f" ({', '.join(columns)})"
    if cursor.word("COMMENT"):
        text += f" COMMENT {literal(cursor.text())}"
    security = cursor.one_of("INVOKER", "DEFINER") if cursor.word("SECURITY") else "INVOKER"
    properties = Properties()
    if cursor.word("TBLPROPERTIES"):
        read_properties(cursor, context, properties)
        text += properties.written()
    cursor.expect("AS")
    query = cursor.rest()
    made = query_text(query)
    if context.secrets:
        raise NotSupportedError("a view cannot keep credentials", hint="CREATE TABLE … AS keeps the rows instead")
    target = full_name([part.text for part in path], context)
    if target in context.read and replace:
        raise SqlSemanticError("a view cannot read itself", position=position_of(path[-1].token))
    command = CreateView(target, cursor.written(query), security)
    return f"{text} AS {made}", command


def _view_column(cursor: Cursor, context: Context) -> str:
    text = name_text(cursor.name(), context)
    return f"{text} COMMENT {literal(cursor.text())}" if cursor.word("COMMENT") else text


def _table(cursor: Cursor, context: Context, query_text: QueryText, *, replace: bool) -> Outcome:
    words = "CREATE OR REPLACE TABLE" if replace else "CREATE TABLE"
    exists = _if_not_exists(cursor)
    path = check_new(cursor.path())
    _needs_catalog(path, 3, context)
    target = full_name([part.text for part in path], context)
    if cursor.sees("LIKE") or _sees_only_like(cursor):
        return Outcome(command=_like(cursor, context, target, exists=bool(exists), replace=replace))
    name = path_text(path, context)
    defaults: dict[str, str | None] = {}
    columns = _columns(cursor, context, defaults) if cursor.take(TokenType.L_PAREN) else ""
    properties, comment = Properties(), ""
    while not cursor.ended and not cursor.sees("AS"):
        comment = _table_clause(cursor, context, properties) or comment
    if defaults:
        # Older versions of the format have no defaults.
        properties.values.setdefault("format-version", "3")
    query = f" AS {_source(cursor, query_text)}" if cursor.word("AS") else ""
    partitions = f" PARTITIONED BY ({', '.join(properties.partitioning)})" if properties.partitioning else ""
    location = f" LOCATION {literal(properties.location)}" if properties.location is not None else ""
    text = f"{words}{exists} {name}{columns} USING iceberg{partitions}{location}{comment}{properties.written()}{query}"
    command = SetDefaults(target, defaults) if defaults else None
    return Outcome(spark=(text, *_alterations(name, properties)), command=command)


def _source(cursor: Cursor, query_text: QueryText) -> str:
    """The query of a CTAS, perhaps WITH [NO] DATA."""
    tokens = cursor.rest()
    words = [token.text.upper() for token in tokens[-3:]]
    if words == ["WITH", "NO", "DATA"]:
        return f"SELECT * FROM ({query_text(tokens[:-3])}) LIMIT 0"
    return query_text(tokens[:-2] if words[-2:] == ["WITH", "DATA"] else tokens)


def _sees_only_like(cursor: Cursor) -> bool:
    """`(LIKE other …)`."""
    return cursor.next_is(TokenType.L_PAREN) and cursor.sees("(", "LIKE")


def _like(cursor: Cursor, context: Context, target: FullName, *, exists: bool, replace: bool) -> CreateLike:
    """`LIKE other` makes the same table again; `(LIKE other)` takes its columns, and more if it says so."""
    if replace:
        raise NotSupportedError("CREATE OR REPLACE TABLE … LIKE is not supported", hint="drop the table first")
    bracket = cursor.take(TokenType.L_PAREN)
    cursor.expect("LIKE")
    source = full_name([part.text for part in cursor.path()], context)
    everything = not bracket
    if cursor.word("INCLUDING", "PROPERTIES"):
        everything = True
    elif cursor.word("EXCLUDING", "PROPERTIES"):
        everything = False
    if bracket:
        cursor.need(TokenType.R_PAREN, ")")
    properties = Properties()
    while not cursor.ended:
        if _table_clause(cursor, context, properties) or properties.partitioning or properties.sorted_by:
            raise NotSupportedError("CREATE TABLE … LIKE takes LOCATION and properties, nothing else")
    return CreateLike(target, source, exists, everything, properties.values, properties.location)


def _alterations(name: str, properties: Properties) -> list[str]:
    """What Spark takes only after the table is there."""
    found = []
    if properties.sorted_by:
        found.append(f"ALTER TABLE {name} WRITE ORDERED BY {', '.join(properties.sorted_by)}")
    if properties.identifier_fields:
        found.append(f"ALTER TABLE {name} SET IDENTIFIER FIELDS {', '.join(properties.identifier_fields)}")
    return found


def _table_clause(cursor: Cursor, context: Context, properties: Properties) -> str:
    """Read one clause; answers the comment if that is what it was."""
    if cursor.word("COMMENT"):
        return f" COMMENT {literal(cursor.text())}"
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
    return ""


def _columns(cursor: Cursor, context: Context, defaults: dict[str, str | None]) -> str:
    columns = []
    while True:
        if cursor.sees("LIKE"):
            raise NotSupportedError("LIKE stands alone in the list of columns")
        made = column(cursor, context)
        columns.append(made.written)
        if made.default is not None:
            defaults[".".join(part.text for part in made.path)] = made.default
        if not cursor.take(TokenType.COMMA):
            break
    cursor.need(TokenType.R_PAREN, ")")
    return f" ({', '.join(columns)})"


@dataclass(frozen=True)
class Column:
    """A column's definition; name and type in Spark's words."""

    path: list[Name]
    name: str
    type: str
    required: bool = False
    comment: str | None = None
    default: str | None = None

    @property
    def written(self) -> str:
        """All but the default, for a statement of Spark's."""
        comment = f" COMMENT {literal(self.comment)}" if self.comment is not None else ""
        return f"{self.name} {self.type}{' NOT NULL' if self.required else ''}{comment}"


def column(cursor: Cursor, context: Context) -> Column:
    """Read a column's definition."""
    path = cursor.path()
    kind = type_text(_type_tokens(cursor), cursor, context)
    required, comment, default = False, None, None
    while not cursor.ended:
        if cursor.word("NOT", "NULL"):
            required = True
        elif cursor.word("COMMENT"):
            comment = cursor.text()
        elif cursor.word("DEFAULT"):
            default = default_query(cursor.until("NOT", "COMMENT", "FIRST", "AFTER"), cursor)
        elif not cursor.word("NULL"):
            break
    return Column(path, path_text(path, context), kind, required, comment, default)


def _type_tokens(cursor: Cursor) -> list[Token]:
    tokens = cursor.until(*_COLUMN_ENDS)
    if cursor.word("WITH", "TIME", "ZONE") or cursor.word("WITHOUT", "TIME", "ZONE"):
        return [*tokens, *cursor.taken(3)]
    return tokens
