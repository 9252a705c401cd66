"""Files as tables: `FROM 'sales.csv'`, `FROM read_csv('sales.csv', sep => ';')`.

Here a reader gets its options. What the path means, whether it may be read, and what a file's content says about its
shape is found out in the JVM.
"""

from __future__ import annotations

import re

from sqlglot import exp

from sqe.core.errors import SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.rules.file_options import FileOptions, read_options
from sqe.sql.trees import call, position_of, text

#: Readers and the names that the engine has for their formats.
READERS = {
    "read_parquet": "parquet", "read_csv": "csv", "read_json": "json", "read_orc": "orc", "read_avro": "avro",
    "read_delta": "delta",
}  # fmt: skip
_CODECS = (".gz", ".bz2", ".zst", ".xz", ".zip")
_EXTENSIONS = {
    ".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".psv": "csv", ".ssv": "csv", ".json": "json",
    ".jsonl": "json", ".ndjson": "json", ".orc": "orc", ".avro": "avro",
}  # fmt: skip
#: Groups of jars that formats and schemes need beyond what every engine has.
_FORMAT_GROUPS = {"avro": "avro", "delta": "delta"}
_SCHEME_GROUPS = {
    "s3": "aws", "s3a": "aws", "s3n": "aws", "gs": "gcp", "gcs": "gcp", "abfs": "azure", "abfss": "azure",
    "az": "azure", "azure": "azure",
}  # fmt: skip


def read_path(table: exp.Table, path: exp.Identifier, context: Context) -> None:
    """A path in quotes after FROM: its extension says what is in it."""
    where = str(path.this)
    extension = _extension(where)
    if extension not in _EXTENSIONS:
        known = ", ".join(_EXTENSIONS)
        raise SqlSemanticError(
            f"no reader for the file {_shown(where)!r}",
            hint=f"known extensions: {known}; or name a reader: read_csv('…')",
            position=position_of(path, context.sql),
        )
    table.set("this", _read(_EXTENSIONS[extension], where, FileOptions(), path, context))
    _name(table, where)


def read_function(table: exp.Table, function: exp.Anonymous, name: str, context: Context) -> None:
    """A reader with options."""
    path, *others = function.expressions or [None]
    if not isinstance(path, exp.Literal) or not path.is_string:
        raise SqlSemanticError(f"{name} needs a path in quotes first", position=position_of(function, context.sql))
    where = str(path.this)
    table.set("this", _read(READERS[name], where, read_options(name, others, context), function, context))
    _name(table, where)


def _read(kind: str, where: str, options: FileOptions, like: exp.Expr, context: Context) -> exp.Anonymous:
    reader = dict(options.reader)
    if options.credentials:
        reader["secret"] = context.keep_secret(options.credentials)
    scheme = re.match(r"([a-z0-9]+)://", where, re.IGNORECASE)
    groups = {_FORMAT_GROUPS.get(kind), _SCHEME_GROUPS.get(scheme.group(1).lower()) if scheme else None}
    context.groups |= {group for group in groups if group is not None}
    context.relative_files |= not re.match(r"/|~|file:|[a-z0-9]+://", where, re.IGNORECASE)
    pairs = [text(piece) for pair in reader.items() for piece in pair]
    return call("sqe_read", text(kind), text(where), *pairs, like=like)


def _extension(where: str) -> str:
    """`.csv` of `a/b.csv.gz` and of `https://host/b.csv?version=3`."""
    name = _plain(where).rsplit("/", 1)[-1].lower()
    for codec in _CODECS:
        name = name.removesuffix(codec)
    return "." + name.rsplit(".", 1)[-1] if "." in name else ""


def _plain(where: str) -> str:
    """An address without its parameters; on a disk a question mark is part of a pattern."""
    return re.split(r"[?#]", where)[0] if re.match(r"(?:https?|hf)://", where, re.IGNORECASE) else where


def _shown(where: str) -> str:
    """A path without what may be a secret in it."""
    return re.sub(r"://[^/@]*@", "://", _plain(where))


def _name(table: exp.Table, where: str) -> None:
    """The file's name without its extension names the table, unless there is an alias."""
    if table.alias:
        return
    name = _plain(where).rstrip("/").rsplit("/", 1)[-1].partition(".")[0]
    table.set("alias", exp.TableAlias(this=exp.to_identifier(name or "file", quoted=True)))
