"""What somebody shows to prove who they are. Endpoints decode it from their wire; providers look at it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Password:
    """A name and a secret, as HTTP Basic carries them."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class BearerToken:
    """A token, as the header `Authorization: Bearer` carries it."""

    token: str = field(repr=False)


@dataclass(frozen=True)
class Certificate:
    """A client's certificate whose chain the TLS layer has verified already."""

    #: PEM or DER, as the TLS layer hands it out.
    encoded: bytes = field(repr=False)


@dataclass(frozen=True)
class CertificateName:
    """The name in a verified certificate, where the TLS layer hands out no more: its first alternative name, or CN."""

    name: str


@dataclass(frozen=True)
class NoCredentials:
    """Nothing at all."""


Credentials = Password | BearerToken | Certificate | CertificateName | NoCredentials


@dataclass(frozen=True)
class Caller:
    """Where a request comes from; attempts to log in are counted by it."""

    #: The network address of the peer, without a port; empty when there is none (a Unix socket).
    address: str = ""
    #: Which endpoint it reached: `flight` or `trino`.
    endpoint: str = ""
