"""DROP, TRUNCATE, COMMENT ON, EXPLAIN, SET and the statements that are accepted for the sake of clients."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokenizer_core import TokenType

from sqe.core.errors import NotSupportedError
from sqe.sql.commands import DropSchema, Explain, Summarize
from sqe.sql.context import Context
from sqe.sql.statements.create import QueryText
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.names import schema_name
from sqe.sql.statements.outcome import Outcome
from sqe.sql.statements.writing import literal, name_text, schema_text, table_query, table_text
from sqe.sql.tokens import position_of

#: Forms of Spark's that are shown; its others tell of generated code.
_EXPLAINS = ("EXTENDED", "FORMATTED", "COST")
_NO_EXPLAINS = ("CODEGEN", "GENERATED", "AST", "LOGICAL", "PHYSICAL")
#: Trino's options, and those of their values that mean what EXPLAIN does here anyway.
_EXPLAIN_OPTIONS = {"TYPE": ("LOGICAL", "DISTRIBUTED"), "FORMAT": ("TEXT",)}


def drop(cursor: Cursor, context: Context) -> Outcome:
    """`DROP TABLE | VIEW | SCHEMA`."""
    if cursor.word("MATERIALIZED", "VIEW"):
        if cursor.word("IF", "EXISTS"):
            return Outcome(spark=("SELECT 1 WHERE FALSE",))
        raise NotSupportedError("materialized views are not supported")
    kind = cursor.one_of("TABLE", "VIEW", "SCHEMA", "DATABASE", "NAMESPACE")
    exists = " IF EXISTS" if cursor.word("IF", "EXISTS") else ""
    path = cursor.path()
    if kind not in {"TABLE", "VIEW"}:
        cascade = cursor.word("CASCADE")
        if not cascade:
            cursor.word("RESTRICT")
        cursor.end()
        text = f"DROP NAMESPACE{exists} {schema_text(path, context)}"
        return Outcome(spark=(text,), command=DropSchema(*schema_name(path, context)) if cascade else None)
    text = f"DROP {kind}{exists} {table_text(path, context)}"
    if kind == "TABLE" and cursor.word("PURGE"):
        text += " PURGE"
    else:
        cursor.word("RESTRICT")
    cursor.end()
    return Outcome(spark=(text,))


def truncate(cursor: Cursor, context: Context) -> list[str]:
    """`TRUNCATE TABLE t`."""
    cursor.word("TABLE")
    name = table_text(cursor.path(), context)
    cursor.end()
    if context.write_branch is not None:
        # Spark knows no branch in TRUNCATE; it deletes all rows of one just as well.
        return [f"DELETE FROM {name}.`branch_{context.write_branch.replace('`', '``')}`"]
    return [f"TRUNCATE TABLE {name}"]


def comment(cursor: Cursor, context: Context) -> list[str]:
    """`COMMENT ON TABLE t IS '…'`, also for views, schemas and columns."""
    cursor.expect("ON")
    kind = cursor.one_of("TABLE", "VIEW", "SCHEMA", "DATABASE", "COLUMN")
    path = cursor.path()
    cursor.expect("IS")
    said = "" if cursor.word("NULL") else cursor.text()
    cursor.end()
    if kind == "COLUMN":
        if len(path) < 2:
            raise cursor.error("a column is named as table.column")
        table, column = table_text(path[:-1], context), name_text(path[-1], context)
        return [f"ALTER TABLE {table} ALTER COLUMN {column} COMMENT {literal(said)}"]
    if kind in {"SCHEMA", "DATABASE"}:
        return [f"COMMENT ON NAMESPACE {schema_text(path, context)} IS {literal(said)}"]
    verb = "ALTER VIEW" if kind == "VIEW" else "ALTER TABLE"
    return [f"{verb} {table_text(path, context)} SET TBLPROPERTIES ('comment' = {literal(said)})"]


def explain(cursor: Cursor, about: Callable[[Cursor], Outcome]) -> Outcome:
    """`EXPLAIN [ANALYZE [VERBOSE] | FULL | EXTENDED | FORMATTED | COST | (TYPE …, FORMAT …)] statement`."""
    mode = next((word.lower() for word in ("ANALYZE", "FULL") if cursor.word(word)), "plain")
    cursor.word("VERBOSE")
    if cursor.sees("(", "TYPE") or cursor.sees("(", "FORMAT"):
        _read_options(cursor)
    form = next((word for word in _EXPLAINS if cursor.word(word)), "")
    if not form and cursor.left > 1 and any(cursor.sees(word) for word in _NO_EXPLAINS):
        raise _no_form(cursor)
    inner = about(cursor)
    if inner.command is not None or len(inner.spark) != 1:
        raise NotSupportedError("this statement has no plan to explain")
    if form:
        return Outcome(spark=(f"EXPLAIN {form} {inner.spark[0]}",), command=Explain(form.lower()))
    return Outcome(spark=inner.spark, command=Explain(mode))


def _read_options(cursor: Cursor) -> None:
    """`(TYPE LOGICAL, FORMAT TEXT)`."""
    cursor.need(TokenType.L_PAREN, "(")
    while True:
        option = cursor.one_of(*_EXPLAIN_OPTIONS)
        if not any(cursor.word(value) for value in _EXPLAIN_OPTIONS[option]):
            raise _no_form(cursor)
        if not cursor.take(TokenType.COMMA):
            break
    cursor.need(TokenType.R_PAREN, ")")


def _no_form(cursor: Cursor) -> NotSupportedError:
    (token,) = cursor.any()
    return NotSupportedError(
        f"EXPLAIN has no form {token.text.upper()}",
        hint="there are EXPLAIN, EXPLAIN ANALYZE, FULL, EXTENDED, FORMATTED and COST",
        position=position_of(token),
    )


def summarize(cursor: Cursor, context: Context, query_text: QueryText) -> Outcome:
    """`SUMMARIZE table | query`."""
    if any(cursor.sees(word) for word in ("SELECT", "WITH", "VALUES", "FROM")) or cursor.next_is(TokenType.L_PAREN):
        return Outcome(spark=(query_text(cursor.rest()),), command=Summarize())
    cursor.word("TABLE")
    if cursor.next_is(TokenType.STRING):
        inner = f"SELECT * FROM {cursor.written(cursor.rest())}"
        return Outcome(query=inner, command=Summarize())
    text = table_query(cursor, context)
    cursor.end()
    return Outcome(spark=(text,), command=Summarize())
