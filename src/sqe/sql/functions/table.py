"""Loads the function table."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from sqe import __version__
from sqe.core.errors import InternalError

#: Functions of ours in the engine carry this prefix: a name of Trino's may mean something else to Spark.
PREFIX = "sqe_"
_HOLE = re.compile(r"\$(\d+)")


def _holes(template: str) -> int:
    """The number of arguments that a template names."""
    return max((int(hole) for hole in _HOLE.findall(template)), default=0)


@dataclass(frozen=True)
class FunctionTable:
    """All functions that a statement may call."""

    #: For each function, and for each list of kinds of arguments, an expression of Spark's with `$1`, `$2`, …
    scalars: dict[str, dict[str, str]]
    #: The same on the syntax tree, by name and number of arguments (`name/2`) or by name alone.
    rewrites: dict[str, str]
    passed: frozenset[str]

    def rewrite(self, name: str, count: int, *, takes_lambda: bool = False) -> str | None:
        """The template for a call with so many arguments, or with a lambda among them (`name/lambda`)."""
        special = self.rewrites.get(f"{name}/lambda") if takes_lambda else None
        plain = self.rewrites.get(name)
        fits = plain is not None and ("$*" in plain or _holes(plain) == count)
        return special or self.rewrites.get(f"{name}/{count}") or (plain if fits else None)

    def counts(self, name: str) -> list[int]:
        """How many arguments a function takes that is rewritten."""
        numbers = {key.partition("/")[2] for key in self.rewrites if key.startswith(f"{name}/")}
        plain = {_holes(self.rewrites[name])} if name in self.rewrites else set()
        return sorted(plain | {int(number) for number in numbers if number.isdigit()})

    def nearest(self, name: str) -> str | None:
        """A known name that looks much the same."""
        found = difflib.get_close_matches(name, self.names, n=1, cutoff=0.6)
        return found[0] if found else None

    @property
    def names(self) -> list[str]:
        """Everything that can be called, in order."""
        internal = {name for name in self.scalars if name.startswith("_")}
        rewritten = {name.partition("/")[0] for name in self.rewrites}
        return sorted((set(self.scalars) - internal) | rewritten | self.passed)


@cache
def function_table() -> FunctionTable:
    """The table, read once."""
    folder = files("sqe.sql.functions")
    spark = folder.joinpath("spark.txt").read_text(encoding="utf-8").split()
    scalars = _all(folder / "scalars")
    # Spark's function of this name tells of Spark.
    scalars["version"] = {"": f"CAST('{__version__}' AS STRING)"}
    return FunctionTable(scalars, _all(folder / "rewrites"), frozenset(spark))


def _all(folder: Traversable) -> dict[str, Any]:
    """The tables of all files of a folder; each function stands in one of them."""
    found: dict[str, Any] = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            for name, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
                if name in found:
                    raise InternalError(f"the function {name} stands in two tables")
                found[name] = entry
    return found
