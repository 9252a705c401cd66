"""What is wrong with a tree of settings, in words that never hold a value."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

from sqe.observe.model import CONFLICTS, REFUSED, SettingsModel, section_of
from sqe.settings.tree import KeyPath, dotted, existing

_WRONG_TYPE = {
    "bool": "true or false",
    "dict": "a table",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "model": "a table",
    "string": "a string",
}
_OUT_OF_RANGE = {
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
}
_NAMES = (
    (bool, "a boolean"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "a string"),
    (list, "a list"),
)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, and what about it; `others` are the keys it is in conflict with."""

    path: KeyPath
    text: str
    others: tuple[KeyPath, ...] = ()

    def line(self, source: str) -> str:
        """The problem in one line; `source` is where the key was set."""
        return ": ".join(part for part in (source, dotted(self.path), self.text) if part)


def problems_of_layer(model: type[SettingsModel], tree: dict[str, Any]) -> list[Problem]:
    """What is wrong with the keys of one layer, each for itself."""
    return [
        Problem(existing(tree, tuple(error["loc"])), _describe(model, error))
        for error in _errors(model, tree)
        if error["type"] not in {"missing", CONFLICTS}
    ]


def problems_of_whole(model: type[SettingsModel], tree: dict[str, Any]) -> list[Problem]:
    """What is wrong with all layers together, when nothing is wrong with any of them: gaps and conflicts."""
    found: list[Problem] = []
    for error in _errors(model, tree):
        if error["type"] == CONFLICTS:
            found.extend(_conflicts(error))
        else:
            found.append(Problem(tuple(error["loc"]), _describe(model, error)))
    return found


def _errors(model: type[SettingsModel], tree: dict[str, Any]) -> list[ErrorDetails]:
    try:
        model.model_validate(tree)
    except ValidationError as error:
        return list(error.errors(include_url=False))
    return []


def _conflicts(error: ErrorDetails) -> Iterator[Problem]:
    for conflict in error["ctx"]["conflicts"]:
        paths = [tuple(error["loc"]) + tuple(key.split(".")) for key in conflict.keys]
        yield Problem(paths[0], conflict.text, tuple(paths[1:]))


def _describe(model: type[SettingsModel], error: ErrorDetails) -> str:
    kind = error["type"]
    if kind == "extra_forbidden":
        return _unknown(model, tuple(error["loc"]), is_table=isinstance(error["input"], dict))
    if kind == "missing":
        return "must be set"
    if kind == REFUSED:
        return str(error["ctx"]["text"])
    if kind in _OUT_OF_RANGE:
        return _OUT_OF_RANGE[kind].format(**error["ctx"])
    expected = _WRONG_TYPE.get(re.split(r"_(?:type|parsing|from_float|attributes)", kind)[0])
    # Another text of the library may hold the value.
    return f"must be {expected}, got {_name_of(error['input'])}" if expected else "is not valid"


def _name_of(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    return next((name for kind, name in _NAMES if isinstance(value, kind)), "a date or time")


def _unknown(model: type[SettingsModel], path: KeyPath, *, is_table: bool) -> str:
    noun = "section" if is_table else "key"
    near = _nearest(model, tuple(str(part) for part in path))
    return f"unknown {noun}; did you mean {near}?" if near else f"unknown {noun}"


def _nearest(model: type[SettingsModel], path: tuple[str, ...]) -> str | None:
    """The known key that was most likely meant: a neighbour, or one with such a name elsewhere."""
    known = list(_known_keys(model))
    folder = path[:-1]
    neighbours = {key[-1]: key for key in known if key[:-1] == folder}
    elsewhere = {key[-1]: key for key in reversed(known)}
    # The very name in another section is a better guess than one beside it that is a little like it.
    for names, cutoff in ((elsewhere, 1.0), (neighbours, 0.6), (elsewhere, 0.8)):
        close = difflib.get_close_matches(path[-1].lower(), names, n=1, cutoff=cutoff)
        if close:
            return dotted(names[close[0]])
    return None


def _known_keys(model: type[SettingsModel], folder: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        yield (*folder, name)
        inner = section_of(field)
        if inner is not None:
            yield from _known_keys(inner, (*folder, name))
