"""The console script: as little as possible happens before Ctrl-C has a handler."""

from __future__ import annotations


def main() -> int:
    """Run the command; 130 after Ctrl-C, also while modules are loaded."""
    try:
        from sqe.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130
