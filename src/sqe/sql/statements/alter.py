"""ALTER TABLE, ALTER VIEW, ALTER SCHEMA."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import NotSupportedError
from sqe.sql.anchors import unmarked
from sqe.sql.commands import AddColumns, NewColumn, SetDefaults
from sqe.sql.context import Context
from sqe.sql.statements.columns import Column, column
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.defaults import default_query
from sqe.sql.statements.names import check_new, full_name
from sqe.sql.statements.outcome import Outcome
from sqe.sql.statements.procedures import execute
from sqe.sql.statements.properties import Properties, read_properties, read_property
from sqe.sql.statements.transforms import transform
from sqe.sql.statements.writing import literal, name_text, path_text, schema_text, table_text, type_text
from sqe.sql.tokens import position_of

_RETENTION = {"DAYS", "HOURS", "MINUTES"}


def alter(cursor: Cursor, context: Context) -> Outcome:
    """What an ALTER stands for."""
    kind = cursor.one_of("TABLE", "VIEW", "SCHEMA", "DATABASE", "NAMESPACE")
    exists = cursor.word("IF", "EXISTS")
    path = cursor.path()
    if exists and kind == "TABLE":
        raise NotSupportedError("ALTER TABLE IF EXISTS is not supported")
    if kind in {"SCHEMA", "DATABASE", "NAMESPACE"}:
        return Outcome(spark=(_alter_schema(cursor, context, schema_text(path, context)),))
    name = table_text(path, context)
    if cursor.word("RENAME", "TO"):
        return Outcome(spark=(f"ALTER {kind} {name} RENAME TO {_new_name(cursor, context, path)}",))
    if kind == "VIEW":
        return Outcome(spark=(f"ALTER VIEW {name} {_properties(cursor, context)}",))
    for words, action in _ACTIONS.items():
        if cursor.word(*words.split()):
            made = action(cursor, context, name)
            cursor.end()
            return Outcome(spark=(made,)) if isinstance(made, str) else made
    raise cursor.error("ADD, DROP, ALTER, RENAME, SET, WRITE, CREATE, REPLACE or EXECUTE is expected")


def _new_name(cursor: Cursor, context: Context, old: Sequence[Name]) -> str:
    """The name after RENAME TO without its catalog, which Spark would take for a schema."""
    target = list(check_new(cursor.path()))
    cursor.end()
    if len(target) == 1:
        # A new name alone stays in the schema of the old one.
        target = [*old[:-1], *target]
    if len(target) < 3:
        return table_text(target, context)
    catalog = old[0].text if len(old) > 2 else context.catalog
    if target[0].text != catalog:
        raise NotSupportedError(
            f"a table of {catalog} cannot be moved to another catalog", position=position_of(target[0].token)
        )
    return table_text(target[1:], context)


def _alter_schema(cursor: Cursor, context: Context, name: str) -> str:
    if cursor.sees("RENAME", "TO"):
        raise NotSupportedError("schemas cannot be renamed")
    cursor.expect("SET")
    cursor.one_of("DBPROPERTIES", "PROPERTIES")
    properties = Properties()
    read_properties(cursor, context, properties)
    cursor.end()
    return f"ALTER NAMESPACE {name} SET{properties.written().replace('TBLPROPERTIES', 'DBPROPERTIES')}"


def _add_column(cursor: Cursor, context: Context, name: str) -> str | Outcome:
    if cursor.word("IF", "NOT", "EXISTS"):
        raise NotSupportedError("ADD COLUMN IF NOT EXISTS is not supported")
    bracket = cursor.take(TokenType.L_PAREN)
    columns = [_placed_column(cursor, context)]
    while bracket and cursor.take(TokenType.COMMA):
        columns.append(_placed_column(cursor, context))
    if bracket:
        cursor.need(TokenType.R_PAREN, ")")
    if any(made.default is not None for made, _ in columns):
        added = tuple(_new_column(made, place, context) for made, place in columns)
        return Outcome(command=AddColumns(full_name(_parts(name), context), added))
    written = ", ".join(made.written + place for made, place in columns)
    return f"ALTER TABLE {name} ADD COLUMNS ({written})"


def _placed_column(cursor: Cursor, context: Context) -> tuple[Column, str]:
    return column(cursor, context), _place(cursor, context)


def _new_column(made: Column, place: str, context: Context) -> NewColumn:
    kind = context.anchors.taken_out(made.type)[0]
    before = unmarked(place).strip()
    after = before.removeprefix("AFTER ").strip("`") if before.startswith("AFTER") else before
    path = tuple(part.text for part in made.path)
    return NewColumn(path, kind, made.required, made.comment, made.default, after)


def _parts(name: str) -> list[str]:
    """The parts of a name in Spark's quotes."""
    return [part.replace("``", "`") for part in unmarked(name).strip("`").split("`.`")]


