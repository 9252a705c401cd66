"""The options of `read_csv` and its like: their names, what they may be, and which of them are credentials."""

from __future__ import annotations

import base64
import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from sqlglot import exp

from sqe.core.errors import Position, SqlSemanticError
from sqe.sql.context import Context
from sqe.sql.trees import position_of

#: Makes the value that the JVM gets of what was written; raises `ValueError` with what it should have been.
Check = Callable[[str], str]

_BOOLEANS = {"true": "true", "1": "true", "yes": "true", "false": "false", "0": "false", "no": "false"}
_ESCAPES = {r"\t": "\t", r"\0": "\0", "tab": "\t"}
_CODECS = {
    "none": "none", "uncompressed": "none", "gzip": "gzip", "gz": "gzip", "bz2": "bz2", "bzip2": "bz2", "xz": "xz",
    "zstd": "zstd", "zst": "zstd", "zip": "zip",
}  # fmt: skip
_JSON_FORMATS = {
    "auto": "auto", "newline_delimited": "newline_delimited", "ndjson": "newline_delimited",
    "nd": "newline_delimited", "array": "array", "json": "array",
}  # fmt: skip


@dataclass
class FileOptions:
    """What was said about a read: options for the reader, and keys that must not be seen anywhere."""

    reader: dict[str, str] = field(default_factory=dict)
    credentials: dict[str, str] = field(default_factory=dict)


def _boolean(value: str) -> str:
    if value.lower() not in _BOOLEANS:
        raise ValueError("true or false")
    return _BOOLEANS[value.lower()]


def _delimiter(value: str) -> str:
    found = _ESCAPES.get(value.lower(), value)
    if not 1 <= len(found) <= 4 or "\n" in found or "\r" in found:
        raise ValueError("one to four characters, or \\t")
    return found


def _character(value: str) -> str:
    if len(value) > 1:
        raise ValueError("one character, or empty for none")
    return value


def _compression(value: str) -> str:
    if value.lower() == "auto":
        return ""
    if value.lower() not in _CODECS:
        raise ValueError("auto, none, gzip, bz2, xz, zstd or zip")
    return _CODECS[value.lower()]


def _ending(value: str) -> str:
    if not value or re.search(r"[/*?\[\]{}\\]", value):
        raise ValueError("the end of file names, such as '.csv'")
    return value


def _json_format(value: str) -> str:
    if value.lower() not in _JSON_FORMATS:
        raise ValueError("auto, newline_delimited or array")
    return _JSON_FORMATS[value.lower()].removeprefix("auto")


def _version(value: str) -> str:
    if not re.fullmatch(r"[0-9]{1,18}", value):
        raise ValueError("a whole number of 0 or more")
    return value


