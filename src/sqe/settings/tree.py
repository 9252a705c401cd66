"""Settings before they are checked: trees of dictionaries and lists, one for each layer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

Tree = dict[Any, Any]
KeyPath = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dotted(path: KeyPath) -> str:
    """A path as TOML writes a key; a part that is no bare word is quoted, so the text stays on one line."""
    return ".".join(text if _BARE.fullmatch(text := str(part)) else json.dumps(text) for part in path)


def put(tree: Tree, path: KeyPath, value: object) -> None:
    """Set the value at `path`; what stands in the way is replaced."""
    for part in path[:-1]:
        if not isinstance(tree.get(part), dict):
            tree[part] = {}
        tree = tree[part]
    tree[path[-1]] = value


def existing(tree: object, path: KeyPath) -> KeyPath:
    """The beginning of `path` that the tree has; all of it when there is something at `path`."""
    if not path:
        return ()
    part = path[0]
    if isinstance(tree, dict) and part in tree:
        return (part, *existing(tree[part], path[1:]))
    if isinstance(tree, list) and isinstance(part, int) and part < len(tree):
        return (part, *existing(tree[part], path[1:]))
    return ()


def without(tree: Tree, paths: list[KeyPath]) -> Tree:
    """A copy of the tree that lacks what is at `paths`; an item of a list takes the whole list with it."""
    copy: Tree = {}
    for key, value in tree.items():
        below = [path[1:] for path in paths if path[:1] == (key,)]
        if isinstance(value, dict) and () not in below:
            copy[key] = without(value, below)
        elif not below:
            copy[key] = value
    return copy


def merge(below: Mapping[Any, Any], above: Mapping[Any, Any]) -> Tree:
    """`above` laid over `below`: tables are merged key by key, everything else is replaced.

    A dictionary with whole numbers as keys stands for items of a list: they are laid over the items of the
    list below, and those beyond its end are appended.
    """
    merged = dict(below)
    for key, value in above.items():
        merged[key] = _laid_over(merged.get(key), value)
    return merged


def _laid_over(below: object, above: object) -> object:
    if not isinstance(above, Mapping):
        return above
    if not any(isinstance(key, int) for key in above):
        return merge(below if isinstance(below, Mapping) else {}, above)
    items = list(below) if isinstance(below, list) else []
    for place in sorted(above):
        if place < len(items):
            items[place] = _laid_over(items[place], above[place])
        else:
            items.append(_laid_over(None, above[place]))
    return items
