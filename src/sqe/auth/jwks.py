"""The public keys of an issuer."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey, import_key

from sqe.auth.http import Http, provider_is_away
from sqe.auth.kept import Kept
from sqe.auth.login import Clock
from sqe.observe.logs import get_logger

_log = get_logger(__name__)

PublicKey = RSAKey | ECKey | OKPKey

_MAX_KEYS = 100
#: A token without a key's id is tried with so many.
_MAX_CANDIDATES = 8
#: How often a key that is not there may cause a new look.
_SEARCH_SECS = 30
_MIN_RSA_BITS = 2048
_KIND_OF_ALGORITHM = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


class KeySource:
    """The keys behind one JWKS address. Used by many threads at once."""

    def __init__(self, http: Http, url: str, *, ttl_secs: float = 300, clock: Clock = time.time) -> None:
        self._http = http
        self._url = url
        self._keys = Kept(self._fetch, ttl_secs=ttl_secs, clock=clock)

    def candidates(self, key_id: str | None, algorithm: str) -> list[PublicKey]:
        """The keys that may have signed. Raises `ExternalError` when there are no keys and the issuer is away."""
        found = _matching(self._keys.get(), key_id, algorithm)
        return found or _matching(self._keys.search(_SEARCH_SECS), key_id, algorithm)

    def _fetch(self) -> tuple[PublicKey, ...]:
        keys = tuple(_usable_keys(self._http.get_json(self._url)))
        if not keys:
            _log.warning("an issuer has no keys that can be used", url=self._url)
            raise provider_is_away()
        return keys


def _usable_keys(document: Mapping[str, Any]) -> Iterable[PublicKey]:
    listed = document.get("keys")
    for data in listed[:_MAX_KEYS] if isinstance(listed, list) else ():
        if not isinstance(data, dict) or data.get("kty") not in {"RSA", "EC", "OKP"}:
            continue
        if data.get("use", "sig") != "sig" or "verify" not in data.get("key_ops", ["verify"]):
            continue
        try:
            key = import_key({name: value for name, value in data.items() if name not in _PRIVATE})
            if isinstance(key, PublicKey) and not _is_weak(key):
                yield key
        except (JoseError, ValueError, TypeError, KeyError, AttributeError):
            continue


def _is_weak(key: PublicKey) -> bool:
    return isinstance(key, RSAKey) and key.raw_value.key_size < _MIN_RSA_BITS


def _matching(keys: Iterable[PublicKey], key_id: str | None, algorithm: str) -> list[PublicKey]:
    kind = _KIND_OF_ALGORITHM.get(algorithm[:2])
    found = [
        key
        for key in keys
        if key.key_type == kind
        and (key_id is None or key.kid == key_id)
        and (key.get("alg") is None or key.get("alg") == algorithm)
    ]
    return found[:_MAX_CANDIDATES]
