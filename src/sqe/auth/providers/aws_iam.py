"""People and services of AWS: they sign a GetCallerIdentity request, and AWS itself says who signed it.

The credentials are the request as JSON in base64, with the keys `method`, `url`, `headers` and `body`; as a bearer
token or in the place of a password. The secret key never leaves the client.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, Field

from sqe.auth.credentials import BearerToken, Credentials, Password
from sqe.auth.http import Http, provider_is_away
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import ProviderSettings, WebAddress
from sqe.auth.refused import Refused
from sqe.core.identity import Identity
from sqe.observe.model import Seconds, refuse

_MAX_CHARS = 16 * 1024
#: AWS itself takes a signature for this long.
_SIGNATURE_SECS = 900
_HOST = re.compile(r"sts(\.[a-z]{2}(-[a-z]+)+-[0-9])?\.amazonaws\.com(\.cn)?")
_ARN = re.compile(r"<Arn>(arn:aws[a-z-]*:(?:iam|sts)::[0-9]{12}:[\w+=,.@/:-]{1,2000})</Arn>", re.ASCII)
_ASSUMED = re.compile(r"(arn:aws[a-z-]*):sts::([0-9]{12}):assumed-role/([^/]+)/(.+)")
_SERVER_HEADER = "x-sqe-server-id"
_PASSED_ON = frozenset(
    {"authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256", "content-type", _SERVER_HEADER}
)


def _must_be_true(value: bool) -> bool:
    if not value:
        raise refuse("must be true: only AWS can verify its signatures")
    return value


class AwsIamSettings(ProviderSettings):
    """Users and roles of AWS, which sign a request that AWS verifies."""

    type: Literal["aws_iam"] = Field(default="aws_iam", description="Which provider this is.")
    region: str = Field(default="", description="The region whose STS clients must use; empty: any.")
    validate_with_sts: Annotated[bool, AfterValidator(_must_be_true)] = Field(
        default=True, description="AWS is always asked who signed."
    )
    sts_endpoint: WebAddress = Field(default="", description="Another STS that clients use, such as a VPC endpoint.")
    server_id: str = Field(
        default="", description="What clients must sign in the header `X-Sqe-Server-Id`, so that requests that were "
        "signed for somebody else do not work here; empty: nothing, with a warning."
    )  # fmt: skip
    session_secs: Seconds = Field(default=900, ge=60, le=43_200, description="How long a login lasts.")

    def warnings(self) -> Iterable[str]:
        """Also that requests for others work here."""
        yield from super().warnings()
        if not self.server_id:
            yield "server_id is not set: a request that somebody signed for another service works here too"


@dataclass(frozen=True)
class SignedRequest:
    """What a client has signed; the signature is a secret for as long as AWS takes it."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: str = field(repr=False)


