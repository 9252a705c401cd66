"""Settings from environment variables: `SQE_SECTION__KEY` or `SQE__section__key`.

A bad value does not stop the engine: the variable is left out with a warning. A variable that names no key
is none of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from sqe.observe.model import SettingsModel
from sqe.settings.problems import problems_of_layer
from sqe.settings.tree import KeyPath, Tree, dotted, merge, put

#: Short names of keys; the full name wins over them.
ALIASES: Final[Mapping[str, str]] = {"SQE_MEMORY_LIMIT": "engine.memory_limit"}

_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")


@dataclass
class FromEnvironment:
    """The keys that the environment sets, and what is to be said about the variables."""

    tree: Tree = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def read_environment(
    model: type[SettingsModel], environ: Mapping[str, str], below: Mapping[str, Any]
) -> FromEnvironment:
    """Read the variables that name a key of `model`.

    Args:
        model: The root of the settings.
        environ: The variables.
        below: What the file says. A variable for an entry of a table finds the entry there in whatever
            letter case; a new entry's name is in lower case.
    """
    found = FromEnvironment()
    used: dict[KeyPath, str] = {}
    for variable, parts in _candidates(environ):
        target = resolve(model, parts, below)
        if target is None:
            continue
        path, kinds = target
        text = _problem(model, path, value := from_text(kinds, environ[variable]))
        if text:
            found.warnings.append(f"{variable}: {text}; the variable is ignored")
            continue
        if path in used:
            found.warnings.append(f"{used[path]} is ignored: {variable} sets {dotted(path)} too")
        used[path] = variable
        put(found.tree, path, value)
    return found


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """The variables that may be ours, with the parts of their keys; a later one wins over an earlier one."""
    for alias, key in ALIASES.items():
        if alias in environ:
            yield alias, key.split(".")
    ours = sorted(name for name in environ if name.startswith("SQE_") and name not in ALIASES)
    for name in sorted(ours, key=lambda name: name.startswith("SQE__")):
        yield name, name.removeprefix("SQE_").removeprefix("_").split("__")


def resolve(annotation: object, parts: list[str], below: object) -> tuple[KeyPath, tuple[Any, ...]] | None:
    """The path of a key and the types its value may have; None when there is no such key."""
    kinds = kinds_of(annotation)
    kind = kinds[0]
    is_section = isinstance(kind, type) and issubclass(kind, SettingsModel)
    if not parts:
        return None if is_section else ((), kinds)
    step = (
        _step_into_section(kind.variant_for(below), parts[0])
        if is_section
        else _step_into_collection(kind, parts[0], below)
    )
    if step is None:
        return None
    key, inner = step
    rest = resolve(inner, parts[1:], _at(below, key))
    return None if rest is None else ((key, *rest[0]), rest[1])


def _at(below: object, key: str | int) -> object:
    if isinstance(below, Mapping):
        return below.get(key)
    return below[key] if isinstance(below, list) and isinstance(key, int) and key < len(below) else None


def _step_into_section(kind: type[SettingsModel], part: str) -> tuple[str, Any] | None:
    info = kind.model_fields.get(part.lower())
    return None if info is None else (part.lower(), info.annotation)


def _step_into_collection(kind: object, part: str, below: object) -> tuple[str | int, Any] | None:
    if get_origin(kind) is dict:
        names = below if isinstance(below, Mapping) else ()
        return next((name for name in names if name.lower() == part.lower()), part.lower()), get_args(kind)[1]
    if get_origin(kind) is list and re.fullmatch("[0-9]{1,4}", part):
        return int(part), get_args(kind)[0]
    return None


def kinds_of(annotation: object) -> tuple[Any, ...]:
    """The plain types of an annotation."""
    if get_origin(annotation) is Annotated:
        return kinds_of(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        return tuple(kind for member in get_args(annotation) for kind in kinds_of(member))
    return (annotation,)


def from_text(kinds: tuple[Any, ...], text: str) -> object:
    """The value that `text` stands for in a key of these types; the text itself when it fits none."""
    for kind in kinds:
        if kind is bool and text.lower() in _BOOLEANS:
            return _BOOLEANS[text.lower()]
        if kind is int and _WHOLE.fullmatch(text.strip()):
            return int(text)
        if kind is float:
            try:
                return float(text)
            except ValueError:
                continue
    return text


def _problem(model: type[SettingsModel], path: KeyPath, value: object) -> str | None:
    alone: Tree = {}
    put(alone, path, value)
    problems = problems_of_layer(model, merge({}, alone))
    # Every variable is text: that it is "a string" says nothing.
    return problems[0].text.removesuffix(", got a string") if problems else None
