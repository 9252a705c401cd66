"""The shell's command line: flags, their checks, and nothing heavier than argparse."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import sqe
from sqe.cli.target import DEFAULT_PORTS, FLIGHT, HTTP, Target
from sqe.core.usage import OneLineParser

FORMATS = ("table", "csv", "tsv", "json")

_EPILOG = """\
other commands:
  sqe-cli setup                 fetch and build all that an embedded engine needs
  sqe-cli doctor                check Java, jars, memory, disk and ports
  sqe-cli engine status|stop    the resident engines of this user
  sqe-cli auth login|logout|status    log in to a server in a browser
"""


@dataclass(frozen=True)
class Options:
    """What the person asked for."""

    execute: str | None
    file: Path | None
    stop_on_error: bool
    format: str | None
    output: Path | None
    embedded: bool
    no_daemon: bool
    memory: bool
    memory_limit: str | None
    catalogs: dict[str, Path]
    config: Path | None
    target: Target
    user: str | None
    token: str | None = field(repr=False)


def parse_options(arguments: Sequence[str]) -> Options:
    """The options; leaves the process when they make no sense."""
    parser = _parser()
    given = parser.parse_args(arguments)
    catalogs = _catalogs(parser, given.warehouse or None, given.catalog)
    if given.memory and catalogs:
        parser.error("--memory cannot be combined with --warehouse or --catalog")
    if given.warehouse == "":
        parser.error("--warehouse needs a path")
    if given.embedded:
        _refuse_remote_flags(parser, given)
    else:
        _refuse_embedded_flags(parser, given, catalogs)
    return Options(
        execute=given.execute,
        file=given.file,
        stop_on_error=given.stop_on_error,
        format=given.format,
        output=given.output,
        embedded=given.embedded,
        no_daemon=given.no_daemon,
        memory=given.memory,
        memory_limit=given.memory_limit,
        catalogs=catalogs,
        config=given.config,
        target=target_of(parser, given),
        user=given.user,
        token=given.token,
    )


def target_of(parser: OneLineParser, given: argparse.Namespace) -> Target:
    """The server that the flags name."""
    protocol = given.protocol or FLIGHT
    for flag, value in (("--insecure", given.insecure), ("--ca", given.ca), ("--cert", given.cert)):
        if value and not given.tls:
            parser.error(f"{flag} needs --tls")
    if given.insecure and given.ca:
        parser.error("--insecure cannot be combined with --ca")
    if given.key and not given.cert:
        parser.error("--key needs --cert")
    return Target(
        host=given.host or "localhost",
        port=given.port or DEFAULT_PORTS[protocol],
        protocol=protocol,
        tls=given.tls,
        insecure=given.insecure,
        ca=given.ca,
        cert=given.cert,
        key=given.key,
    )


def _parser() -> OneLineParser:
    parser = OneLineParser(
        prog="sqe-cli",
        description="SQL on Iceberg tables: an embedded engine, or a client of an SQE server.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"sqe-cli {sqe.__version__}")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings (default: sqe.toml in this folder)")
    _add_statement_flags(parser)
    _add_embedded_flags(parser)
    _add_remote_flags(parser)
    return parser


def _add_statement_flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("statements")
    group.add_argument("-e", "--execute", metavar="SQL", help="run statements and leave")
    group.add_argument("--file", type=Path, metavar="FILE", help="run a script and leave; with -e, before it")
    group.add_argument("--stop-on-error", action="store_true", help="end a script at its first error")
    group.add_argument("-f", "--format", choices=FORMATS, help="how results are written (default: table)")
    group.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write results to .csv, .tsv, .json, .parquet, .arrow, .txt",
    )


def _add_embedded_flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("embedded engine")
    group.add_argument("--embedded", action="store_true", help="use an engine on this machine")
    group.add_argument("--warehouse", metavar="PATH", help="the same as --catalog iceberg=PATH (~/.sqe/warehouse)")
    group.add_argument(
        "--catalog",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="mount a warehouse; may be repeated",
    )
    group.add_argument("--memory", action="store_true", help="no persistent tables")
    group.add_argument("--memory-limit", metavar="SIZE", help="memory for statements (default: 1GB, at least 64MB)")
    group.add_argument("--no-daemon", action="store_true", help="run the engine in this process and end it with it")


def _add_remote_flags(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("remote server")
    add_server_flags(group)
    group.add_argument("-u", "--user", "--username", help="user name; the password comes from SQE_PASSWORD or a prompt")
    group.add_argument("--token", help="bearer token instead of user and password (better: SQE_TOKEN)")


def add_server_flags(group: argparse._ArgumentGroup, port_help: str = "default: 50051; 8080 for http") -> None:
    """The flags that name a server and say how it is trusted."""
    group.add_argument("-H", "--host", type=_host, help="default: localhost")
    group.add_argument("-p", "--port", type=_port, help=port_help)
    group.add_argument("--protocol", choices=(FLIGHT, HTTP), help="Flight SQL (default) or Trino's HTTP protocol")
    group.add_argument("--tls", action="store_true", help="encrypt")
    group.add_argument("--insecure", action="store_true", help="with --tls: do not check the server's certificate")
    group.add_argument("--ca", type=Path, metavar="FILE", help="with --tls: trust what this authority has signed, too")
    group.add_argument("--cert", type=Path, metavar="FILE", help="with --tls: the certificate to show the server")
    group.add_argument("--key", type=Path, metavar="FILE", help="the key of --cert, when it is in another file")


def _host(text: str) -> str:
    """A host name or an address; nothing of a web address around it."""
    host = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9]+)?", host):
        raise argparse.ArgumentTypeError(f"{text!r} is not a host; the port goes with -p")
    return host


def _port(text: str) -> int:
    value = int(text) if text.isdigit() else 0
    if not 0 < value < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port")
    return value


def _catalogs(parser: OneLineParser, warehouse: str | None, pairs: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for pair in [*([f"iceberg={warehouse}"] if warehouse is not None else []), *pairs]:
        name, separator, path = pair.partition("=")
        if not separator or not name or not path:
            parser.error(f"--catalog needs NAME=PATH, not {pair!r}")
        if "." in name:
            parser.error(f"a catalog's name may not contain a dot: {name!r}")
        if name.lower() in {"default", "system", "spark_catalog", "information_schema"}:
            parser.error(f"the catalog name {name!r} is reserved")
        if name in found:
            parser.error(f"the catalog {name!r} is named twice")
        found[name] = Path(path).expanduser()
    return found


def _refuse_remote_flags(parser: OneLineParser, given: argparse.Namespace) -> None:
    for name in ("host", "port", "protocol", "token", "tls", "insecure", "ca", "cert", "key"):
        if getattr(given, name):
            parser.error(f"--{name} is for a remote server and cannot be combined with --embedded")


def _refuse_embedded_flags(parser: OneLineParser, given: argparse.Namespace, catalogs: dict[str, Path]) -> None:
    used = {
        "--warehouse or --catalog": catalogs,
        "--memory": given.memory,
        "--memory-limit": given.memory_limit,
        "--no-daemon": given.no_daemon,
    }
    for flag, value in used.items():
        if value:
            parser.error(f"{flag} needs --embedded")
