"""CALL system.…(…), and ALTER TABLE … EXECUTE … as Trino spells the same work."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotSupportedError, SqlSemanticError, SqlSyntaxError
from sqe.sql.anchors import unmarked
from sqe.sql.context import Context
from sqe.sql.statements.cursor import Cursor, Name
from sqe.sql.statements.own_procedures import KILL_QUERY, OWN_PROCEDURES, is_own, own_procedure
from sqe.sql.statements.writing import literal
from sqe.sql.tokens import position_of
from sqe.sql.virtual import Answer

#: Iceberg's procedures and the arguments that each takes, the required ones first.
PROCEDURES: dict[str, tuple[str, ...]] = {
    "rewrite_data_files": ("table", "strategy", "sort_order", "options", "where"),
    "rewrite_manifests": ("table", "use_caching", "spec_id"),
    "rewrite_position_delete_files": ("table", "options", "where"),
    "expire_snapshots": (
        "table", "older_than", "retain_last", "max_concurrent_deletes", "stream_results", "snapshot_ids",
        "clean_expired_metadata",
    ),
    "remove_orphan_files": (
        "table", "older_than", "location", "dry_run", "max_concurrent_deletes", "file_list_view", "equal_schemes",
        "equal_authorities", "prefix_mismatch_mode",
    ),
    "rollback_to_snapshot": ("table", "snapshot_id"),
    "rollback_to_timestamp": ("table", "timestamp"),
    "set_current_snapshot": ("table", "snapshot_id", "ref"),
    "cherrypick_snapshot": ("table", "snapshot_id"),
    "publish_changes": ("table", "wap_id"),
    "fast_forward": ("table", "branch", "to"),
    "ancestors_of": ("table", "snapshot_id"),
    "compute_table_stats": ("table", "snapshot_id", "columns"),
    "compute_partition_stats": ("table", "snapshot_id"),
    "register_table": ("table", "metadata_file"),
}  # fmt: skip
#: Options of `rewrite_data_files` that are arguments of their own here.
_OPTIONS = {
    "target_file_size_bytes": "target-file-size-bytes", "min_input_files": "min-input-files",
    "max_concurrent_file_group_rewrites": "max-concurrent-file-group-rewrites",
    "delete_file_threshold": "delete-file-threshold", "rewrite_all": "rewrite-all",
}  # fmt: skip
#: What may follow EXECUTE, with the arguments that each takes; the size of files is the table's own property.
_EXECUTES: dict[str, tuple[str, ...]] = {
    "optimize": ("file_size_threshold",),
    "optimize_manifests": (),
    "expire_snapshots": ("retention_threshold",),
    "remove_orphan_files": ("retention_threshold",),
    "rollback_to_snapshot": ("snapshot_id", "0"),
}
#: A hundred years in seconds: no snapshot and no file is older.
_LONG_AGO = 100 * 365 * 86400


def call_procedure(cursor: Cursor, context: Context) -> list[str] | Answer:
    """`CALL [catalog.]system.name(…)`."""
    path = cursor.path()
    names = [part.text for part in path]
    if names == KILL_QUERY:
        cursor.need(TokenType.L_PAREN, "(")
        arguments = _arguments(cursor)
        cursor.end()
        return own_procedure(names[-1], arguments, None, context)
    if len(names) < 2 or names[-2] != "system":
        raise NotSupportedError(
            f"there is no procedure {'.'.join(names)}", hint="procedures are called as CALL catalog.system.name(…)"
        )
    catalog = names[0] if len(names) > 2 else None
    name = _known(names[-1], path[-1].token)
    cursor.need(TokenType.L_PAREN, "(")
    arguments = _arguments(cursor)
    cursor.end()
    if is_own(name, arguments):
        return own_procedure(name, arguments, catalog, context)
    _refuse_unknown(name, arguments)
    owner = catalog or _catalog_of(arguments, context)
    return [f"CALL {_quoted(owner)}.system.{name}({_written(name, arguments, owner, context)})"]


def _known(name: str, token: Token) -> str:
    known = {*PROCEDURES, *OWN_PROCEDURES} - {KILL_QUERY[-1]}
    if name not in known:
        raise SqlSemanticError(
            f"unknown procedure: system.{name}",
            hint=f"there are {', '.join(sorted(known))}",
            position=position_of(token),
        )
    return name


def _arguments(cursor: Cursor) -> dict[str, list[Token]]:
    """Named arguments by their names, positional ones by their numbers; never both."""
    found: dict[str, list[Token]] = {}
    while not cursor.take(TokenType.R_PAREN):
        tokens = cursor.until()
        if not tokens:
            raise cursor.error("an argument is expected")
        named = len(tokens) > 2 and tokens[1].token_type is TokenType.FARROW
        key = tokens[0].text.lower() if named else str(len(found))
        if found and named is next(iter(found)).isdigit():
            raise SqlSyntaxError("arguments are all named or all positional, not both", position=position_of(tokens[0]))
        found[key] = tokens[2:] if named else tokens
        if not cursor.take(TokenType.COMMA) and not cursor.next_is(TokenType.R_PAREN):
            raise cursor.error(") is expected")
    return found


def _refuse_unknown(name: str, arguments: dict[str, list[Token]]) -> None:
    allowed = {*PROCEDURES[name], *(_OPTIONS if name == "rewrite_data_files" else ())}
    for key, tokens in arguments.items():
        if not key.isdigit() and key not in allowed:
            raise SqlSyntaxError(
                f"system.{name} has no argument {key}",
                hint=f"it takes {', '.join(sorted(allowed))}",
                position=position_of(tokens[0]),
            )


def _catalog_of(arguments: dict[str, list[Token]], context: Context) -> str:
    """The catalog of the table that is named in full, else the current one."""
    tokens = arguments.get("table") or arguments.get("0") or []
    parts = tokens[0].text.split(".") if tokens else []
    return parts[0] if len(parts) > 2 else context.catalog


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _written(name: str, arguments: dict[str, list[Token]], owner: str, context: Context) -> str:
    options = {_OPTIONS[key]: tokens for key, tokens in arguments.items() if key in _OPTIONS}
    pieces = []
    for key, tokens in arguments.items():
        if key not in _OPTIONS:
            is_table = key in {"table", "0"} and tokens[0].token_type is TokenType.STRING
            value = literal(_full_name(tokens[0].text, owner, context)) if is_table else _value(tokens)
            pieces.append(value if key.isdigit() else f"{key} => {value}")
    if options and name == "rewrite_data_files":
        pairs = ", ".join(
            f"{literal(key)}, {literal(_value(tokens).strip(chr(39)))}" for key, tokens in options.items()
        )
        pieces.append(f"options => map({pairs})")
    return ", ".join(pieces)


def _full_name(table: str, owner: str, context: Context) -> str:
    """The table with its catalog: a schema may be called like another catalog."""
    parts = table.split(".")
    if len(parts) == 1:
        return f"{owner}.{context.schema}.{table}"
    return table if len(parts) > 2 or parts[0] == owner != context.schema else f"{owner}.{table}"


def _value(tokens: list[Token]) -> str:
    words = [literal(token.text) if token.token_type is TokenType.STRING else token.text for token in tokens]
    return " ".join(words)


def execute(cursor: Cursor, context: Context, name: str) -> str:
    """`ALTER TABLE t EXECUTE optimize(file_size_threshold => '10MB')` and the like."""
    verb = cursor.name()
    arguments = _arguments(cursor) if cursor.take(TokenType.L_PAREN) else {}
    _refuse_unknown_of_table(verb, arguments)
    owner, target = _owner(unmarked(name), context)
    text = literal(target)
    match verb.text:
        case "optimize":
            where = cursor.written(cursor.rest()[1:]) if cursor.sees("WHERE") else ""
            condition = f", where => {literal(where)}" if where else ""
            return f"CALL {owner}.system.rewrite_data_files(table => {text}{condition})"
        case "expire_snapshots":
            return f"CALL {owner}.system.expire_snapshots(table => {text}{_older_than(arguments)})"
        case "remove_orphan_files":
            return f"CALL {owner}.system.remove_orphan_files(table => {text}{_older_than(arguments)})"
        case "optimize_manifests":
            return f"CALL {owner}.system.rewrite_manifests(table => {text})"
        case "rollback_to_snapshot":
            snapshot = next(iter(arguments.values()), None)
            if snapshot is None:
                raise cursor.error("a snapshot is expected")
            return f"CALL {owner}.system.rollback_to_snapshot(table => {text}, snapshot_id => {_value(snapshot)})"
    raise AssertionError(verb.text)


def _refuse_unknown_of_table(verb: Name, arguments: dict[str, list[Token]]) -> None:
    if verb.text not in _EXECUTES:
        raise SqlSemanticError(
            f"there is no procedure {verb.text} for tables",
            hint=f"there are {', '.join(_EXECUTES)}",
            position=position_of(verb.token),
        )
    for key, tokens in arguments.items():
        if key not in _EXECUTES[verb.text]:
            named = "an argument without a name" if key.isdigit() else f"the argument {key}"
            raise SqlSyntaxError(f"{verb.text} does not take {named}", position=position_of(tokens[0]))


def _owner(table: str, context: Context) -> tuple[str, str]:
    """The catalog for the call, and the table's full name."""
    parts = table.strip("`").split("`.`")
    full = [*[context.catalog, context.schema][: max(0, 3 - len(parts))], *parts]
    return _quoted(full[0]), ".".join(_quoted(part) for part in full)


def _older_than(arguments: dict[str, list[Token]]) -> str:
    """`retention_threshold => '7d'`: so long ago, counted from now."""
    tokens = arguments.get("retention_threshold")
    if not tokens:
        return ""
    units = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    value = tokens[0].text.strip()
    unit = units.get(value[-1:])
    if unit is None or not re.fullmatch(r"\d{1,9}(\.\d+)?", value[:-1], re.ASCII):
        raise SqlSyntaxError("a retention is a number with d, h, m or s: '7d'", position=position_of(tokens[0]))
    # Spark binds the arguments of a procedure before it knows what a call in them gives, so this is a literal.
    seconds = min(float(value[:-1]) * unit, _LONG_AGO)
    moment = datetime.now(UTC) - timedelta(seconds=seconds)
    return f", older_than => TIMESTAMP_LTZ '{moment:%Y-%m-%d %H:%M:%S.%f} UTC'"
