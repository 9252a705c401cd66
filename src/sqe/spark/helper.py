"""Builds the jar with our few Java classes (`jvm/*.java`) by Janino, the compiler that Spark itself ships.

No JDK is needed. The jar is named after its sources and compiler, so a changed source is a new jar.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from sqe.core.errors import InternalError
from sqe.spark.gateway import java_error_text, open_gateway
from sqe.spark.java import Java
from sqe.spark.spark_jars import spark_jars

#: Entries of the jar carry this time, so that the same sources give the same bytes.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def sources() -> dict[str, str]:
    """Our Java sources, and the resources beside them, by file name."""
    folder = files("sqe.spark").joinpath("jvm")
    return {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith((".java", ".properties"))
    }


def helper_jar(java: Java, jars: Sequence[Path], cache: Path) -> Path:
    """The helper's jar in `cache`, built if these sources were not built yet."""
    texts = sources()
    digest = hashlib.sha256(repr((sorted(texts.items()), [jar.name for jar in spark_jars()])).encode())
    target = cache / f"sqe-jvm-{digest.hexdigest()[:16]}.jar"
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="build-") as scratch:
            _compile(java, [*spark_jars(), *jars], texts, Path(scratch))
            _pack(Path(scratch) / "classes", Path(scratch) / target.name)
            (Path(scratch) / target.name).replace(target)
    return target


def _compile(java: Java, class_path: Sequence[Path], texts: dict[str, str], scratch: Path) -> None:
    source_folder, class_folder = scratch / "source", scratch / "classes"
    source_folder.mkdir()
    class_folder.mkdir()
    for name, text in texts.items():
        folder = source_folder if name.endswith(".java") else class_folder
        (folder / name).write_text(text, encoding="utf-8")
    with open_gateway(java, class_path) as gateway:
        file = gateway.jvm.java.io.File

        def array(paths: Sequence[Path]) -> object:
            made = gateway.new_array(file, len(paths))
            for index, path in enumerate(paths):
                made[index] = file(str(path))
            return made

        compiler = gateway.jvm.org.codehaus.janino.CompilerFactory().newCompiler()
        compiler.setClassPath(array(class_path))
        compiler.setDestinationDirectory(file(str(class_folder)), False)
        compiler.setSourceVersion(8)
        compiler.setTargetVersion(8)
        compiler.setDebugLines(True)
        try:
            compiler.compile(array(sorted(source_folder.iterdir())))
        except gateway.java_error as error:
            raise InternalError(f"the JVM helper does not compile: {java_error_text(error)}") from error


def _pack(classes: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w") as jar:
        for path in sorted(path for path in classes.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(classes).as_posix(), _EPOCH)
            jar.writestr(entry, path.read_bytes())
    os.chmod(target, 0o644)  # noqa: PTH101 - the scratch folder is private, the cache is not
