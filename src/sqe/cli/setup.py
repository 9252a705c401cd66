"""`sqe-cli setup`: everything that an embedded engine needs, fetched and built once, with progress shown."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sqe.core.folders import Folders
from sqe.core.sizes import format_size
from sqe.core.usage import OneLineParser
from sqe.settings import load
from sqe.spark.archive import TRAINING, make_archive
from sqe.spark.jar_lock import Jar, groups
from sqe.spark.toolchain import BASE_GROUPS, Toolchain

_BAR_WIDTH = 30


def run_setup(arguments: Sequence[str]) -> int:
    """Set up; quick when everything is there."""
    parser = OneLineParser(prog="sqe-cli setup", description="Fetch and build all that an embedded engine needs.")
    parser.add_argument("--group", action="append", default=[], choices=groups(), help="also fetch these jars")
    wanted = frozenset(parser.parse_args(arguments).group)
    folders = Folders.of_user(os.environ)
    loaded = load(config_path=None, environ=os.environ, overrides={}, embedded=True, cwd=Path.cwd())
    toolchain = Toolchain(folders.cache, loaded.settings.engine.java_home, os.environ)
    _say(f"Java {toolchain.java.version} ({toolchain.java.source})")
    _fetch(toolchain, BASE_GROUPS | wanted)
    class_path = toolchain.class_path(wanted)
    if toolchain.usable_archive(class_path) is None:
        bar = ProgressBar("class archive (a minute, once)", len(TRAINING) + 1)
        archive = make_archive(toolchain, lambda flags: _train(folders, flags, bar))
        bar.done()
        if archive is None:
            _say("the class archive could not be made; the engine works, but starts more slowly")
    _say("ready")
    return 0


def _fetch(toolchain: Toolchain, wanted: frozenset[str]) -> None:
    """Fetch what is missing, a bar for each jar."""
    bars: dict[Jar, ProgressBar] = {}

    def report(jar: Jar, arrived: int) -> None:
        if jar not in bars:
            bars[jar] = ProgressBar(f"jar {jar.artifact}", jar.size)
        bars[jar].show(arrived)
        if arrived == jar.size:
            bars[jar].done()

    toolchain.jars.ensure(wanted, report)


def _train(folders: Folders, flags: tuple[str, ...], bar: ProgressBar) -> None:
    """Run the training statements in an engine of its own, on a warehouse that is thrown away."""
    from sqe.catalogs.embedded import Warehouses
    from sqe.core.errors import SqeError
    from sqe.server.local import LocalEngine
    from sqe.settings import Settings

    with tempfile.TemporaryDirectory(prefix="sqe-setup-") as scratch:
        warehouses = Warehouses.of({"iceberg": Path(scratch)}, memory=False, default=Path(scratch))
        engine = LocalEngine(
            Settings(),
            folders,
            warehouses,
            environ=os.environ,
            log_folder=Path(scratch) / "log",
            jvm_flags=flags,
        )
        try:
            session = engine.sessions.open("training", engine.identity)
            for number, sql in enumerate(TRAINING):
                bar.show(number)
                try:
                    for _ in engine.pipeline.run(session, sql):
                        pass
                except SqeError:
                    # Some statements are wrong on purpose: errors need classes too.
                    continue
        finally:
            engine.close()
        bar.show(len(TRAINING))


class ProgressBar:
    """One line on the terminal that fills up; where there is no terminal, one line at the start and no more."""

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = max(1, total)
        self._live = sys.stderr.isatty()
        if not self._live:
            _say(what)

    def show(self, value: int) -> None:
        """Draw the bar for `value` of the total."""
        if self._live:
            share = min(1.0, value / self._total)
            filled = round(share * _BAR_WIDTH)
            size = f" {format_size(self._total)}" if self._total > 1 << 20 else ""
            bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
            sys.stderr.write(f"\r{self._what[:44]:<44} {bar} {share:4.0%}{size}\x1b[K")
            sys.stderr.flush()

    def done(self) -> None:
        """Leave the full bar behind."""
        self.show(self._total)
        if self._live:
            sys.stderr.write("\n")


def _say(text: str) -> None:
    print(text, file=sys.stderr)
