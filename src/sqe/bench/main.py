"""`sqe-bench`: measurements beside peers, in one run."""

from __future__ import annotations

import sys
from pathlib import Path

from sqe.core.errors import SqeError
from sqe.core.usage import OneLineParser


def main() -> int:
    """The console script."""
    parser = OneLineParser(prog="sqe-bench", description="Measurements beside peers, in one run, as ratios.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=OneLineParser)
    start = commands.add_parser("start", help="start-up, small statements and idle memory of the embedded engine")
    start.add_argument("--rounds", type=int, default=5, help="rounds per measurement (default: 5)")
    start.add_argument("--json", type=Path, metavar="FILE", help="also write all figures to a file")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds must be at least 1")
    from sqe.bench.start import run_start

    try:
        return run_start(given.rounds, given.json)
    except SqeError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return 1
