"""Command lines of all our commands: exit codes, and a parser whose complaint is one line."""

from __future__ import annotations

import argparse
from typing import NoReturn

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


class OneLineParser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong and leave with the code for wrong usage."""
        self.exit(EXIT_USAGE, f"error: {message} (see {self.prog} --help)\n")
