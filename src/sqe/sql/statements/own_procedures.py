"""Procedures that Iceberg has not, or takes with other arguments."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import SqlSyntaxError
from sqe.sql.context import Context
from sqe.sql.tokens import position_of
from sqe.sql.virtual import Answer

Arguments = dict[str, list[Token]]
#: Each with its arguments in order.
OWN_PROCEDURES: dict[str, tuple[str, ...]] = {
    "table_health": ("table",),
    "suggest_bloom_filter_columns": ("table", "history_limit"),
    "refresh_catalog_cache": (),
    "register_table": ("namespace", "table_name", "metadata_location"),
    "drop_table": ("namespace", "table_name", "purge"),
    "kill_query": ("query_id", "message"),
}
#: Its full name; the others are in the schema `system` of a catalog.
KILL_QUERY = ["system", "runtime", "kill_query"]
_OPTIONAL = frozenset({"history_limit", "purge", "message"})
_DEFAULT_HISTORY = "1000"


def is_own(name: str, arguments: Arguments) -> bool:
    """Whether a call is one of these; `register_table` is Iceberg's too, with two arguments of other names."""
    if name != "register_table":
        return name in OWN_PROCEDURES
    return len(arguments) > 2 or any(key in OWN_PROCEDURES[name] for key in arguments)


def own_procedure(name: str, arguments: Arguments, catalog: str | None, context: Context) -> list[str] | Answer:
    """What answers a call."""
    given = _named(name, arguments)
    if name == "refresh_catalog_cache":
        return Answer(f"procedure.{name}", catalog)
    if name == "kill_query":
        return Answer(f"procedure.{name}", asked=given)
    if "table" in given:
        owner, schema, table = _path(given["table"].split("."), catalog, context)
    else:
        owner, schema, table = _path([*given["namespace"].split("."), given["table_name"]], catalog, context)
    asked = {"table_schema": schema, "table_name": table}
    if name == "drop_table":
        purge = " PURGE" if _is_true(given.get("purge", "false"), arguments) else ""
        return [f"DROP TABLE {_quoted(owner)}.{'.'.join(map(_quoted, schema.split('.')))}.{_quoted(table)}{purge}"]
    if name == "register_table":
        return Answer(f"procedure.{name}", owner, {**asked, "metadata_location": given["metadata_location"]})
    context.asked_for = (owner, schema, table)
    if name == "suggest_bloom_filter_columns":
        asked["history_limit"] = _whole(given.get("history_limit", _DEFAULT_HISTORY), arguments)
    return Answer(f"procedure.{name}", owner, asked)


def _named(name: str, arguments: Arguments) -> dict[str, str]:
    """The arguments by their names, as plain texts."""
    known = OWN_PROCEDURES[name]
    found: dict[str, str] = {}
    for key, tokens in arguments.items():
        place = position_of(tokens[0])
        if key.isdigit() and int(key) >= len(known):
            raise SqlSyntaxError(f"system.{name} takes at most {len(known)} arguments", position=place)
        wanted = known[int(key)] if key.isdigit() else key
        if wanted not in known:
            hint = f"it takes {', '.join(known)}" if known else "it takes none"
            raise SqlSyntaxError(f"system.{name} has no argument {key}", hint=hint, position=place)
        if len(tokens) > 1 or tokens[0].token_type is TokenType.NULL:
            raise SqlSyntaxError(f"the argument {wanted} is a plain value", position=place)
        found[wanted] = tokens[0].text
    for wanted in known:
        if wanted not in found and wanted not in _OPTIONAL:
            raise SqlSyntaxError(f"system.{name} needs the argument {wanted}", hint=f"it takes {', '.join(known)}")
    return found


def _path(parts: list[str], catalog: str | None, context: Context) -> tuple[str, str, str]:
    """Catalog, schema and table; a name in full may repeat the catalog of the call."""
    *schema, table = parts
    if catalog is None and len(schema) > 1:
        catalog, *schema = schema
    elif len(schema) > 1 and schema[0] == catalog:
        schema = schema[1:]
    return catalog or context.catalog, ".".join(schema) or context.schema, table


def _is_true(value: str, arguments: Arguments) -> bool:
    if value.lower() not in {"true", "false"}:
        raise SqlSyntaxError("purge is true or false", position=position_of(list(arguments.values())[-1][0]))
    return value.lower() == "true"


def _whole(value: str, arguments: Arguments) -> str:
    if not value.isdigit() or not int(value):
        raise SqlSyntaxError(
            "history_limit is a whole number of statements, at least 1",
            position=position_of(list(arguments.values())[-1][0]),
        )
    return value


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
