"""What a shell asks of the engine that it starts: one line of JSON on its standard input.

The models of the settings take a while to load; the shell, which may have nothing to set, does without them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.catalogs.embedded import Warehouses
from sqe.core.folders import Folders
from sqe.server.place import EnginePlace

if TYPE_CHECKING:
    from sqe.settings import Settings


def request_text(settings: Settings | None, folders: Folders, warehouses: Warehouses, place: EnginePlace) -> str:
    """The request as JSON. Without settings the engine has the defaults of an embedded one."""
    return json.dumps(
        {
            "settings": _dumped(settings) if settings is not None else None,
            "folders": {"cache": str(folders.cache), "home": str(folders.home), "run": str(folders.run)},
            "warehouses": {name: str(path) for name, path in warehouses.folders.items()},
            "name": place.name,
        }
    )


@dataclass(frozen=True)
class StartRequest:
    """What the shell asks for."""

    settings: Settings
    folders: Folders
    warehouses: Warehouses
    place: EnginePlace

    @classmethod
    def parse(cls, line: str) -> StartRequest:
        """The request from its JSON."""
        from sqe.settings import Settings, embedded_settings

        data: dict[str, Any] = json.loads(line)
        folders = Folders(**{name: Path(path) for name, path in data["folders"].items()})
        given = data["settings"]
        return cls(
            settings=Settings.model_validate(given) if given is not None else embedded_settings(),
            folders=folders,
            warehouses=Warehouses({name: Path(path) for name, path in data["warehouses"].items()}),
            place=EnginePlace(folders.run, data["name"]),
        )


def settings_digest(settings: Settings) -> str:
    """Tells two engines with other settings apart."""
    return hashlib.sha256(json.dumps(_dumped(settings), sort_keys=True).encode()).hexdigest()[:16]


def _dumped(settings: Settings) -> dict[str, Any]:
    from sqe.settings import dump

    return dump(settings)
