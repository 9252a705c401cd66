"""Carries out the statements that no text of Spark's stands for. Each answers a small table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqe.core.errors import InternalError
from sqe.query.commands import attach, copy, explain, prepared, summarize, tables
from sqe.query.commands.workbench import Workbench
from sqe.sql import commands
from sqe.sql.commands import Command

if TYPE_CHECKING:
    import pyarrow as pa

_WORK: dict[type[Any], Callable[[Any, Workbench], pa.Table]] = {
    commands.Explain: explain.explain,
    commands.Summarize: summarize.summarize,
    commands.Copy: copy.copy,
    commands.SetDefaults: tables.set_defaults,
    commands.AddColumns: tables.add_columns,
    commands.CreateLike: tables.create_like,
    commands.CreateView: tables.create_view,
    commands.DropSchema: tables.drop_schema,
    commands.CreateSecret: attach.create_secret,
    commands.DropSecret: attach.drop_secret,
    commands.ShowSecrets: attach.show_secrets,
    commands.Attach: attach.attach,
    commands.Detach: attach.detach,
    commands.Prepare: prepared.prepare,
    commands.Deallocate: prepared.deallocate,
    commands.DescribeOutput: prepared.describe_output,
}


def carry_out(command: Command, bench: Workbench) -> pa.Table:
    """Do what a command says. Raises `SqeError`."""
    work = _WORK.get(type(command))
    if work is None:  # pragma: no cover - every command is in the table
        raise InternalError(f"nobody carries out {type(command).__name__}")
    return work(command, bench)