def _moment(value: str) -> str:
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or "T" not in value.upper():
        raise ValueError("a time with a zone, such as '2024-05-01T12:00:00Z'")
    # The engine reads it in its session's zone unless it names one.
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _endpoint(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise ValueError("an address that begins with http:// or https://")
    return value


def _text(value: str) -> str:
    if not value:
        raise ValueError("not empty")
    return value


def _base64(value: str) -> str:
    try:
        base64.b64decode(value, validate=True)
    except ValueError:
        raise ValueError("a key as Azure shows it, in Base64") from None
    return _text(value)


def _any_text(value: str) -> str:
    return value


#: The names of an option, and how its value is checked; the first name is the one that the JVM knows.
Table = Mapping[tuple[str, ...], Check]

_COMPRESSION: Table = {("compression", "compress"): _compression}
_ENDING: Table = {("extension", "file_extension"): _ending}
_CSV: Table = {
    ("delimiter", "delim", "sep"): _delimiter,
    ("header", "has_header"): _boolean,
    ("quote",): _character,
    ("escape",): _character,
    ("comment",): _character,
    ("null", "nullstr"): _any_text,
    ("null_regex",): _text,
    ("all_varchar",): _boolean,
    **_COMPRESSION,
    **_ENDING,
}
_JSON: Table = {("format",): _json_format, ("newline_delimited",): _boolean, **_COMPRESSION, **_ENDING}
_DELTA: Table = {("version",): _version, ("timestamp",): _moment}
_OPTIONS: Mapping[str, Table] = {
    "read_parquet": {}, "read_orc": {}, "read_avro": _ENDING, "read_csv": _CSV, "read_json": _JSON,
    "read_delta": _DELTA,
}  # fmt: skip
#: Names of ours for what users write otherwise.
_HIDDEN = {"extension", "null"}
_CREDENTIALS: Table = {
    ("access_key",): _text,
    ("secret_key",): _text,
    ("session_token",): _text,
    ("endpoint",): _endpoint,
    ("region",): _text,
    ("azure_account",): _text,
    ("azure_access_key",): _base64,
    ("azure_sas_token",): _text,
    ("gcs_service_account_path",): _text,
    ("gcs_service_account_key",): _text,
}


def read_options(name: str, arguments: Iterable[exp.Expr], context: Context) -> FileOptions:
    """Check the named arguments of a reader. No message holds a value: it may be a secret."""
    found = FileOptions()
    places: dict[str, exp.Expr] = {}
    for argument in arguments:
        key = _key(name, argument, context)
        for table, kept in ((_OPTIONS[name], found.reader), (_CREDENTIALS, found.credentials)):
            match = next(((names[0], check) for names, check in table.items() if key in names), None)
            if match is not None:
                if match[0] in kept:
                    raise SqlSemanticError(f"the option {key} is given twice", position=_place(argument, context))
                kept[match[0]] = _checked(key, argument, match[1], context)
                places[match[0]] = argument
    _refuse_conflicts(found, places, context)
    found.reader = {key: value for key, value in found.reader.items() if value or key not in {"compression", "format"}}
    return found


def _key(name: str, argument: exp.Expr, context: Context) -> str:
    if not isinstance(argument, exp.Kwarg | exp.PropertyEQ):
        raise SqlSemanticError(
            f"{name} takes one path; what follows is written as name => value", position=_place(argument, context)
        )
    key = str(argument.this.name).lower()
    known = [other for table in (_OPTIONS[name], _CREDENTIALS) for names in table for other in names]
    known = [other for other in known if other not in _HIDDEN]
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        raise SqlSemanticError(
            f"{name} has no option {key}",
            hint=f"did you mean {near[0]}?" if near else "known: " + ", ".join(known),
            position=_place(argument, context),
        )
    return key


def _checked(key: str, argument: exp.Expr, check: Check, context: Context) -> str:
    value = argument.expression
    if isinstance(value, exp.Boolean):
        written = str(bool(value.this)).lower()
    elif isinstance(value, exp.Literal):
        written = str(value.this)
    else:
        raise SqlSemanticError(f"the option {key} must be a plain value", position=_place(argument, context))
    try:
        return check(written)
    except ValueError as error:
        raise SqlSemanticError(f"the option {key} must be {error}", position=_place(argument, context)) from None


def _place(argument: exp.Expr, context: Context) -> Position | None:
    return position_of(argument, context.sql)


def _refuse_conflicts(found: FileOptions, places: Mapping[str, exp.Expr], context: Context) -> None:
    reader = found.reader
    lines = reader.pop("newline_delimited", None)
    if lines is not None:
        wanted = "newline_delimited" if lines == "true" else "array"
        if reader.get("format") not in {None, "", wanted}:
            raise SqlSemanticError(
                "format and newline_delimited contradict each other",
                position=_place(places["newline_delimited"], context),
            )
        reader["format"] = wanted
    for one, other in (("version", "timestamp"), ("null", "null_regex")):
        if one in reader and other in reader:
            names = f"{'nullstr' if one == 'null' else one} and {other}"
            raise SqlSemanticError(f"{names} cannot be given together", position=_place(places[other], context))
    for one, other in (("access_key", "secret_key"), ("secret_key", "access_key")):
        if one in found.credentials and other not in found.credentials:
            raise SqlSemanticError(f"{one} needs {other} beside it", position=_place(places[one], context))
    if "gcs_service_account_key" in found.credentials and "gcs_service_account_path" in found.credentials:
        raise SqlSemanticError(
            "gcs_service_account_key and gcs_service_account_path cannot be given together",
            position=_place(places["gcs_service_account_path"], context),
        )
