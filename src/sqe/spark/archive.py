"""Makes the class data archive: the classes of a typical session, ready to be mapped into a starting JVM.

One run notes which classes are loaded, a second one writes them down. The archive belongs to one Java and one class
path; `Toolchain.archive` names it after both.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from sqe.core.errors import SqeError
from sqe.spark.jvm_flags import JvmPlan
from sqe.spark.toolchain import Toolchain

_TIMEOUT_SECS = 900

#: What people do first; it decides which classes are in the archive.
TRAINING = (
    "SELECT 1",
    "CREATE TABLE iceberg.default.a AS SELECT id, id % 7 AS k, CAST(id AS STRING) AS s, "
    "CAST(id AS DECIMAL(15,2)) AS d, CAST(id AS DOUBLE) AS f, TIMESTAMP '2024-01-01 00:00:00' AS t FROM range(1000)",
    "INSERT INTO iceberg.default.a SELECT id, 1, 'x', 1.5, 2.5, TIMESTAMP '2024-01-01 00:00:00' FROM range(10)",
    "SELECT k, count(*) AS c, sum(d), avg(f), min(s), max(t) FROM iceberg.default.a GROUP BY k ORDER BY k LIMIT 3",
    "SELECT k, count(*) FROM iceberg.default.a WHERE s LIKE '1%' GROUP BY k HAVING count(*) > 1",
    "SELECT a.id, b.s FROM iceberg.default.a AS a JOIN iceberg.default.a AS b ON a.id = b.k WHERE a.id < 100",
    "SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM iceberg.default.a",
    "SELECT DISTINCT k FROM iceberg.default.a UNION SELECT 3",
    "SELECT * FROM iceberg.default.a LIMIT 5",
    "UPDATE iceberg.default.a SET s = 'y' WHERE id = 3",
    "DELETE FROM iceberg.default.a WHERE id = 4",
    "CREATE TABLE m AS SELECT 1 AS x",
    "SELECT * FROM m",
    "SHOW CATALOGS",
    "SHOW TABLES IN iceberg.default",
    "DESCRIBE TABLE iceberg.default.a",
    "SELECT * FROM iceberg.default.a.snapshots",
    "EXPLAIN SELECT count(*) FROM iceberg.default.a",
    "SELECT * FROM nothing_of_that_name",
    "SELEC",
    "SELECT 1 / (id - id) FROM range(3)",
)

#: Runs the training statements in an engine with these JVM flags and stops it in an orderly way.
Training = Callable[[tuple[str, ...]], None]


def make_archive(toolchain: Toolchain, train: Training) -> Path | None:
    """Make the archive unless it is there; None when this Java cannot, and then starts are only slower."""
    class_path = toolchain.class_path()
    target = toolchain.archive(class_path)
    if target.exists():
        return target
    _remove_old(target)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="archive-") as scratch:
        classes, made = Path(scratch) / "classes.lst", Path(scratch) / target.name
        try:
            train((f"-XX:DumpLoadedClassList={classes}",))
        except SqeError:
            return None
        plan = JvmPlan(toolchain.java, class_path, 1 << 30, Path(scratch))
        if classes.exists() and _dump(plan, classes, made):
            made.replace(target)
            return target
    return None


def _dump(plan: JvmPlan, classes: Path, target: Path) -> bool:
    command = [
        str(plan.java.executable), "-Xshare:dump", "-XX:+UseSerialGC", "-Xlog:disable",
        f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={target}",
        "-cp", ":".join(map(str, plan.class_path)),
    ]  # fmt: skip
    try:
        answer = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_SECS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return answer.returncode == 0 and target.exists()


def _remove_old(target: Path) -> None:
    """An archive is large; beside the new one those of two other checkouts or versions may stay."""
    archives = sorted(target.parent.glob("classes-*.jsa"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in archives[2:]:
        old.unlink(missing_ok=True)
