"""What a client of Trino's protocol keeps of its session: the server remembers nothing between two statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Header = tuple[bytes, bytes]
#: What the shell calls itself.
SOURCE = "sqe-cli"
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]*(?:/[A-Za-z0-9_+\-]+)*\Z")
#: Headers whose last value counts, by the header that sends it back.
_SINGLE = {
    b"x-trino-set-catalog": b"x-trino-catalog",
    b"x-trino-set-schema": b"x-trino-schema",
    b"x-trino-set-path": b"x-trino-path",
}
#: Headers of pairs `name=value`: what adds one, what takes one away, and what sends them all back.
_ADDING = {
    b"x-trino-set-session": b"x-trino-session",
    b"x-trino-set-role": b"x-trino-role",
    b"x-trino-added-prepare": b"x-trino-prepared-statement",
}
_REMOVING = {
    b"x-trino-clear-session": b"x-trino-session",
    b"x-trino-deallocated-prepare": b"x-trino-prepared-statement",
}
#: All that is kept; more would not fit into the headers of a request.
_MOST_PAIRS = 1000


@dataclass
class ClientState:
    """Catalog, schema, settings, roles and prepared statements. Values stay as they came: encoded, and as bytes."""

    source: str = SOURCE
    time_zone: str = ""
    _single: dict[bytes, bytes] = field(default_factory=dict)
    _pairs: dict[bytes, dict[bytes, bytes]] = field(default_factory=dict)

    def headers(self) -> list[Header]:
        """The headers of the next statement."""
        told = [(b"x-trino-source", self.source.encode())]
        if self.time_zone:
            told.append((b"x-trino-time-zone", self.time_zone.encode()))
        told += self._single.items()
        for name, pairs in self._pairs.items():
            told += [(name, key + b"=" + value) for key, value in pairs.items()]
        return told

    def update(self, headers: Iterable[Header]) -> None:
        """Keep what an answer has changed."""
        for raw_name, value in headers:
            name = raw_name.lower()
            if name in _SINGLE:
                self._single[_SINGLE[name]] = value
            elif name in _ADDING:
                self._add(_ADDING[name], value)
            elif name in _REMOVING:
                self._pairs.get(_REMOVING[name], {}).pop(value.strip(), None)

    def _add(self, name: bytes, value: bytes) -> None:
        key, sign, rest = value.partition(b"=")
        pairs = self._pairs.setdefault(name, {})
        if sign and (len(pairs) < _MOST_PAIRS or key.strip() in pairs):
            pairs[key.strip()] = rest.strip()


def local_zone(environ: Mapping[str, str], link: Path = Path("/etc/localtime")) -> str:
    """The time zone of this machine as its name; empty when there is none, and the server's is as good."""
    told = environ.get("TZ", "").removeprefix(":")
    if told:
        return told if _ZONE.match(told) else ""
    try:
        _, sign, name = str(link.resolve(strict=True)).partition("zoneinfo/")
    except (OSError, RuntimeError):
        return ""
    return name if sign and _ZONE.match(name) else ""
