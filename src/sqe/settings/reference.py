"""The documentation of every key, made from the models: `sqe.example.toml` and `docs/configuration.md`.

`python -m sqe.settings.reference --write ROOT` writes both, `--check ROOT` tells whether they are up to date.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args, get_origin

from pydantic import SecretStr

from sqe.core.sizes import format_size, parse_size
from sqe.observe.model import SettingsModel, embedded_defaults, entry_of, is_size, section_of
from sqe.settings.environment import ALIASES, kinds_of
from sqe.settings.root import Settings

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

Section = tuple[tuple[str, ...], type[SettingsModel]]

#: Stands for a name that whoever writes the settings chooses.
_NAME: Final = "<name>"
_DEEPER: Final[Mapping[object, str]] = {dict: "__<NAME>", list: "__<NUMBER>"}

_EXAMPLE_HEAD = """\
# Every setting of SQE with its default. Copy this file to sqe.toml and take the # away from what you change.
# Made from the code by `python -m sqe.settings.reference --write .`; docs/configuration.md says more.
"""

_PAGE_HEAD = """\
# Configuration

<!-- Made from the code by `python -m sqe.settings.reference --write .`; edit the settings models instead. -->

SQE runs without any configuration. `sqe.example.toml` has every key with its default.

## Where settings come from

The first of these that sets a key wins:

1. flags of the command;
2. environment variables;
3. the file: the one named by `--config PATH`, else the one named by `SQE_CONFIG`, else `sqe.toml` in the
   current folder if there is one;
4. the defaults. The embedded engine, which serves one person, has some of its own.

A file that was named must exist. Keys that SQE does not know and values that do not fit are errors: all of
them are listed before anything starts, each with the key it is about and never with the value.

## Environment variables

A key is spelled `SQE_SECTION__KEY` or `SQE__section__key`, with two underscores between the parts; letter
case does not matter after the first `SQE_` or `SQE__`. An entry of a table or an item of a list is one more
part: `SQE_EMBEDDED__CATALOGS__SALES=/data/sales`, `SQE_SECTION__LIST__0=first`. The name of a new entry is in
lower case. When both spellings are set, the one that starts with `SQE__` is used.

Booleans are `true`, `false`, `1`, `0`, `yes` or `no`. A variable with a bad value is ignored with a warning;
a variable that names no key is ignored.

## Sizes and times

A size is a number with `B`, `KB`, `MB`, `GB` or `TB` (`"64MB"`, `"1.5GB"`; `KiB`, `MiB` and so on mean the
same), or a whole number of bytes. The units are powers of 1024. Keys that end in `_secs` are whole numbers of
seconds.
"""


def example_toml(model: type[SettingsModel]) -> str:
    """A file with every key of `model`, commented out, its default, and its meaning above it."""
    sections = (_example_section(*section) + _example_entries(*section) for section in _sections(model))
    return "\n".join([_EXAMPLE_HEAD, *sections])


def reference_markdown(model: type[SettingsModel]) -> str:
    """The page on all keys of `model`: how settings are found, then one table for each section."""
    sections = (_page_section(*section) + _page_entries(*section) for section in _sections(model))
    return "\n".join([_PAGE_HEAD, *sections])


def _sections(model: type[SettingsModel], path: tuple[str, ...] = ()) -> Iterator[Section]:
    if any(_is_plain(field) for field in model.model_fields.values()):
        yield path, model
    for name, field in model.model_fields.items():
        inner, entry = section_of(field), entry_of(field)
        if inner is not None:
            yield from _sections(inner, (*path, name))
        elif entry is not None:
            yield from _sections(entry, (*path, name, _NAME))


def _is_plain(field: FieldInfo) -> bool:
    return section_of(field) is None and entry_of(field) is None


def _keys(model: type[SettingsModel]) -> Iterator[tuple[str, FieldInfo, object]]:
    """The plain keys of a section with their defaults."""
    for name, field in model.model_fields.items():
        if _is_plain(field):
            yield name, field, field.get_default(call_default_factory=True, validated_data={})


def _example_section(path: tuple[str, ...], model: type[SettingsModel]) -> str:
    # A table of a name that only its owner knows is no part of the file until its comment is taken away.
    mark = "# " if _NAME in path else ""
    lines = [f"# {_summary(model)}", *([f"{mark}[{'.'.join(path)}]"] if path else [])]
    differing = embedded_defaults(model)
    for name, field, default in _keys(model):
        meaning = field.description or ""
        if name in differing:
            meaning += f" Embedded default: {_toml(field, differing[name])}."
        lines += textwrap.wrap(meaning, width=106, initial_indent="# ", subsequent_indent="# ")
        lines.append(f"{mark or '#'}{name} = {_toml(field, default)}")
    return "\n".join(lines) + "\n"


def _page_section(path: tuple[str, ...], model: type[SettingsModel]) -> str:
    differing = embedded_defaults(model)
    columns = ["Key", "Default", *(["Embedded"] if differing else []), "Environment variable", "Meaning"]
    lines = [f"## [{'.'.join(path)}]" if path else "## Without a section", "", _summary(model), ""]
    lines += [_row(columns), _row(["---"] * len(columns))]
    for name, field, default in _keys(model):
        key = (*path, name)
        own = [f"`{_toml(field, differing[name])}`" if name in differing else ""] if differing else []
        lines.append(
            _row(
                [
                    f"`{name}`",
                    f"`{_toml(field, default)}`",
                    *own,
                    _variables(key, field),
                    field.description or "",
                ]
            )
        )
    return "\n".join(lines) + "\n"


def _entry_models(path: tuple[str, ...], model: type[SettingsModel]) -> Iterator[tuple[str, str, type[SettingsModel]]]:
    """The kinds of entries of a section's lists: the list's dotted key, the entry's type, its model."""
    for name, field, _ in _keys(model):
        kinds = kinds_of(field.annotation)
        item = kinds_of(get_args(kinds[0])[0])[0] if get_origin(kinds[0]) is list else None
        if isinstance(item, type) and issubclass(item, SettingsModel):
            for kind, variant in item.variants().items():
                yield ".".join((*path, name)), kind, variant


