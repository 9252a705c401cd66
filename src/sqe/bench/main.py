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
    front = commands.add_parser("translate", help="the translation of statements, before the engine sees them")
    listing = commands.add_parser("listing", help="a catalog of 1,000 tables, beside loading them one by one")
    serve = commands.add_parser("serve", help="the server: small statements, many clients, large results")
    serve.add_argument("--trino", metavar="URL", help="a Trino to compare with, such as http://127.0.0.1:8080")
    serve.add_argument("--clients", type=int, default=32, help="how many clients at once (default: 32)")
    serve.add_argument("--seconds", type=float, default=300, help="how long they go on (default: 300)")
    for command in (start, front, listing, serve):
        command.add_argument("--rounds", type=int, default=5, help="rounds per measurement (default: 5)")
        command.add_argument("--json", type=Path, metavar="FILE", help="also write all figures to a file")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds must be at least 1")
    try:
        if given.command == "serve":
            from sqe.bench.serve import run_serve

            return run_serve(given.rounds, given.json, given.trino, given.clients, given.seconds)
        return _run(given.command, given.rounds, given.json)
    except SqeError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return 1


def _run(command: str, rounds: int, target: Path | None) -> int:
    if command == "translate":
        from sqe.bench.translate import run_translate

        return run_translate(rounds, target)
    if command == "listing":
        from sqe.bench.listing import run_listing

        return run_listing(rounds, target)
    from sqe.bench.start import run_start

    return run_start(rounds, target)
