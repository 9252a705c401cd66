"""The jars inside the installed pyspark, without importing it (that costs a quarter of a second)."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sqe.core.errors import ExternalError

#: Machine learning: while it is on the class path every start of a session registers functions for its vectors, by
#: reflection, which takes a second.
_UNUSED = ("spark-mllib_",)


@cache
def spark_jar_folder() -> Path:
    """The folder of Spark's own jars."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise ExternalError("the package pyspark is not installed", hint="run `make setup`")
    return Path(spec.origin).parent / "jars"


@cache
def spark_jars() -> tuple[Path, ...]:
    """Spark's jars that we run, in a fixed order, which the class data archive depends on."""
    return tuple(jar for jar in sorted(spark_jar_folder().glob("*.jar"), key=_name) if not jar.name.startswith(_UNUSED))


def _name(path: Path) -> str:
    return path.name


def spark_jar(name: str) -> Path:
    """One of Spark's jars by its file name."""
    return spark_jar_folder() / name
