"""Client certificates, whose chain the TLS layer has verified: the common name is the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from cryptography import x509
from cryptography.x509.oid import NameOID
from pydantic import Field

from sqe.auth.credentials import Certificate, CertificateName, Credentials
from sqe.auth.people import is_usable_name
from sqe.auth.plugins import ProviderKind, Surroundings
from sqe.auth.provider import Accepted, NotMine, Outcome, Rejected
from sqe.auth.provider_settings import ProviderSettings
from sqe.auth.refused import Refused
from sqe.core.identity import Identity

_MAX_BYTES = 64 * 1024


class MtlsSettings(ProviderSettings):
    """Client certificates; the common name is the user."""

    type: Literal["mtls"] = Field(default="mtls", description="Which provider this is.")
    groups_from: list[Literal["ou", "san_dns", "san_email"]] = Field(
        default=["ou"],
        description="Where groups come from: `ou` (organizational units), `san_dns`, `san_email` (alternative names).",
    )


class MtlsProvider:
    """Reads names out of certificates."""

    name = "mtls"

    def __init__(self, settings: MtlsSettings, surroundings: Surroundings) -> None:
        self._settings = settings
        self._people = surroundings.people
        self._clock = surroundings.clock

    def authenticate(self, credentials: Credentials) -> Outcome:
        """Read the certificate; of one that the TLS layer keeps to itself only the name is known."""
        if isinstance(credentials, CertificateName):
            if not is_usable_name(credentials.name):
                return Rejected("the certificate's name cannot be used")
            return Accepted(self._people.identity(credentials.name, provider=self.name))
        if not isinstance(credentials, Certificate):
            return NotMine()
        try:
            return Accepted(self._identity(_parsed(credentials.encoded)))
        except Refused as refused:
            return Rejected(refused.reason)
        except (ValueError, x509.DuplicateExtension, x509.UnsupportedGeneralNameType):
            return Rejected("the certificate's names cannot be read")

    def _identity(self, certificate: x509.Certificate) -> Identity:
        ends = certificate.not_valid_after_utc.timestamp()
        if not certificate.not_valid_before_utc.timestamp() <= self._clock() < ends:
            raise Refused("the certificate is not valid at this time")
        names = _texts(certificate.subject, NameOID.COMMON_NAME)
        if len(names) != 1:
            raise Refused("the certificate has no common name, or several")
        groups = {group for place in self._settings.groups_from for group in _groups(certificate, place)}
        return self._people.identity(
            names[0],
            provider=self.name,
            groups=(group for group in groups if is_usable_name(group)),
            expires=ends,
        )

    def close(self) -> None:
        """Nothing to let go of."""


def _parsed(encoded: bytes) -> x509.Certificate:
    if len(encoded) > _MAX_BYTES:
        raise Refused("the certificate is too long")
    try:
        if encoded.lstrip().startswith(b"-----BEGIN"):
            return x509.load_pem_x509_certificate(encoded)
        return x509.load_der_x509_certificate(encoded)
    except ValueError:
        raise Refused("not a certificate") from None


def _texts(name: x509.Name, which: x509.ObjectIdentifier) -> list[str]:
    values = [attribute.value for attribute in name.get_attributes_for_oid(which)]
    return [value for value in values if isinstance(value, str)]


def _groups(certificate: x509.Certificate, place: str) -> Iterable[str]:
    if place == "ou":
        return _texts(certificate.subject, NameOID.ORGANIZATIONAL_UNIT_NAME)
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return names.get_values_for_type(x509.DNSName if place == "san_dns" else x509.RFC822Name)


KIND = ProviderKind(MtlsSettings, MtlsProvider)