def _place(cursor: Cursor, context: Context) -> str:
    if cursor.word("FIRST"):
        return " FIRST"
    return f" AFTER {name_text(cursor.name(), context)}" if cursor.word("AFTER") else ""


def _drop_column(cursor: Cursor, context: Context, name: str) -> str:
    exists = " IF EXISTS" if cursor.word("IF", "EXISTS") else ""
    bracket = cursor.take(TokenType.L_PAREN)
    columns = [path_text(cursor.path(), context)]
    while bracket and cursor.take(TokenType.COMMA):
        columns.append(path_text(cursor.path(), context))
    if bracket:
        cursor.need(TokenType.R_PAREN, ")")
    return f"ALTER TABLE {name} DROP COLUMNS{exists} ({', '.join(columns)})"


def _rename_column(cursor: Cursor, context: Context, name: str) -> str:
    old = path_text(cursor.path(), context)
    cursor.expect("TO")
    return f"ALTER TABLE {name} RENAME COLUMN {old} TO {name_text(cursor.name(), context)}"


def _alter_column(cursor: Cursor, context: Context, name: str) -> str | Outcome:
    path = cursor.path()
    head = f"ALTER TABLE {name} ALTER COLUMN {path_text(path, context)}"
    if cursor.word("SET", "DATA", "TYPE") or cursor.word("TYPE"):
        return f"{head} TYPE {type_text(cursor.rest(), cursor, context)}"
    if cursor.word("SET", "NOT", "NULL"):
        return f"{head} SET NOT NULL"
    if cursor.word("DROP", "NOT", "NULL"):
        return f"{head} DROP NOT NULL"
    if cursor.word("COMMENT"):
        return f"{head} COMMENT {literal(cursor.text())}"
    if cursor.sees("SET", "DEFAULT") or cursor.sees("DROP", "DEFAULT"):
        value = default_query(cursor.rest(), cursor) if cursor.word("SET", "DEFAULT") else None
        cursor.word("DROP", "DEFAULT")
        column_name = ".".join(part.text for part in path)
        return Outcome(command=SetDefaults(full_name(_parts(name), context), {column_name: value}))
    place = _place(cursor, context)
    if not place:
        raise cursor.error("SET DATA TYPE, SET NOT NULL, DROP NOT NULL, COMMENT, FIRST or AFTER is expected")
    return head + place


def _properties(cursor: Cursor, context: Context) -> str:
    cursor.expect("SET")
    cursor.one_of("TBLPROPERTIES", "PROPERTIES")
    made = _written_properties(cursor, context)
    cursor.end()
    return made


def _written_properties(cursor: Cursor, context: Context) -> str:
    """`SET PROPERTIES a = 1, b = 2` of Trino's or `SET TBLPROPERTIES ('a' = '1')` of Spark's."""
    properties = Properties()
    if cursor.next_is(TokenType.L_PAREN):
        read_properties(cursor, context, properties)
    else:
        read_property(cursor, context, properties)
        while cursor.take(TokenType.COMMA):
            read_property(cursor, context, properties)
    if properties.partitioning or properties.sorted_by or properties.location is not None:
        raise NotSupportedError(
            "partitioning, order and location are not properties here",
            hint="use ADD/DROP/REPLACE PARTITION FIELD or WRITE ORDERED BY",
        )
    return f"SET{properties.written()}"


def _set_properties(cursor: Cursor, context: Context, name: str) -> str:
    return f"ALTER TABLE {name} {_written_properties(cursor, context)}"


def _unset(cursor: Cursor, context: Context, name: str) -> str:
    del context
    exists = " IF EXISTS" if cursor.word("IF", "EXISTS") else ""
    cursor.need(TokenType.L_PAREN, "(")
    keys = [literal(cursor.text())]
    while cursor.take(TokenType.COMMA):
        keys.append(literal(cursor.text()))
    cursor.need(TokenType.R_PAREN, ")")
    return f"ALTER TABLE {name} UNSET TBLPROPERTIES{exists} ({', '.join(keys)})"


def _add_field(cursor: Cursor, context: Context, name: str) -> str:
    text = f"ALTER TABLE {name} ADD PARTITION FIELD {transform(cursor, context)}"
    return f"{text} AS {name_text(cursor.name(), context)}" if cursor.word("AS") else text


def _drop_field(cursor: Cursor, context: Context, name: str) -> str:
    return f"ALTER TABLE {name} DROP PARTITION FIELD {transform(cursor, context)}"


