"""Keyed digests of credentials: they tell credentials apart, and nobody can find the credentials from them."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from sqe.auth.credentials import BearerToken, Certificate, CertificateName, Credentials, Password

#: More than any honest credentials have; a header of an endpoint is shorter still.
MAX_BYTES = 64 * 1024


class Digests:
    """Its key is random and lives as long as the process."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def of(self, credentials: Credentials) -> bytes:
        """The digest of credentials; two different ones never share one."""
        framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts_of(credentials))
        return hmac.new(self._key, framed, hashlib.sha256).digest()


def parts_of(credentials: Credentials) -> tuple[bytes, ...]:
    """Credentials as bytes. Raises `UnicodeEncodeError` for what is no text."""
    if isinstance(credentials, Password):
        return b"password", credentials.user.encode(), credentials.password.encode()
    if isinstance(credentials, BearerToken):
        return b"bearer", credentials.token.encode()
    if isinstance(credentials, Certificate):
        return b"certificate", credentials.encoded
    if isinstance(credentials, CertificateName):
        return b"certificate name", credentials.name.encode()
    return (b"nothing",)
