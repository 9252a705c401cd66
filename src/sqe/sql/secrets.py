"""Takes keys and passwords out of a statement's text before anybody is shown it.

It works on the text, so that a statement that cannot be parsed is not shown with its secrets either; it takes away
too much rather than too little.
"""

from __future__ import annotations

import re

from sqe.sql.comments import without_comments

HIDDEN = "[REDACTED]"
#: What is shorter is part of many words, and no secret worth the name.
_SHORTEST = 4
_NAMES = r"[a-z_]*(?:access_key|secret_key|account_key|api_key|key_id|secret|password|passwd|token|credentials?)"
_LITERAL = r"(?:u&)?'(?:[^']|'')*+(?:'|\Z)"
_CALL = rf"\w+\s*\((?:[^()']|{_LITERAL})*+(?:\)|\Z)"
_TERM = rf"(?:{_LITERAL}|{_CALL})"
#: `access_key => 'x'`, `"TOKEN" 'x'`, `password = 'a' || 'b'`
_NAMED = re.compile(rf"""(?i)\b{_NAMES}["`]?\s*(?:=>|:=|=)?\s*(?P<value>{_TERM}(?:\s*\|\|\s*{_TERM})*+)""")
#: What stands in a text names nothing.
_NAMED_OR_TEXT = re.compile(rf"{_NAMED.pattern}|{_LITERAL}")
#: `https://user:password@host`, `?sig=…`
_IN_ADDRESS = re.compile(
    r"""(?i)(?<=://)(?P<value>[^/@'"\s]+)(?=@)|"""
    r"""(?<=[?&])[a-z0-9_-]*(?:sig|signature|token|key|secret|password|credential)=(?P<parameter>[^&'"\s]+)"""
)
#: `CREATE SECRET x (…)`: all of it.
_SECRET = re.compile(r"(?is)\bcreate\s+(?:or\s+replace\s+)?secret\b[^(]*\((?P<value>.*?)(?:\)\s*;?\s*\Z|\Z)")
#: `EXECUTE IMMEDIATE '…'`: a statement as a text.
_STATEMENT = re.compile(rf"(?i)\s*execute\s+immediate\s+(?P<value>{_LITERAL})")
#: `'s3.secret-access-key' = 'x'`: a property whose name stands in quotes.
_PROPERTY = re.compile(
    rf"(?i)'[^'\n]*(?:secret|passw(?:or)?d|token|credential|[_.-]key|sas)[^'\n]*'\s*=\s*(?P<value>{_LITERAL})"
)
#: `read_csv('s3://…', 'key', 'secret')`: a reader takes one text; what follows it by mistake may well be a key.
_POSITIONAL = re.compile(rf"(?i)\bread_\w+\s*\(\s*{_LITERAL}\s*,\s*(?P<value>{_LITERAL}(?:\s*,\s*{_LITERAL})*+)")
#: Names of properties whose values are keys: `s3.secret-access-key`, `header.Authorization`, `jdbc.password`.
_KEY_NAME = re.compile(
    r"(?i)secret|passw(?:or)?d|token|credential|access[._-]?key|account[._-]?key|api[._-]?key|private[._-]?key|"
    r"\bsas\b|authorization"
)


def shown_property(name: str, value: str) -> str:
    """The value of a property as everybody may see it."""
    return HIDDEN if _KEY_NAME.search(name) else redacted_address(value)


def redacted_address(value: str) -> str:
    """A text without what stands in its addresses before the host, and without keys among their parameters."""
    return _without(value, _in_addresses(value))


def redacted(sql: str) -> str:
    """The statement with `[REDACTED]` in the place of what looks like a secret."""
    return _without(sql, _spans(sql))


def secrets_in(sql: str) -> tuple[str, ...]:
    """The texts that `redacted` takes out, without their quotes."""
    values = [sql[start:end] for start, end in _spans(sql)]
    quoted = [text.strip("'").replace("''", "'") for value in values for text in re.findall(_LITERAL, value)]
    return tuple(text for text in [*quoted, *values] if len(text) >= _SHORTEST)


def _spans(sql: str) -> list[tuple[int, int]]:
    bare = without_comments(sql)
    spans = [found.span("value") for found in _NAMED_OR_TEXT.finditer(bare) if found.group("value")]
    spans += [found.span("value") for found in _SECRET.finditer(bare) if found.group("value")]
    inner = _STATEMENT.match(bare)
    if inner and _spans(inner.group("value")[1:].replace("''", "'")):
        spans.append(inner.span("value"))
    for pattern in (_PROPERTY, _POSITIONAL):
        spans += [found.span("value") for found in pattern.finditer(bare)]
    return spans + _in_addresses(bare)


def _in_addresses(text: str) -> list[tuple[int, int]]:
    spans = []
    for found in _IN_ADDRESS.finditer(text):
        # The container of an Azure address stands where others have their users.
        if found.group("parameter"):
            spans.append(found.span("parameter"))
        elif ":" in found.group("value"):
            spans.append(found.span("value"))
    return spans


def _without(sql: str, spans: list[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in sorted(spans):
        if start < at:
            at = max(at, end)
            continue
        pieces += [sql[at:start], f"'{HIDDEN}'" if sql[end - 1] in "')" else HIDDEN]
        at = end
    return "".join(pieces) + sql[at:]
