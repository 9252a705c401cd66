"""The book of logins: who is in, and which credentials and session tokens lead to whom. Of bounded size."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field

from cachetools import LRUCache

from sqe.auth.login import Login
from sqe.core.errors import SqeError

#: How many logins there are at once; then the user with most of them loses the one that was not used for longest.
MAX_LOGINS = 10_000
#: How many session tokens lead to one login; then the one that was not used for longest leads nowhere.
MAX_TOKENS = 1_000
#: How many session tokens of ended logins are told why they ended.
_MAX_REASONS = 10_000


@dataclass
class _Page:
    """One login and the digests that lead to it."""

    login: Login
    credentials: bytes | None = None
    tokens: OrderedDict[bytes, None] = field(default_factory=OrderedDict)


class LoginBook:
    """Used by many threads at once; never calls out while it holds its lock."""

    def __init__(self, max_logins: int = MAX_LOGINS, max_tokens: int = MAX_TOKENS) -> None:
        self._max_logins = max_logins
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._pages: dict[str, _Page] = {}
        self._by_digest: dict[bytes, _Page] = {}
        self._count_of_user: Counter[str] = Counter()
        self._reasons: LRUCache[bytes, SqeError] = LRUCache(_MAX_REASONS)

    def logins(self) -> list[Login]:
        """All that are in."""
        with self._lock:
            return [page.login for page in self._pages.values()]

    def find(self, digest: bytes) -> tuple[Login, bool] | None:
        """The login that a digest leads to, and whether by a session token."""
        with self._lock:
            page = self._by_digest.get(digest)
            if page is None:
                return None
            is_token = digest in page.tokens
            if is_token:
                page.tokens.move_to_end(digest)
            return page.login, is_token

    def reason(self, digest: bytes) -> SqeError | None:
        """Why the login of a session token has ended, as long as that is remembered."""
        with self._lock:
            return self._reasons.get(digest)

    def add(self, login: Login, credentials: bytes | None) -> list[Login]:
        """Write a login in; what its credentials led to before stays in. Answers who must go to make room."""
        with self._lock:
            page = self._pages[login.id] = _Page(login)
            if credentials is not None:
                earlier = self._by_digest.get(credentials)
                if earlier is not None:
                    earlier.credentials = None
                page.credentials = credentials
                self._by_digest[credentials] = page
            self._count_of_user[login.identity.user] += 1
            return [self._to_go()] if len(self._pages) > self._max_logins else []

    def _to_go(self) -> Login:
        user, _ = self._count_of_user.most_common(1)[0]
        theirs = [page.login for page in self._pages.values() if page.login.identity.user == user]
        return min(theirs, key=lambda login: login.last_used)

    def hang(self, login: Login, token: bytes) -> bool:
        """Have a session token lead to a login; False when the login is not in any more."""
        with self._lock:
            page = self._pages.get(login.id)
            if page is None:
                return False
            page.tokens[token] = None
            self._by_digest[token] = page
            if len(page.tokens) > self._max_tokens:
                oldest, _ = page.tokens.popitem(last=False)
                del self._by_digest[oldest]
            return True

    def remove(self, login: Login, reason: SqeError) -> bool:
        """Strike a login out; False when it was out already."""
        with self._lock:
            page = self._pages.pop(login.id, None)
            if page is None:
                return False
            if page.credentials is not None:
                del self._by_digest[page.credentials]
            for token in page.tokens:
                del self._by_digest[token]
                self._reasons[token] = reason
            self._count_of_user[login.identity.user] -= 1
            if not self._count_of_user[login.identity.user]:
                del self._count_of_user[login.identity.user]
            return True