def _entry_keys(kind: str, model: type[SettingsModel]) -> Iterator[tuple[str, FieldInfo, str]]:
    """The keys of an entry, its type first, with their defaults; empty for what must be set."""
    for name, field, default in _keys(model):
        shown = json.dumps(kind) if name == "type" else "" if field.is_required() else _toml(field, default)
        yield name, field, shown


def _example_entries(path: tuple[str, ...], model: type[SettingsModel]) -> str:
    """Entries as comments with one more space than keys have, so that taking the # away from all keys adds none."""
    lines: list[str] = []
    for key, kind, variant in _entry_models(path, model):
        lines += ["", f"# {_summary(variant)}", f"# [[{key}]]"]
        lines += [f"# {name} = {shown or '...'}" for name, _, shown in _entry_keys(kind, variant)]
    return "\n".join([*lines, ""]) if lines else ""


def _page_entries(path: tuple[str, ...], model: type[SettingsModel]) -> str:
    lines: list[str] = []
    for key, kind, variant in _entry_models(path, model):
        lines += ["", f'## [[{key}]] type = "{kind}"', "", _summary(variant), ""]
        lines += [_row(["Key", "Default", "Meaning"]), _row(["---"] * 3)]
        lines += [
            _row([f"`{name}`", f"`{shown}`" if shown else "must be set", field.description or ""])
            for name, field, shown in _entry_keys(kind, variant)
            if name != "type"
        ]
    return "\n".join([*lines, ""]) if lines else ""


def _row(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", r"\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _variables(key: tuple[str, ...], field: FieldInfo) -> str:
    deeper = _DEEPER.get(get_origin(field.annotation), "")
    names = [f"SQE_{'__'.join(key).upper()}{deeper}"]
    names += [alias for alias, target in ALIASES.items() if target == ".".join(key)]
    return ", ".join(f"`{name}`" for name in names)


def _summary(model: type[SettingsModel]) -> str:
    return (model.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")


def _toml(field: FieldInfo, value: object) -> str:
    """A default as TOML writes it; sizes as a person does."""
    if isinstance(value, SecretStr):
        return '""'
    if is_size(field) and isinstance(value, int):
        return _toml_size(value)
    if isinstance(value, Mapping):
        entries = ", ".join(f"{json.dumps(key)} = {_toml(field, item)}" for key, item in value.items())
        return f"{{ {entries} }}" if entries else "{}"
    return json.dumps(value, ensure_ascii=False)


def _toml_size(value: int) -> str:
    text = format_size(value)
    return f'"{text}"' if parse_size(text) == value else str(value)


#: The files that are made, below the root of the repository.
FILES: Final[Mapping[str, Callable[[type[SettingsModel]], str]]] = {
    "sqe.example.toml": example_toml,
    "docs/configuration.md": reference_markdown,
}


def stale_files(root: Path) -> list[str]:
    """The files below `root` that are missing or not what the models say."""
    return [name for name, make in FILES.items() if _text_of(root / name) != make(Settings)]


def _text_of(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def write_files(root: Path) -> None:
    """Write all files below `root`."""
    for name, make in FILES.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(make(Settings), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the files; 1 when a check finds a stale one."""
    parser = argparse.ArgumentParser(prog="python -m sqe.settings.reference", description="Document the settings.")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", metavar="ROOT", type=Path, help="write the files below ROOT")
    action.add_argument("--check", metavar="ROOT", type=Path, help="fail when a file below ROOT is stale")
    chosen = parser.parse_args(arguments)
    if chosen.write is not None:
        write_files(chosen.write)
        return 0
    stale = stale_files(chosen.check)
    for name in stale:
        sys.stderr.write(f"{name} is stale: run python -m sqe.settings.reference --write {chosen.check}\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
