"""TLS, and clients that show certificates."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pyarrow import flight

from sqe.endpoints.flight_sql import messages
from sqe.endpoints.flight_sql.service import Tls

from .flight_fakes import Served, call, served

QUERY = flight.FlightDescriptor.for_command(messages.pack("CommandStatementQuery", query="SELECT 1"))


@dataclass(frozen=True)
class Pair:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        plain = serialization.NoEncryption()
        return self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)


def made(name: str, signer: Pair | None = None, *, hosts: tuple[str, ...] = ()) -> Pair:
    """A certificate; without a signer one that signs others."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer.certificate.subject if signer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(signer is None, None), critical=True)
    )
    if hosts:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False
        )
    return Pair(builder.sign(signer.key if signer else key, hashes.SHA256()), key)


AUTHORITY = made("authority")
SERVER = made("localhost", AUTHORITY, hosts=("localhost",))


def connected(server: Served, shown: Pair | None = None) -> flight.FlightClient:
    own: dict[str, Any] = {} if shown is None else {"cert_chain": shown.pem, "private_key": shown.key_pem}
    return server.client(tls_root_certs=AUTHORITY.pem, **own)


def test_tls(tmp_path: Path) -> None:
    with served(tmp_path, tls=Tls(SERVER.pem, SERVER.key_pem)) as server:
        with connected(server) as client:
            _, header = client.authenticate_basic_token("alice", "wonder")
            token = header.decode() if isinstance(header, bytes) else header
            assert client.get_flight_info(QUERY, call(authorization=token)).schema.names == ["n"]
        with flight.FlightClient(server.location) as stranger, pytest.raises(flight.FlightUnavailableError):
            stranger.list_actions(call(authorization=token))


def test_clients_must_show_a_certificate_and_log_in(tmp_path: Path) -> None:
    tls = Tls(SERVER.pem, SERVER.key_pem, AUTHORITY.pem)
    with served(tmp_path, tls=tls) as server:
        with connected(server, made("alice", AUTHORITY)) as client:
            with pytest.raises(flight.FlightUnauthenticatedError):
                client.get_flight_info(QUERY, call())
            client.authenticate_basic_token("alice", "wonder")
        for shown in (None, made("alice", made("another authority"))):
            with connected(server, shown) as stranger, pytest.raises(flight.FlightUnavailableError):
                stranger.list_actions(call(authorization="Bearer jwt-alice"))


def test_a_certificate_says_who_the_client_is(tmp_path: Path) -> None:
    tls = Tls(SERVER.pem, SERVER.key_pem, AUTHORITY.pem, clients_are_their_certificates=True)
    with served(tmp_path, tls=tls) as server:
        with connected(server, made("alice", AUTHORITY)) as client:
            client.get_flight_info(QUERY, call())
            client.get_schema(QUERY, call())
            # What is sent counts more than what is shown.
            client.get_flight_info(QUERY, call(authorization="Bearer jwt-bob"))
            with pytest.raises(flight.FlightUnauthenticatedError):
                client.get_flight_info(QUERY, call(authorization="Bearer nonsense"))
            with pytest.raises(pa.ArrowNotImplementedError):
                client.authenticate_basic_token("alice", "wonder")
        users = [session.identity.user for session in server.sessions.opened.values()]
    assert users == ["alice", "bob"]


def test_keys_do_not_show() -> None:
    assert "PRIVATE" not in repr(Tls(SERVER.pem, SERVER.key_pem))
