"""The settings of files as tables: which ones a statement may read."""

from __future__ import annotations

from pydantic import Field

from sqe.observe.model import SettingsModel, embedded


class FileRules(SettingsModel):
    """Which files `read_csv` and its like may read; what is not allowed is refused."""

    allow_local_paths: bool = Field(
        default=False,
        description="Whether files on the disks of the engine's machine may be read.",
        json_schema_extra=embedded(default=True),
    )
    allow_http: bool = Field(
        default=False,
        description="Whether files behind http://, https:// and hf:// may be read.",
        json_schema_extra=embedded(default=True),
    )
    allowed_http_hosts: list[str] = Field(
        default=[],
        description=(
            "The hosts that `allow_http` is about, such as `data.example.com` or `data.example.com:8443`; "
            "`*.example.com` stands for all below it, `*` for all."
        ),
        json_schema_extra=embedded(["*"]),
    )
    allow_private_addresses: bool = Field(
        default=False,
        description=(
            "Whether a host may have a private, loopback or link-local address. Cloud metadata addresses are "
            "refused in any case."
        ),
        json_schema_extra=embedded(default=True),
    )
    allowed_object_store_prefixes: list[str] = Field(
        default=[],
        description=(
            "What may be read of object stores, such as `s3://lake/public` or `s3://lake/home/{user}`, compared by "
            "whole parts of the path; `{user}` is the name of who asks, `*` alone stands for everything."
        ),
        json_schema_extra=embedded(["*"]),
    )
    object_store_admin_roles: list[str] = Field(
        default=[],
        description="Roles whose bearers may read everything in object stores.",
    )
    allow_inline_credentials: bool = Field(
        default=True,
        description="Whether a statement may bring keys and endpoints of its own (`access_key => '…'`).",
    )


class StorageSettings(SettingsModel):
    """Files and object stores."""

    tvf: FileRules = Field(default_factory=FileRules)
