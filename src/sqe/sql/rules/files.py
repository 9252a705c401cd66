"""Files as tables: `FROM 'sales.csv'`, `FROM read_csv('sales.csv', sep => ';')`."""

from __future__ import annotations

import re

from sqlglot import exp

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.trees import call, position_of, text

#: Readers and the names that Spark has for their formats.
READERS = {"read_parquet": "parquet", "read_csv": "csv", "read_json": "json", "read_orc": "orc"}
_CODECS = (".gz", ".bz2", ".zst", ".xz")
_EXTENSIONS = {
    ".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".psv": "csv", ".ssv": "csv", ".json": "json",
    ".jsonl": "json", ".ndjson": "json", ".orc": "orc",
}  # fmt: skip
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".psv": "|", ".ssv": ";"}
_OPTIONS = {
    "delimiter": "sep", "delim": "sep", "sep": "sep", "has_header": "header", "header": "header", "quote": "quote",
    "escape": "escape", "comment": "comment", "nullstr": "nullValue", "compression": "compression",
    "compress": "compression",
}  # fmt: skip


def read_path(table: exp.Table, path: exp.Identifier, context: Context) -> None:
    """A path in quotes after FROM: its extension says what is in it."""
    where = str(path.this)
    extension = _extension(where)
    if extension not in _EXTENSIONS:
        known = ", ".join(_EXTENSIONS)
        raise SqlSemanticError(
            f"no reader for the file {where!r}",
            hint=f"known extensions: {known}; or name a reader: read_csv('…')",
            position=position_of(path, context.sql),
        )
    _refuse_remote(where, path, context)
    table.set("this", _read(_EXTENSIONS[extension], where, {}, path))
    _name(table, where)


def read_function(table: exp.Table, function: exp.Anonymous, name: str, context: Context) -> None:
    """A reader with options."""
    path, *others = function.expressions or [None]
    if not isinstance(path, exp.Literal) or not path.is_string:
        raise SqlSemanticError(f"{name} needs a path in quotes first", position=position_of(function, context.sql))
    options = {}
    for other in others:
        key = other.this.name.lower() if isinstance(other, exp.Kwarg | exp.PropertyEQ) else ""
        if key not in _OPTIONS or name != "read_csv":
            raise SqlSemanticError(
                f"{name} has no option {key or other.sql()}",
                hint="known for read_csv: " + ", ".join(sorted(_OPTIONS)),
                position=position_of(other, context.sql),
            )
        options[_OPTIONS[key]] = _value(other.expression)
    where = str(path.this)
    _refuse_remote(where, path, context)
    table.set("this", _read(READERS[name], where, options, function))
    _name(table, where)


def _value(node: exp.Expr) -> str:
    return str(bool(node.this)).lower() if isinstance(node, exp.Boolean) else str(node.name)


def _read(kind: str, where: str, options: dict[str, str], like: exp.Expr) -> exp.Anonymous:
    if kind == "csv":
        options = {"header": "true", "inferSchema": "true", "sep": _DELIMITERS.get(_extension(where), ",")} | options
    pairs = [text(piece) for pair in options.items() for piece in pair]
    return call("sqe_read", text(kind), text(where), *pairs, like=like)


def _extension(where: str) -> str:
    """`.csv` of `a/b.csv.gz`."""
    name = where.rsplit("/", 1)[-1].lower()
    for codec in _CODECS:
        name = name.removesuffix(codec)
    return "." + name.rsplit(".", 1)[-1] if "." in name else ""


def _refuse_remote(where: str, path: exp.Expr, context: Context) -> None:
    scheme = re.match(r"([a-z0-9]+)://", where, re.IGNORECASE)
    if scheme and scheme.group(1).lower() != "file":
        raise NotSupportedError(
            f"files at {scheme.group(1)}:// cannot be read yet", position=position_of(path, context.sql)
        )


def _name(table: exp.Table, where: str) -> None:
    """The file's name without its extension names the table, unless there is an alias."""
    if table.alias:
        return
    name = where.rsplit("/", 1)[-1].partition(".")[0]
    table.set("alias", exp.TableAlias(this=exp.to_identifier(name or "file", quoted=True)))
