"""Settings as plain data, for a person to read."""

from __future__ import annotations

from typing import Any

from pydantic import Secret, SecretBytes, SecretStr

from sqe.observe.model import SettingsModel


def dump(settings: SettingsModel) -> dict[str, Any]:
    """All keys and values; a secret, set or not, is `[REDACTED]`."""
    return {name: _plain(value) for name, value in settings.model_dump().items()}


def _plain(value: object) -> object:
    if isinstance(value, Secret | SecretStr | SecretBytes):
        return "[REDACTED]"
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
