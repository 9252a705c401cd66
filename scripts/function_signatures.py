"""Writes src/sqe/sql/functions/signatures.tsv: what Trino's SHOW FUNCTIONS says of the functions that exist here too.

    python scripts/function_signatures.py

The source is tests/sql/functions/trino_functions.tsv, recorded by scripts/record_trino.py; descriptions stay there.
"""

from __future__ import annotations

from pathlib import Path

from sqe.sql.functions.table import function_table

_ROOT = Path(__file__).parents[1]
RECORDED = _ROOT / "tests" / "sql" / "functions" / "trino_functions.tsv"
TARGET = _ROOT / "src" / "sqe" / "sql" / "functions" / "signatures.tsv"


def signature_lines() -> str:
    """The text of the file."""
    known = set(function_table().names)
    head, *lines = RECORDED.read_text(encoding="utf-8").splitlines()
    kept = [line.split("\t")[:5] for line in lines if line.split("\t")[0] in known]
    return "\n".join("\t".join(row) for row in [head.split("\t")[:5], *kept]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(signature_lines(), encoding="utf-8")
