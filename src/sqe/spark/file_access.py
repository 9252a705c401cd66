"""What a session may read as files, as plain data for the JVM, where paths are resolved and the rules applied."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from sqe.core.identity import Identity
from sqe.spark.file_settings import FileRules


@dataclass(frozen=True)
class FileAccess:
    """The rules, whom they are applied to, and the folder that relative paths start from (empty: none is known)."""

    identity: Identity
    folder: str = ""
    rules: FileRules = field(default_factory=FileRules)

    def text(self) -> str:
        """As JSON."""
        return json.dumps(
            {
                "user": self.identity.user,
                "roles": sorted(self.identity.roles),
                "folder": self.folder,
                "rules": self.rules.model_dump(),
            }
        )
