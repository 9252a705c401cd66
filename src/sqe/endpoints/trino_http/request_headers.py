"""The request headers of the protocol. All values are data: names are passed on as names, never as SQL text."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote_plus, unquote_plus

from starlette.datastructures import Headers

from sqe.auth.credentials import BearerToken, Certificate, Credentials, NoCredentials, Password
from sqe.core.errors import UserError

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ZONE = re.compile(r"[A-Za-z0-9_+\-/:]{1,64}\Z")
_SECONDS = re.compile(r"(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)\Z")
_ROLE = re.compile(r"(?:ALL|NONE|ROLE\{(.{1,200})\})\Z")
_UNIT_SECS = {"ms": 0.001, "s": 1.0, "m": 60.0}
#: The name in a request's state of the certificate that TLS has verified.
PEER_CERTIFICATE = "peer_certificate"
#: A prepared statement this long goes to the client compressed, and comes back so: headers have narrow limits.
_LONG_STATEMENT = 2048
_COMPRESSED = "$zlib:"
_MAX_NAMES = 1000


@dataclass(frozen=True)
class ClientRequest:
    """What a client says about itself and its session."""

    user: str = ""
    original_user: str = ""
    catalog: str = ""
    schema: str = ""
    source: str = ""
    time_zone: str = ""
    transaction: str = ""
    properties: tuple[tuple[str, str], ...] = ()
    prepared: dict[str, str] = field(default_factory=dict)
    #: The roles that the client wants to act in.
    roles: frozenset[str] = frozenset()


def client_request(headers: Headers, max_sql_bytes: int) -> ClientRequest:
    """What the headers say. Raises `UserError` for a header that cannot be read."""
    _refuse_control(headers)
    zone = _one(headers, "time-zone")
    if zone and not _ZONE.match(zone):
        raise UserError("the header X-Trino-Time-Zone names no time zone")
    catalog, schema = _one(headers, "catalog"), _one(headers, "schema")
    if schema and not catalog:
        raise UserError("the header X-Trino-Schema needs X-Trino-Catalog")
    transaction = _one(headers, "transaction-id")
    prepared = {
        unquote_plus(name): _statement(value, max_sql_bytes) for name, value in _pairs(headers, "prepared-statement")
    }
    return ClientRequest(
        user=_one(headers, "user"),
        original_user=_one(headers, "original-user"),
        catalog=catalog,
        schema=schema,
        source=_one(headers, "source"),
        time_zone=zone,
        transaction="" if transaction.upper() == "NONE" else transaction,
        properties=tuple(sorted((name, unquote_plus(value)) for name, value in _pairs(headers, "session"))),
        prepared=prepared,
        roles=_roles(headers),
    )


def credentials_of(headers: Headers, certificate: bytes | None = None) -> Credentials:
    """What the client shows: a token counts for more than a password, that for more than a certificate."""
    found: Credentials = Certificate(certificate) if certificate else NoCredentials()
    for value in headers.getlist("authorization"):
        scheme, _, rest = value.strip().partition(" ")
        if scheme.lower() == "bearer" and rest.strip():
            return BearerToken(rest.strip())
        if scheme.lower() == "basic":
            found = _basic(rest.strip())
        else:
            raise UserError("the header Authorization has neither a password nor a token")
    return found


def wait_secs(headers: Headers, parameter: str | None, default: float, most: float) -> float:
    """How long an answer may wait for something to tell: `maxWait=500ms`, or the header X-Trino-Max-Wait."""
    text = (parameter if parameter is not None else headers.get("x-trino-max-wait", "")).strip()
    if not text:
        return default
    found = _SECONDS.match(text)
    if found is None:
        raise UserError("maxWait is no duration such as 500ms or 1s")
    return min(most, float(found.group(1)) * _UNIT_SECS[found.group(2)])


def prepared_header(name: str, sql: str) -> str:
    """A prepared statement as a client keeps it and sends it back."""
    if len(sql) > _LONG_STATEMENT:
        sql = _COMPRESSED + base64.urlsafe_b64encode(zlib.compress(sql.encode())).decode("ascii")
    return f"{quote_plus(name)}={quote_plus(sql)}"


def _basic(encoded: str) -> Password:
    try:
        user, colon, password = base64.b64decode(encoded, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise UserError("the header Authorization is not readable") from error
    if not colon or _CONTROL.search(user):
        raise UserError("the header Authorization is not readable")
    return Password(user, password)


def _refuse_control(headers: Headers) -> None:
    for name, value in headers.items():
        if name.startswith("x-trino-") and _CONTROL.search(value):
            raise UserError(f"the header {name} has control characters")


def _one(headers: Headers, name: str) -> str:
    """The first value, as text: what is not ASCII is UTF-8 by habit."""
    values = headers.getlist(f"x-trino-{name}")
    if not values:
        return ""
    try:
        return values[0].encode("latin-1").decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise UserError(f"the header x-trino-{name} is not UTF-8") from error


def _pairs(headers: Headers, name: str) -> Iterator[tuple[str, str]]:
    """The pairs `name=value` of a header that may come several times, each with several pairs."""
    count = 0
    for value in headers.getlist(f"x-trino-{name}"):
        for item in value.split(","):
            if not item.strip():
                continue
            key, sign, rest = item.strip().partition("=")
            count += 1
            if not sign or not key.strip() or count > _MAX_NAMES:
                raise UserError(f"the header x-trino-{name} is not readable")
            yield key.strip(), rest.strip()


def _roles(headers: Headers) -> frozenset[str]:
    """The names in `catalog=ROLE{name}`; ALL and NONE name none."""
    names = set()
    for _, value in _pairs(headers, "role"):
        found = _ROLE.match(unquote_plus(value))
        if found is None:
            raise UserError("the header x-trino-role is not readable")
        names.add(found.group(1))
    return frozenset(name for name in names if name is not None)


def _statement(value: str, max_bytes: int) -> str:
    text = unquote_plus(value)
    if not text.startswith(_COMPRESSED):
        return text
    unpacker = zlib.decompressobj()
    try:
        plain = unpacker.decompress(base64.urlsafe_b64decode(text.removeprefix(_COMPRESSED)), max(max_bytes, 1) + 1)
        if len(plain) > max_bytes > 0 or not unpacker.eof:
            raise UserError("a prepared statement is too long")
        return plain.decode("utf-8")
    except (zlib.error, binascii.Error, UnicodeDecodeError) as error:
        raise UserError("the header x-trino-prepared-statement is not readable") from error
