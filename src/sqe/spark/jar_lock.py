"""The lock of our jars: which, in which group, with which SHA-256. Data is in `jars.lock.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Jar:
    """One pinned jar."""

    group: str
    organisation: str
    artifact: str
    version: str
    sha256: str
    size: int

    @classmethod
    def of(cls, group: str, coordinate: str, sha256: str = "", size: int = 0) -> Jar:
        """A jar by its coordinate."""
        organisation, artifact, version = coordinate.split(":")
        return cls(group, organisation, artifact, version, sha256, size)

    @property
    def file_name(self) -> str:
        """The jar's name in the cache folder."""
        return f"{self.artifact}-{self.version}.jar"

    @property
    def coordinate(self) -> str:
        """The jar's name in a Maven registry."""
        return f"{self.organisation}:{self.artifact}:{self.version}"


@cache
def locked_jars() -> tuple[Jar, ...]:
    """All jars of the lock file, in its order."""
    data = tomllib.loads(files("sqe.spark").joinpath("jars.lock.toml").read_text(encoding="utf-8"))
    return tuple(Jar.of(entry["group"], entry["coordinate"], entry["sha256"], entry["size"]) for entry in data["jar"])


def groups() -> tuple[str, ...]:
    """The names of the groups, in the order of the lock file."""
    return tuple(dict.fromkeys(jar.group for jar in locked_jars()))


def jars_of(wanted: frozenset[str]) -> tuple[Jar, ...]:
    """The jars of the wanted groups."""
    unknown = wanted - set(groups())
    if unknown:
        raise ValueError(f"unknown jar group: {', '.join(sorted(unknown))}")
    return tuple(jar for jar in locked_jars() if jar.group in wanted)
