"""ATTACH, DETACH and secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.catalogs.backends import backend, check_secret
from sqe.core.errors import AlreadyExistsError, DeniedError, NotFoundError, UserError
from sqe.query.attachments import Attached, Secret
from sqe.query.commands.workbench import Workbench, nothing
from sqe.query.virtual.columns import TEXT, table_of
from sqe.sql.commands import Attach, CreateSecret, Detach, DropSecret
from sqe.sql.virtual import SYSTEM

if TYPE_CHECKING:
    import pyarrow as pa


def attach(command: Attach, bench: Workbench) -> pa.Table:
    """Make a catalog of the backend, see that it answers, and keep it."""
    user = bench.session.identity.user
    if command.name in {*bench.session.spark.catalogs(), SYSTEM}:
        if command.if_not_exists:
            return nothing()
        raise AlreadyExistsError(f"catalog '{command.name}' is already attached; DETACH it first")
    secret = bench.attachments.secret(user, command.secret) if command.secret else None
    credentials = (secret.kind, secret.options) if secret else None
    made = backend(command.kind).catalog(command.name, command.location, command.options, credentials)
    if made.local and not bench.session.local_paths:
        raise DeniedError(
            "catalogs in folders of this machine are not allowed", hint="storage.tvf.allow_local_paths turns them on"
        )
    made.prepare()
    bench.session.need(made.groups)
    bench.session.spark.attach(command.name, made.settings)
    attached = Attached(made.settings, made.groups, command.secret)
    try:
        bench.attachments.add_catalog(user, command.name, attached)
    except AlreadyExistsError:
        # Another session of the same person was first.
        bench.session.spark.detach(command.name)
        raise
    bench.session.attached[command.name] = attached
    return nothing()


def detach(command: Detach, bench: Workbench) -> pa.Table:
    """Take a catalog away; its tables stay where they are."""
    session = bench.session
    if session.catalog == command.name:
        raise UserError(f"catalog '{command.name}' is the current one", hint="USE another one first")
    try:
        bench.attachments.drop_catalog(session.identity.user, command.name)
    except NotFoundError:
        if command.if_exists:
            return nothing()
        raise
    session.attached.pop(command.name, None)
    session.spark.detach(command.name)
    return nothing()


def create_secret(command: CreateSecret, bench: Workbench) -> pa.Table:
    """Keep credentials; nobody gets to see them again."""
    check_secret(command.kind, command.options)
    user = bench.session.identity.user
    if command.if_not_exists and command.name in bench.attachments.secrets(user):
        return nothing()
    secret = Secret(command.kind, command.options)
    bench.attachments.add_secret(user, command.name, secret, replace=command.replace)
    return nothing()


def drop_secret(command: DropSecret, bench: Workbench) -> pa.Table:
    """Forget credentials."""
    user = bench.session.identity.user
    if not command.if_exists or command.name in bench.attachments.secrets(user):
        bench.attachments.drop_secret(user, command.name)
    return nothing()


def show_secrets(command: object, bench: Workbench) -> pa.Table:
    """Names and kinds."""
    del command
    secrets = bench.attachments.secrets(bench.session.identity.user)
    rows = sorted((name, secret.kind) for name, secret in secrets.items())
    return table_of({"name": TEXT, "type": TEXT}, rows)
