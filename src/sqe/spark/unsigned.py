"""Copies of Spark's signed jars without their signatures.

The JVM archives no class of a signed jar and checks each one when it loads it; Janino, which compiles every query,
is signed. The jars were checked by pip's hashes when pyspark was installed.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

_SIGNED = frozenset({"janino", "commons-compiler"})
_SIGNATURES = (".SF", ".RSA", ".DSA", ".EC")


def unsigned_jars(jars: Iterable[Path], folder: Path) -> tuple[Path, ...]:
    """The same jars in the same order, the signed ones replaced by copies in `folder`."""
    return tuple(_unsigned(jar, folder) if jar.stem.rsplit("-", 1)[0] in _SIGNED else jar for jar in jars)


def _unsigned(jar: Path, folder: Path) -> Path:
    target = folder / f"{jar.stem}-unsigned.jar"
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=folder, suffix=".tmp")
    with os.fdopen(handle, "wb") as file, zipfile.ZipFile(jar) as source, zipfile.ZipFile(file, "w") as copy:
        for entry in source.infolist():
            if not (entry.filename.startswith("META-INF/") and entry.filename.endswith((*_SIGNATURES, ".MF"))):
                copy.writestr(entry, source.read(entry), zipfile.ZIP_DEFLATED)
    Path(scratch).replace(target)
    return target
