"""Failures of what stands around the engine, the catalog's and the storage's, told so that one knows whose they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sqe.core.errors import DeniedError, ExternalError, SqeError

Fact = dict[str, Any]

#: What a REST catalog's answer means, by the end of the exception's class name.
_CATALOG: dict[str, tuple[type[SqeError], str]] = {
    "NotAuthorizedException": (DeniedError, "does not accept your login (status 401)"),
    "ForbiddenException": (DeniedError, "does not allow this (status 403)"),
    "ServiceUnavailableException": (ExternalError, "is not available (status 503)"),
    "ServiceFailureException": (ExternalError, "has failed (status 500 or alike)"),
    "RESTException": (ExternalError, "does not answer as it should"),
}
_CATALOG_HINTS = {
    DeniedError: "ask whoever gives out rights in the catalog",
    ExternalError: "the server itself works; look after the catalog",
}
#: Why there is no connection, by the end of the innermost exception's class name.
_UNREACHABLE = (
    ("UnknownHostException", "there is no such host"),
    ("ConnectException", "connection refused"),
    ("NoRouteToHostException", "no route to its host"),
    ("TimeoutException", "it does not answer in time"),
    ("SSLHandshakeException", "its certificate is not trusted"),
    ("SSLException", "it has no TLS, or one that does not fit"),
    ("NoHttpResponseException", "it ended the connection"),
    ("SocketException", "it ended the connection"),
)
_STORAGE_AWAY = ("SdkClientException", "HttpHostConnectException")
_STORAGE_REFUSES = ("S3Exception", "AccessDeniedException", "DataLakeStorageException", "BlobStorageException")
_STORAGE_LOST = ("iceberg.exceptions.NotFoundException",)
_PLACE = re.compile(r"\b(?:s3[an]?|abfss?|wasbs?|gs|hdfs|oss|file):/+[^\s,'\"]+")
_REASON = re.compile(
    r"^(?:Not authorized|Forbidden|Service unavailable|Server error): (?:\w+Exception: )?(.+)", re.DOTALL
)
_CONNECT = re.compile(r"Connect to (https?://[^\s/]+)")
#: What only repeats the status.
_EMPTY_WORDS = frozenset({"unauthorized", "forbidden", "service unavailable", "internal server error", "null"})


@dataclass(frozen=True)
class Blame:
    """Whose failure it is, in words; `words` follow the neighbour's name."""

    neighbour: str
    kind: type[SqeError]
    words: str
    hint: str | None = None
    #: The start of its address, when the failure tells it.
    at: str = ""

    @property
    def message(self) -> str:
        """A sentence, without the name that this layer does not know."""
        return f"the {self.neighbour} {self.words}"


def blame(chain: Sequence[Fact]) -> Blame | None:
    """The neighbour that a chain of exceptions, outermost first, is about; None when it is about none."""
    return _catalog(chain) or _storage(chain)


def _catalog(chain: Sequence[Fact]) -> Blame | None:
    for fact in chain:
        name = str(fact["class"])
        if not name.startswith("org.apache.iceberg.exceptions."):
            continue
        for ending, (kind, words) in _CATALOG.items():
            if name.endswith(f".{ending}"):
                why = _unreachable(chain) if ending == "RESTException" else None
                told = f"is not reachable: {why}" if why else words + _reason(str(fact.get("message") or ""))
                return Blame("catalog", kind, told, _CATALOG_HINTS[kind], _address(chain))
    return None


def _storage(chain: Sequence[Fact]) -> Blame | None:
    for fact in chain:
        name = str(fact["class"])
        place = _place(chain)
        if name.endswith(_STORAGE_LOST) and place:
            return Blame(
                "storage",
                ExternalError,
                f"has no file {place}",
                "the catalog names it as a part of the table; was it removed, or is the storage another one?",
            )
        if name.endswith(_STORAGE_REFUSES) and not name.startswith("java."):
            return Blame("storage", ExternalError, f"refuses {place or 'a file of the table'}", "look at its keys")
        if name.endswith(_STORAGE_AWAY):
            why = _unreachable(chain)
            return Blame(
                "storage",
                ExternalError,
                f"of {place or 'the table'} is not reachable{f': {why}' if why else ''}",
                "the server itself works; look after the storage",
            )
    return None


def _unreachable(chain: Sequence[Fact]) -> str | None:
    for fact in reversed(chain):
        for ending, words in _UNREACHABLE:
            if str(fact["class"]).endswith(ending):
                return words
    return None


def _place(chain: Sequence[Fact]) -> str:
    for fact in reversed(chain):
        found = _PLACE.search(str(fact.get("message") or ""))
        if found is not None:
            return found.group().rstrip(".:;)")
    return ""


def _address(chain: Sequence[Fact]) -> str:
    for fact in reversed(chain):
        found = _CONNECT.search(str(fact.get("message") or ""))
        if found is not None:
            return found.group(1)
    return ""


def _reason(text: str) -> str:
    """What the catalog itself says, when that is more than its status."""
    found = _REASON.match(text)
    words = " ".join(found.group(1).split()) if found else ""
    return "" if not words or words.lower() in _EMPTY_WORDS else f": {words[:300]}"


def name_catalog(error: SqeError, addresses: Mapping[str, str], sql: str, current: str) -> None:
    """Say which catalog an error is about, and where it is.

    Args:
        error: The error; one that is about something else stays as it is.
        addresses: The catalogs of the session that are asked by network.
        sql: The statement.
        current: The catalog of names without one.
    """
    if error.neighbour is None or error.neighbour[0] != "catalog":
        return
    at = error.neighbour[1]
    found = [name for name, address in addresses.items() if at and address.startswith(at)]
    found = found or [name for name in addresses if re.search(rf"\b{re.escape(name)}\b", sql, re.IGNORECASE)]
    found = found or [name for name in addresses if name == current or len(addresses) == 1]
    if found:
        one = f"the catalog {found[0]} at {addresses[found[0]]} "
        several = f"one of the catalogs {', '.join(found)} "
        error.reword(error.message.replace("the catalog ", one if len(found) == 1 else several, 1))
        error.neighbour = None


def bare_address(url: str) -> str:
    """An address without user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path.rstrip('/')}"