def _replace_field(cursor: Cursor, context: Context, name: str) -> str:
    old = transform(cursor, context)
    cursor.expect("WITH")
    text = f"ALTER TABLE {name} REPLACE PARTITION FIELD {old} WITH {transform(cursor, context)}"
    return f"{text} AS {name_text(cursor.name(), context)}" if cursor.word("AS") else text


def _write(cursor: Cursor, context: Context, name: str) -> str:
    del context
    return f"ALTER TABLE {name} WRITE {cursor.written(cursor.rest())}"


def _identifier_fields(verb: str) -> Callable[[Cursor, Context, str], str]:
    def made(cursor: Cursor, context: Context, name: str) -> str:
        fields = [path_text(cursor.path(), context)]
        while cursor.take(TokenType.COMMA):
            fields.append(path_text(cursor.path(), context))
        return f"ALTER TABLE {name} {verb} IDENTIFIER FIELDS {', '.join(fields)}"

    return made


def _make_ref(verb: str, kind: str) -> Callable[[Cursor, Context, str], str]:
    def made(cursor: Cursor, context: Context, name: str) -> str:
        exists = " IF NOT EXISTS" if cursor.word("IF", "NOT", "EXISTS") else ""
        text = f"ALTER TABLE {name} {verb} {kind}{exists} {name_text(cursor.name(), context)}"
        if cursor.word("AS", "OF", "VERSION"):
            text += f" AS OF VERSION {_number(cursor)}"
        if cursor.word("RETAIN"):
            text += f" RETAIN {_number(cursor)} {cursor.one_of(*sorted(_RETENTION))}"
        if cursor.sees("WITH", "SNAPSHOT", "RETENTION"):
            text += " " + cursor.written(cursor.rest())
        return text + _retention(cursor, kind)

    return made


def _retention(cursor: Cursor, kind: str) -> str:
    """`WITH RETENTION (max_ref_age_ms = N)`."""
    if not cursor.word("WITH", "RETENTION"):
        return ""
    cursor.need(TokenType.L_PAREN, "(")
    cursor.expect("max_ref_age_ms")
    cursor.need(TokenType.EQ, "=")
    millis = int(_number(cursor))
    cursor.need(TokenType.R_PAREN, ")")
    del kind
    return f" RETAIN {max(1, millis // 60_000)} MINUTES"


def _drop_ref(kind: str) -> Callable[[Cursor, Context, str], str]:
    def made(cursor: Cursor, context: Context, name: str) -> str:
        exists = " IF EXISTS" if cursor.word("IF", "EXISTS") else ""
        return f"ALTER TABLE {name} DROP {kind}{exists} {name_text(cursor.name(), context)}"

    return made


def _number(cursor: Cursor) -> str:
    if not cursor.take(TokenType.NUMBER):
        raise cursor.error("a number is expected")
    return cursor.taken(1)[0].text


#: By the words that follow the table's name, the longer ones first.
_ACTIONS: dict[str, Callable[[Cursor, Context, str], str | Outcome]] = {
    "ADD PARTITION FIELD": _add_field,
    "DROP PARTITION FIELD": _drop_field,
    "REPLACE PARTITION FIELD": _replace_field,
    "CREATE OR REPLACE BRANCH": _make_ref("CREATE OR REPLACE", "BRANCH"),
    "CREATE OR REPLACE TAG": _make_ref("CREATE OR REPLACE", "TAG"),
    "CREATE BRANCH": _make_ref("CREATE", "BRANCH"),
    "CREATE TAG": _make_ref("CREATE", "TAG"),
    "REPLACE BRANCH": _make_ref("REPLACE", "BRANCH"),
    "REPLACE TAG": _make_ref("REPLACE", "TAG"),
    "DROP BRANCH": _drop_ref("BRANCH"),
    "DROP TAG": _drop_ref("TAG"),
    "ADD COLUMNS": _add_column,
    "ADD COLUMN": _add_column,
    "DROP COLUMNS": _drop_column,
    "DROP COLUMN": _drop_column,
    "RENAME COLUMN": _rename_column,
    "ALTER COLUMN": _alter_column,
    "CHANGE COLUMN": _alter_column,
    "SET IDENTIFIER FIELDS": _identifier_fields("SET"),
    "DROP IDENTIFIER FIELDS": _identifier_fields("DROP"),
    "SET TBLPROPERTIES": _set_properties,
    "SET PROPERTIES": _set_properties,
    "UNSET TBLPROPERTIES": _unset,
    "WRITE": _write,
    "EXECUTE": execute,
}
