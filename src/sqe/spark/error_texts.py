"""The text of an error as a person may see it: no settings, plans, ids, classes or functions of the engine's."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqe.core.errors import SqeError
from sqe.core.type_names import trino_type
from sqe.spark.error_words import BY_CONDITION, BY_TEXT, Words

#: What tells of the engine underneath.
_INTERNAL = re.compile(
    r"sqe_|sqe\.jvm|\bspark\.|\borg\.apache|\b(?:java|javax|scala|software\.amazon)\.\w|\bSpark\b|\bScala\b|#\d|"
    r"static_?invoke|lambdafunction|namedlambdavariable|commonexpression|listquery|\bDataFrame\b|\b[a-z]+@[0-9a-f]{6,}"
)
_TYPES = (
    "STRING|INT|BIGINT|SMALLINT|TINYINT|DOUBLE|FLOAT|BOOLEAN|BINARY|DATE|TIMESTAMP_NTZ|TIMESTAMP_LTZ|TIMESTAMP|TIME|"
    "DECIMAL|ARRAY|MAP|STRUCT|VOID|VARIANT|INTERVAL|INTEGRAL|NUMERIC|CHAR|VARCHAR"
)
_TYPE = re.compile(rf'"((?:{_TYPES})\b[^"]*)"')
_NAME = re.compile(r"`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`<(])")
_LONGEST = 400
_SIGNS = {
    "add": "operator +", "subtract": "operator -", "multiply": "operator *", "divide": "operator /",
    "modulus": "operator %", "negate": "operator -", "subscript": "subscript []",
}  # fmt: skip
#: Parameters that name what is wrong, in the order of what they tell.
_CULPRITS = (
    "about", "objectName", "relationName", "routineName", "fieldName", "fieldNames", "columnName", "colName",
    "walkedTypePath", "name", "windowName", "tableName", "schemaName", "catalogName", "expr", "confValue",
)  # fmt: skip


@dataclass(frozen=True)
class Told:
    """What is said of a failure, of what kind it is where the words know it, and the name it is about."""

    message: str
    hint: str | None = None
    kind: type[SqeError] | None = None
    about: str | None = None


def told(condition: str | None, parameters: Mapping[str, Any], text: str, *, own: bool = False) -> Told:
    """The words for a failure: ours where there are some, the engine's own without its internals elsewhere.

    What is `own` was written here: it begins as it shall begin.
    """
    words = _words(condition)
    if words is not None:
        found = _filled(words, parameters)
        if found is not None:
            return found
    for pattern, other in BY_TEXT:
        match = pattern.search(text)
        if match is not None:
            found = _filled(other, match.groupdict())
            if found is not None:
                return found
    message, hint = _wrong_arguments(text) or plain_text(text)
    message = message if own else _in_style(message)
    return Told(message, hint, None, _about(_cleaned_all(parameters)))


def _words(condition: str | None) -> Words | None:
    if not condition:
        return None
    return BY_CONDITION.get(condition) or BY_CONDITION.get(condition.partition(".")[0])


def _filled(words: Words, parameters: Mapping[str, Any]) -> Told | None:
    """None when a parameter is missing: the condition is another one than we know."""
    cleaned = _cleaned_all(parameters)
    try:
        message = words.message.format_map(cleaned)
        hint = words.hint.format_map(cleaned) if words.hint else None
    except KeyError:
        return None
    return Told(message, _suggestion(cleaned) or hint, words.kind, _about(cleaned))


def _cleaned_all(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {key: _parameter(key, str(value)) for key, value in parameters.items() if value is not None}


def _parameter(key: str, value: str) -> str:
    cleaned = names_and_types(value).strip()
    if _INTERNAL.search(cleaned):
        return "this expression"
    if re.search(r"(?i)type\d?$", key) and not cleaned.startswith(("(", "[")):
        return trino_type(cleaned.strip('"'))
    if key in {"value", "expression", "value1", "value2", "originalValue"}:
        # Numbers carry the letter of their type.
        cleaned = re.sub(r"^(-?[\d.]+(?:E-?\d+)?)(?:BD|[LDSYF])$", r"\1", cleaned)
    found = re.fullmatch(r'"([^"]*)"|\[([^\[\]]*)\]', cleaned)
    return found.group(1) or found.group(2) or "" if found else cleaned


def _about(cleaned: Mapping[str, str]) -> str | None:
    return next((cleaned[key] for key in _CULPRITS if cleaned.get(key)), None)


def _suggestion(cleaned: Mapping[str, str]) -> str | None:
    """The nearest of the names that are proposed, or which there are."""
    proposed = [name.strip() for name in cleaned.get("proposal", "").split(",") if name.strip()]
    wanted = cleaned.get("objectName") or cleaned.get("fieldName") or ""
    if not proposed:
        return None
    ends = {name.rpartition(".")[2].lower(): name for name in reversed(proposed)}
    near = difflib.get_close_matches(wanted.rpartition(".")[2].lower(), ends, n=1)
    return f"did you mean {ends[near[0]]}?" if near else f"there are {', '.join(proposed)}"


def _wrong_arguments(text: str) -> tuple[str, str] | None:
    """What a function of ours says of arguments: what it takes is a hint, and a sign is no function."""
    found = re.fullmatch(r"(.* does not take \(.*?\)); it (takes .*)", text, re.DOTALL)
    if found is None:
        return None
    said = re.sub(r"^the function (\w+) ", lambda name: f"the {_SIGNS.get(name[1], f'function {name[1]}')} ", found[1])
    takes = found[2]
    if len(takes) > _LONGEST:
        takes = takes[:_LONGEST].rpartition(" or ")[0] + " or others"
    return said, f"it {takes}"


def names_and_types(text: str) -> str:
    """Names without backticks, types as people here call them, and none of our marks."""
    text = _PRIVATE.sub("", text)
    text = _TYPE.sub(lambda found: trino_type(found.group(1)), text)
    return _NAME.sub(lambda found: found.group(0).replace("``", "\0").replace("`", "").replace("\0", "`"), text)


def plain_text(text: str) -> tuple[str, str | None]:
    """Message and hint of a text of the engine's."""
    text = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", text.strip())
    text = re.split(r"\s*SQLSTATE: \w{5}|\n== SQL|\n\s*at [\w.$]+\(|\n[ :|!']*[+:]- |;\s*line \d+ pos \d+", text)[0]
    # How files are read is not for a statement to say.
    text = re.sub(r"\s*Parse Mode: FAILFAST\b.*", "", text, flags=re.DOTALL)
    text = re.sub(r'Cannot resolve ".*?" due to data type mismatch:\s*', "", text, flags=re.DOTALL)
    text = re.sub(r"^(?:The feature is not supported|requirement failed): ", "", text)
    # A line that ends with a colon is nothing without the next one.
    text = re.sub(r":\s*\n\s*(?:- )?", ": ", names_and_types(text))
    lines = [line for line in (_public(line) for line in text.splitlines()) if line]
    if not lines:
        return "the engine refused the statement without a reason that it could tell", None
    first, *others = lines
    rest = " ".join(others)
    return first, rest[:_LONGEST] if re.search(r"\w", rest) else None


def _public(line: str) -> str:
    """The sentences of a line that say nothing of the engine."""
    shown = re.sub(r'"(?!spark\.)[^"]*"', _without_internals, line.strip())
    return " ".join(part.strip() for part in _SENTENCE.split(shown) if not _INTERNAL.search(part))


def _without_internals(quoted: re.Match[str]) -> str:
    """A quoted expression, unless it is not as the user wrote it."""
    return "this expression" if _INTERNAL.search(quoted.group(0)) else quoted.group(0)


def _in_style(message: str) -> str:
    """One line as ours are: it begins small, and has no full stop."""
    if len(message) > 1 and message[0].isupper() and (message[1].islower() or message[1] == " "):
        message = message[0].lower() + message[1:]
    return re.sub(r"\.+$", "", message)
