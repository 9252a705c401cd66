"""The public keys of an issuer: fetched when needed, kept for a while, kept longer while the issuer is away."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey, import_key

from sqe.auth.http import Http, provider_is_away
from sqe.auth.login import Clock
from sqe.core.errors import ExternalError
from sqe.observe.logs import get_logger

_log = get_logger(__name__)

PublicKey = RSAKey | ECKey | OKPKey

_MAX_KEYS = 100
_MIN_RSA_BITS = 2048
_KIND_OF_ALGORITHM = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


class KeySource:
    """The keys behind one JWKS address. Used by many threads at once."""

    def __init__(
        self,
        http: Http,
        url: str,
        *,
        ttl_secs: float = 300,
        search_secs: float = 30,
        stale_secs: float = 86_400,
        retry_secs: float = 5,
        clock: Clock = time.time,
    ) -> None:
        """Make a source; nothing is fetched yet.

        Args:
            http: The client.
            url: Where the keys are.
            ttl_secs: How long keys are used without a new look.
            search_secs: How often a key that is not there may cause a new look.
            stale_secs: How long keys are used whose issuer is away.
            retry_secs: How soon a look that failed is tried again.
            clock: The time.
        """
        self._http = http
        self._url = url
        self._ttl_secs = ttl_secs
        self._search_secs = search_secs
        self._stale_secs = stale_secs
        self._retry_secs = retry_secs
        self._clock = clock
        self._fetching = threading.Lock()
        self._keys: tuple[PublicKey, ...] = ()
        self._fetched = float("-inf")
        self._failed = float("-inf")
        self._searched = float("-inf")

    def candidates(self, key_id: str | None, algorithm: str) -> list[PublicKey]:
        """The keys that may have signed. Raises `ExternalError` when there are no keys and the issuer is away."""
        found = _matching(self._current(), key_id, algorithm)
        return found or _matching(self._after_a_search(), key_id, algorithm)

    def _current(self) -> tuple[PublicKey, ...]:
        age = self._clock() - self._fetched
        if age <= self._ttl_secs:
            return self._keys
        is_usable = age <= self._stale_secs
        # With keys at hand one caller looks for new ones, the others go on; without any, all wait for the one.
        if self._fetching.acquire(blocking=not is_usable):
            try:
                self._fetch_if_due()
            finally:
                self._fetching.release()
        if self._clock() - self._fetched > self._stale_secs:
            raise provider_is_away()
        return self._keys

    def _fetch_if_due(self) -> None:
        now = self._clock()
        if now - self._fetched > self._ttl_secs and now - self._failed > self._retry_secs:
            self._fetch()

    def _after_a_search(self) -> tuple[PublicKey, ...]:
        """The keys, looked up anew for a key that was not among them, but not each time."""
        with self._fetching:
            now = self._clock()
            if now - self._searched > self._search_secs and now - self._failed > self._retry_secs:
                self._searched = now
                self._fetch()
        return self._keys

    def _fetch(self) -> None:
        try:
            keys = tuple(_usable_keys(self._http.get_json(self._url)))
        except ExternalError:
            self._failed = self._clock()
            return
        if not keys:
            _log.warning("an issuer has no keys that can be used", url=self._url)
            self._failed = self._clock()
            return
        self._keys, self._fetched = keys, self._clock()


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
    return [
        key
        for key in keys
        if key.key_type == kind
        and (key_id is None or key.kid == key_id)
        and (key.get("alg") is None or key.get("alg") == algorithm)
    ]
