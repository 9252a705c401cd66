"""What the conformance suite needs to know of each provider: settings, and credentials of every kind."""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.services.identity_provider import AUDIENCE, IdentityProvider

from sqe.auth.credentials import BearerToken, Certificate, Credentials, NoCredentials, Password

API_KEY = "sqe_api-key-secret-4471"
ARN = "arn:aws:iam::123456789012:user/alice"

Make = Callable[[IdentityProvider], Credentials]


def _password(name: str, password: str) -> Make:
    return lambda _: Password(name, password)


def _bearer(text: str) -> Make:
    return lambda _: BearerToken(text)


def _signed(**changes: Any) -> Make:
    return lambda idp: BearerToken(idp.token(**changes))


@dataclass(frozen=True)
class Case:
    """One provider."""

    settings: Callable[[IdentityProvider, Path], Mapping[str, Any]]
    good: Make
    user: str
    wrong: tuple[Make, ...] = ()
    foreign: tuple[Make, ...] = ()
    #: The credentials of somebody with this name; None when a name comes from the settings.
    named: Callable[[IdentityProvider, str], Credentials] | None = None
    #: Whether the identity provider is asked.
    asks: bool = True
    #: What must never be in a log.
    secrets: tuple[str, ...] = field(default=("alice-password-3f9", "sqe-secret-a81", "robot-secret-5d2", API_KEY))


def certificate(
    common_name: str | None = "alice", *, now: float = 1_800_000_000.0, days: int = 30, der: bool = False
) -> bytes:
    """A certificate that signs itself; the TLS layer is not in play here."""
    key = ec.generate_private_key(ec.SECP256R1())
    parts = [x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "analysts")]
    if common_name is not None:
        parts.append(x509.NameAttribute(NameOID.COMMON_NAME, common_name))
    begin = datetime.datetime.fromtimestamp(now, datetime.UTC) - datetime.timedelta(days=60)
    names = [x509.DNSName("alice.example.com"), x509.RFC822Name("alice@example.com")]
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name(parts))
        .issuer_name(x509.Name(parts))
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + datetime.timedelta(days=60 + days))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.DER if der else serialization.Encoding.PEM)