class AwsIamProvider:
    """Has AWS verify the signature."""

    name = "aws_iam"

    def __init__(self, settings: AwsIamSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people
        self._clock = surroundings.clock
        self._http = Http(verify=surroundings.ssl_verification, timeout_secs=surroundings.timeout_secs)

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Pass the request on."""
        request = _request_in(credentials)
        if request is None:
            return NotMine()
        try:
            target = self._target(request)
            self._check(request, urlsplit(target).netloc)
            return Accepted(self._identity(self._arn(request, target)))
        except Refused as refused:
            return Rejected(refused.reason)

    def _target(self, request: SignedRequest) -> str:
        """Where the request goes: an address that is ours, never the client's own text."""
        try:
            parts = urlsplit(request.url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise Refused("the address is none") from None
        if parts.path not in {"", "/"} or parts.query or parts.fragment or parts.username is not None:
            raise Refused("the address has more than a host")
        ours = urlsplit(self._settings.sts_endpoint)
        if ours.hostname and (parts.scheme, host, port) == (ours.scheme, ours.hostname, ours.port):
            return f"{ours.scheme}://{ours.netloc}/"
        in_region = not self._settings.region or host.startswith(f"sts.{self._settings.region}.")
        if parts.scheme != "https" or port not in {None, 443} or not _HOST.fullmatch(host) or not in_region:
            raise Refused("the address is not that of an allowed STS")
        return f"https://{host}/"

    def _check(self, request: SignedRequest, host: str) -> None:
        if request.method != "POST" or set(request.headers) - _PASSED_ON - {"host", "content-length"}:
            raise Refused("not a request that is passed on")
        if parse_qs(request.body, keep_blank_values=True) != {
            "Action": ["GetCallerIdentity"],
            "Version": ["2011-06-15"],
        }:
            raise Refused("the request is not GetCallerIdentity")
        if request.headers.get("host", host) != host:
            raise Refused("the request is for another host")
        signed = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=[^,\s]+, ?SignedHeaders=([a-z0-9;-]+), ?Signature=[0-9a-f]{64}",
            request.headers.get("authorization", ""),
        )
        if signed is None or not {"host", "x-amz-date"} <= set(names := signed[1].split(";")):
            raise Refused("the request is not signed")
        wanted = self._settings.server_id
        if wanted and (_SERVER_HEADER not in names or request.headers.get(_SERVER_HEADER) != wanted):
            raise Refused("the request is signed for another server")
        self._check_date(request.headers.get("x-amz-date", ""))

    def _check_date(self, text: str) -> None:
        try:
            signed = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
        except ValueError:
            raise Refused("the request has no date") from None
        if abs(self._clock() - signed) > _SIGNATURE_SECS:
            raise Refused("the request is too old, or of the future")

    def _arn(self, request: SignedRequest, target: str) -> str:
        headers = {name: text for name, text in request.headers.items() if name in _PASSED_ON}
        answer = self._http.send("POST", target, headers=headers, content=request.body.encode())
        if answer.status in {400, 401, 403}:
            raise Refused(f"AWS refuses the signature (status {answer.status})")
        found = _ARN.search(answer.body.decode(errors="replace"))
        if answer.status != 200 or found is None:
            raise provider_is_away()
        return found[1]

    def _identity(self, arn: str) -> Identity:
        assumed = _ASSUMED.fullmatch(arn)
        expires = self._clock() + self._settings.session_secs
        if assumed is None:
            return self._people.identity(arn, provider=self.name, groups=[arn], expires=expires)
        partition, account, role, session = assumed.groups()
        # Whoever assumes a role chooses the session's name: it is shown, and decides nothing.
        user = f"{partition}:sts::{account}:assumed-role/{role}"
        groups = [user, f"{partition}:iam::{account}:role/{role}"]
        return self._people.identity(user, provider=self.name, groups=groups, expires=expires, display_name=session)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def _request_in(credentials: Credentials) -> SignedRequest | None:
    if isinstance(credentials, BearerToken):
        text = credentials.token
    elif isinstance(credentials, Password):
        text = credentials.password
    else:
        return None
    tree = _decoded(text) if len(text) <= _MAX_CHARS else None
    if not isinstance(tree, dict) or set(tree) != {"method", "url", "headers", "body"}:
        return None
    method, url, headers, body = (tree[name] for name in ("method", "url", "headers", "body"))
    if not isinstance(headers, dict) or not all(
        isinstance(part, str) for part in (method, url, body, *headers.values())
    ):
        return None
    folded = {name.lower(): text for name, text in headers.items()}
    # A header that comes twice, or with a line break, is nothing that a client of AWS has signed.
    if len(folded) != len(headers) or not all(part.isascii() and part.isprintable() for part in folded.values()):
        return None
    return SignedRequest(method, url, folded, body)


def _decoded(text: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        return json.loads(base64.b64decode(text.translate({45: 43, 95: 47}) + "=" * (-len(text) % 4), validate=True))
    except (ValueError, binascii.Error, RecursionError):
        return None


KIND = ProviderKind(AwsIamSettings, AwsIamProvider)
