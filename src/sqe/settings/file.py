"""Find and read `sqe.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqe.core.errors import ConfigError
from sqe.settings.tree import Tree

FILE_NAME = "sqe.toml"

_PLACE = re.compile(r" \(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)$")


@dataclass(frozen=True)
class FromFile:
    """What a file says; `name` is the file as the person wrote it, `path` is None when there is none."""

    name: str = FILE_NAME
    path: Path | None = None
    tree: Tree = field(default_factory=dict)


def read_file(config_path: Path | None, environ: Mapping[str, str], cwd: Path) -> FromFile:
    """Read the file that was asked for, or the one in `cwd` if there is one.

    Raises:
        ConfigError: The file cannot be read or is not TOML.
    """
    wanted = config_path or environ.get("SQE_CONFIG")
    name = str(wanted or FILE_NAME)
    path = cwd / name
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ConfigError(f"{name}: not a file")
        content = path.read_bytes()
    except FileNotFoundError:
        if not wanted:
            return FromFile()
        raise ConfigError(f"{name}: there is no such file") from None
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}") from None
    return FromFile(name, path, _parse(name, content))


def _parse(name: str, content: bytes) -> Tree:
    text, problem = "", ""
    try:
        # Some editors put a byte order mark first.
        text = content.decode("utf-8-sig")
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        text = content[: error.start].decode("utf-8-sig")
        problem = "not UTF-8 text (at end of document)"
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
    except (ValueError, RecursionError):
        # A number with thousands of digits, brackets without end: the parser has no place for these.
        problem = "a value is too long or too deep"
    raise _not_toml(name, text, problem)


def _not_toml(name: str, text: str, problem: str) -> ConfigError:
    place = _PLACE.search(problem)
    if place is None:
        return ConfigError(f"{name}: {problem}")
    line, column = place.groups()
    if line is None:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
    return ConfigError(f"{name}: line {line}, column {column}: {problem[: place.start()]}")
