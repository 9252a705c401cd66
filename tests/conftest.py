"""Every test is marked after the folder it lives in; Ctrl-C means the same however the tests were started."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_MARKERS = frozenset({"unit", "spark", "server", "cli"})


#: Settings of clouds, from which object stores would take keys and regions that a test did not give.
_CLOUDS = ("AWS_", "AZURE_", "GOOGLE_", "GCLOUD_")


def pytest_configure() -> None:
    for name in [name for name in os.environ if name.startswith(_CLOUDS)]:
        del os.environ[name]
    # A shell's background job ignores SIGINT, and so would every command that the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(_HERE):
            tier = item.path.relative_to(_HERE).parts[0]
            if tier in _MARKERS:
                item.add_marker(tier)