def signed_request(idp: IdentityProvider, **changes: Any) -> str:
    """A GetCallerIdentity request as a client of AWS sends it; `headers` are laid over the usual ones."""
    date = datetime.datetime.fromtimestamp(idp.clock(), datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    usual = {
        "Authorization": "AWS4-HMAC-SHA256 Credential=AKIA/20270115/eu-central-1/sts/aws4_request, "
        f"SignedHeaders=content-type;host;x-amz-date;x-sqe-server-id, Signature={'a' * 64}",
        "X-Amz-Date": date,
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Sqe-Server-Id": "sqe.example.com",
    }
    headers = {name: text for name, text in (usual | changes.pop("headers", {})).items() if text is not None}
    request = {
        "method": "POST",
        "url": idp.url(""),
        "headers": headers,
        "body": "Action=GetCallerIdentity&Version=2011-06-15",
    }
    return base64.b64encode(json.dumps(request | changes).encode()).decode()


def _aws(**changes: Any) -> Make:
    def make(idp: IdentityProvider) -> Credentials:
        idp.arn = ARN
        return BearerToken(signed_request(idp, **changes))

    return make


def _keys_file(folder: Path, user: str = "alice") -> str:
    path = folder / "keys.toml"
    path.write_text(
        f'[[keys]]\nkey = "sqe_some-other-key-8812"\nuser = "bob"\n\n[[keys]]\nkey = "{API_KEY}"\n'
        f'user = {json.dumps(user)}\nroles = ["reader"]\ngroups = ["analysts"]\n',
        encoding="utf-8",
    )
    path.chmod(0o600)
    return str(path)


def _of_client(kind: str, **more: Any) -> Callable[[IdentityProvider, Path], Mapping[str, Any]]:
    return lambda idp, _: {
        "type": kind, "token_endpoint": idp.url("token"), "client_id": "sqe", "client_secret": "sqe-secret-a81", **more,
    }  # fmt: skip


def _token_of(idp: IdentityProvider, name: str) -> Credentials:
    return BearerToken(idp.token(name))


def _known_user(idp: IdentityProvider, name: str) -> Credentials:
    idp.users[name] = "alice-password-3f9"
    return Password(name, "alice-password-3f9")


_SERVICE = {
    "good": _password("alice", "whatever"),
    "user": "sqe",
    "foreign": (_bearer("some-token"), _signed(), lambda _: NoCredentials(), lambda _: Certificate(certificate())),
    "named": lambda _, name: Password(name, "whatever"),
}

CASES: dict[str, Case] = {
    "oidc_password": Case(
        settings=lambda idp, _: {
            "type": "oidc_password",
            "token_url": idp.url("token"),
            "client_id": "sqe",
            "client_secret": "sqe-secret-a81",
        },
        good=_password("alice", "alice-password-3f9"),
        user="alice",
        wrong=(
            _password("alice", "wrong"),
            _password("nobody", "wrong"),
            _password("alice", ""),
            _password("", "alice-password-3f9"),
        ),
        foreign=(_signed(), _bearer("x"), lambda _: NoCredentials(), lambda _: Certificate(certificate())),
        named=_known_user,
    ),
    "bearer_token": Case(
        settings=lambda idp, _: {
            "type": "bearer_token",
            "jwks_url": idp.url("jwks"),
            "issuer": idp.issuer,
            "audience": AUDIENCE,
        },
        good=_signed(),
        user="alice",
        wrong=(_signed(aud="another"), lambda idp: BearerToken(idp.token() + "x")),
        foreign=(
            _password("alice", "alice-password-3f9"),
            _bearer("not-a-token"),
            _bearer(""),
            _bearer("a.b.c"),
            _signed(iss="https://another.example.com"),
            lambda _: NoCredentials(),
        ),
        named=_token_of,
    ),
    "client_credentials": Case(settings=_of_client("client_credentials"), **_SERVICE),  # type: ignore[arg-type]
    "oidc_m2m": Case(settings=_of_client("oidc_m2m"), **_SERVICE),  # type: ignore[arg-type]
    "client_credentials_passthrough": Case(
        settings=lambda idp, _: {"type": "client_credentials_passthrough", "token_endpoint": idp.url("token")},
        good=_password("robot", "robot-secret-5d2"),
        user="robot",
        wrong=(_password("robot", "wrong"), _password("nobody", "x"), _password("robot", "")),
        foreign=(_signed(), lambda _: NoCredentials()),
        named=lambda _, name: Password(name, "robot-secret-5d2"),
    ),
    "token_exchange": Case(
        settings=lambda idp, _: {
            "type": "token_exchange",
            "token_url": idp.url("token"),
            "client_id": "sqe",
            "client_secret": "sqe-secret-a81",
            "issuer": idp.issuer,
            "audience": "catalog",
        },
        good=_signed(),
        user="alice",
        wrong=(lambda idp: BearerToken(idp.token() + "x"),),
        foreign=(
            _password("alice", "alice-password-3f9"),
            _bearer("not-a-token"),
            _signed(iss="https://another.example.com"),
            lambda _: NoCredentials(),
        ),
        named=_token_of,
    ),
    "api_key": Case(
        settings=lambda _, folder: {"type": "api_key", "keys_file": _keys_file(folder)},
        good=_bearer(API_KEY),
        user="alice",
        wrong=(_bearer("sqe_"), _bearer(API_KEY + "x"), _bearer(API_KEY[:-1]), _password("alice", "sqe_wrong")),
        foreign=(_bearer("another"), _signed(), _password("alice", "alice-password-3f9"), lambda _: NoCredentials()),
        asks=False,
    ),
    "aws_iam": Case(
        settings=lambda idp, _: {
            "type": "aws_iam",
            "sts_endpoint": idp.issuer,
            "server_id": "sqe.example.com",
        },
        good=_aws(),
        user=ARN,
        wrong=(
            _aws(method="GET"),
            _aws(url="http://169.254.169.254/"),
            _aws(url="https://sts.evil.example.com/"),
            _aws(url="https://sts.amazonaws.com.example.com/"),
            _aws(url="https://user@sts.amazonaws.com/"),
            _aws(url="https://sts.amazonaws.com:8443/"),
            _aws(url="http://sts.amazonaws.com/"),
            _aws(url="https://sts.amazonaws.com/?Action=AssumeRole"),
            _aws(body="Action=AssumeRole&Version=2011-06-15"),
            _aws(body="Action=GetCallerIdentity&Version=2011-06-15&Action=AssumeRole"),
            _aws(headers={"X-Sqe-Server-Id": "another"}),
            _aws(headers={"X-Sqe-Server-Id": None}),
            _aws(headers={"Authorization": None}),
            _aws(headers={"Authorization": "Bearer x"}),
            _aws(headers={"Host": "another.example.com"}),
            _aws(headers={"X-Forwarded-For": "1.2.3.4"}),
            _aws(headers={"X-Amz-Date": "20200101T000000Z"}),
            _aws(headers={"X-Amz-Date": None}),
        ),
        foreign=(
            _bearer("not-base64!"),
            _signed(),
            _bearer(base64.b64encode(b'{"method": "POST"}').decode()),
            _aws(headers={"X-Amz-Date": "a\r\nX-Evil: 1"}),
            _password("alice", "alice-password-3f9"),
            lambda _: NoCredentials(),
        ),
    ),
    "mtls": Case(
        settings=lambda *_: {"type": "mtls", "groups_from": ["ou", "san_dns", "san_email"]},
        good=lambda _: Certificate(certificate()),
        user="alice",
        wrong=(
            lambda _: Certificate(certificate(None)),
            lambda _: Certificate(b"nonsense"),
            lambda _: Certificate(b""),
            lambda _: Certificate(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            lambda _: Certificate(b"x" * 100_000),
            lambda _: Certificate(certificate(days=-1)),
        ),
        foreign=(_signed(), _password("alice", "x"), lambda _: NoCredentials()),
        named=lambda _, name: Certificate(certificate(name)),
        asks=False,
    ),
    "anonymous": Case(
        settings=lambda *_: {"type": "anonymous", "roles": ["reader"], "groups": ["analysts"]},
        good=lambda _: NoCredentials(),
        user="anonymous",
        foreign=(_signed(), _password("alice", "x"), _bearer("x"), lambda _: Certificate(certificate())),
        asks=False,
    ),
    "bearer_passthrough": Case(
        settings=lambda *_: {"type": "bearer_passthrough"},
        good=_signed(),
        user="alice",
        wrong=(_bearer(""), _bearer("a\nb"), _bearer("x" * 100_000)),
        foreign=(_password("alice", "x"), lambda _: NoCredentials()),
        named=_token_of,
        asks=False,
    ),
}
