"""`COPY (query) | table TO 'file' (FORMAT csv, …)`."""

from __future__ import annotations

import difflib

from sqlglot.tokenizer_core import Token, TokenType

from sqe.core.errors import NotSupportedError, SqlSemanticError
from sqe.sql.commands import Copy
from sqe.sql.context import Context
from sqe.sql.statements.create import QueryText
from sqe.sql.statements.cursor import Cursor
from sqe.sql.statements.writing import table_query
from sqe.sql.tokens import position_of

_EXTENSIONS = {
    ".csv": ("csv", ","), ".tsv": ("csv", "\t"), ".psv": ("csv", "|"), ".ssv": ("csv", ";"), ".json": ("json", ""),
    ".jsonl": ("json", ""), ".ndjson": ("json", ""), ".parquet": ("parquet", ""), ".orc": ("orc", ""),
}  # fmt: skip
_CODECS = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd"}
_FORMATS = ("csv", "json", "parquet", "orc")
#: Options of ours, and what each is called in Spark.
_CSV = {
    "header": "header", "delimiter": "sep", "delim": "sep", "sep": "sep", "quote": "quote", "escape": "escape",
    "null": "nullValue", "nullstr": "nullValue", "dateformat": "dateFormat", "timestampformat": "timestampFormat",
}  # fmt: skip
#: All six digits of a second.
_MOMENTS = {
    "timestampFormat": "yyyy-MM-dd HH:mm:ss.SSSSSSXXX", "timestampNTZFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS",
}  # fmt: skip
_COMPRESSIONS = {
    "csv": ("none", "gzip", "bzip2", "zstd"),
    "json": ("none", "gzip", "bzip2", "zstd"),
    "parquet": ("none", "snappy", "gzip", "zstd", "lz4_raw", "brotli"),
    "orc": ("none", "snappy", "zlib", "zstd"),
}
_ALIASES = {"gz": "gzip", "bz2": "bzip2", "zst": "zstd", "uncompressed": "none", "lz4": "lz4_raw"}


def copy(cursor: Cursor, context: Context, query_text: QueryText) -> tuple[Copy, str]:
    """What to do, and the query whose rows go out."""
    text = query_text(cursor.bracketed()) if cursor.take(TokenType.L_PAREN) else table_query(cursor, context)
    if cursor.sees("FROM"):
        raise NotSupportedError("COPY … FROM is not supported", hint="use INSERT INTO … SELECT * FROM 'file'")
    cursor.expect("TO")
    target = cursor.text()
    options = _options(cursor)
    cursor.end()
    return _command(target, options), text


def _options(cursor: Cursor) -> dict[str, tuple[list[Token], Token]]:
    """`(KEY value, KEY = value, …)`; the keys in small letters."""
    found: dict[str, tuple[list[Token], Token]] = {}
    cursor.word("WITH")
    if not cursor.take(TokenType.L_PAREN):
        return found
    while True:
        key = cursor.name()
        cursor.take(TokenType.EQ)
        found[key.text.lower()] = (cursor.until(), key.token)
        if not cursor.take(TokenType.COMMA):
            break
    cursor.need(TokenType.R_PAREN, ")")
    return found


def _command(target: str, given: dict[str, tuple[list[Token], Token]]) -> Copy:
    extension, codec = _ends(target)
    kind, separator = _EXTENSIONS.get(extension, ("", ""))
    form = _one_of(given, "format", _FORMATS) or kind
    if not form:
        raise SqlSemanticError(
            f"the file {target!r} does not say in which format to write",
            hint="add (FORMAT csv | json | parquet | orc)",
        )
    options = _csv_options(given, separator) if form == "csv" else {}
    if form == "json":
        options = {"ignoreNullFields": "false"} | _MOMENTS
    compression = _one_of(given, "compression", _COMPRESSIONS[form]) or codec
    if compression:
        options["compression"] = compression
    partitions = tuple(
        name.strip() for token in given.get("partition_by", ([], None))[0] for name in _names(token) if name.strip()
    )
    _refuse_unknown(given, form)
    return Copy(target, form, options, partitions, overwrite=_flag(given, "overwrite") == "true")


def _ends(target: str) -> tuple[str, str]:
    """`.csv` and `gzip` of `a/b.csv.gz`."""
    name = target.rsplit("/", 1)[-1].lower()
    codec = next((value for end, value in _CODECS.items() if name.endswith(end)), "")
    if codec:
        name = name.rpartition(".")[0]
    return ("." + name.rpartition(".")[2] if "." in name else ""), codec


def _csv_options(given: dict[str, tuple[list[Token], Token]], separator: str) -> dict[str, str]:
    options = {
        "header": "true", "sep": separator or ",", "quote": '"',
        "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false",
    } | _MOMENTS  # fmt: skip
    for key, name in _CSV.items():
        if key in given:
            options[name] = _flag(given, key) if key == "header" else _text(given[key][0])
    # A quote within quotes is written twice, and nothing as quotes around it, whatever the quote is.
    return {"escape": options["quote"], "emptyValue": 2 * options["quote"]} | options


def _refuse_unknown(given: dict[str, tuple[list[Token], Token]], form: str) -> None:
    known = ["format", "compression", "partition_by", "overwrite", *(_CSV if form == "csv" else ())]
    for key, (_, token) in given.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            raise SqlSemanticError(
                f"COPY to {form} has no option {key}",
                hint=f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}",
                position=position_of(token),
            )


def _names(token: Token) -> list[str]:
    return token.text.split(",") if token.token_type in {TokenType.STRING, TokenType.VAR, TokenType.IDENTIFIER} else []


def _text(tokens: list[Token]) -> str:
    text = tokens[0].text if tokens else ""
    return {"\\t": "\t", "\\n": "\n"}.get(text, text)


def _flag(given: dict[str, tuple[list[Token], Token]], key: str) -> str:
    if key not in given:
        return ""
    tokens, place = given[key]
    value = _text(tokens).lower() or "true"
    value = {"1": "true", "0": "false", "on": "true", "off": "false"}.get(value, value)
    if value not in {"true", "false"}:
        raise SqlSemanticError(f"{key} is true or false", position=position_of(place))
    return value


def _one_of(given: dict[str, tuple[list[Token], Token]], key: str, allowed: tuple[str, ...]) -> str:
    if key not in given:
        return ""
    tokens, place = given[key]
    value = _text(tokens).lower()
    value = _ALIASES.get(value, value)
    if value not in allowed:
        raise SqlSemanticError(
            f"{key} {value!r} is not known", hint=f"there are {', '.join(allowed)}", position=position_of(place)
        )
    return value
