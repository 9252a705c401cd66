"""The shell's own commands: lines that start with a dot."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.cli import names
from sqe.cli.error_text import one_line
from sqe.cli.render import FORMATS
from sqe.cli.rows import RowsResult
from sqe.cli.run import Outcome, StatementRunner, Status
from sqe.core.errors import ErrorKind, SqeError, UserError, kind_of

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.cli.connect import Result

_OK = Outcome(Status.OK)
_MAX_READ_DEPTH = 16


@dataclass(frozen=True)
class Command:
    """A dot-command: its names, the first is the one that is shown, what follows it, and what it does."""

    names: tuple[str, ...]
    argument: str
    summary: str
    action: Callable[[str], Outcome]


def is_command(line: str) -> bool:
    """Whether the line is for the shell itself and not SQL."""
    text = line.strip()
    return text.startswith((".", "\\")) or text.rstrip("; \t").lower() in {"quit", "exit"}


class DotCommands:
    """The commands, bound to a runner."""

    def __init__(self, runner: StatementRunner, run_script: Callable[[str], Outcome]) -> None:
        """Bind the commands.

        Args:
            runner: Runs the statements that stand behind the commands.
            run_script: Runs the text of a file up to its first error, for `.read`.
        """
        self._runner = runner
        self._run_script = run_script
        self._read_depth = 0
        self.commands = (
            Command((".help", ".h", ".?"), "", "show this list", self._help),
            Command((".exit", ".quit", ".q"), "", "leave the shell (also Ctrl-D)", self._exit),
            Command((".tables",), "[SCHEMA]", "list tables, of one schema or of all", self._tables),
            Command((".schema", ".describe", ".d"), "TABLE", "list the columns of a table", self._schema),
            Command((".summarize", ".summary"), "TABLE", "counts, NULLs and range per column", self._summarize),
            Command((".catalogs", ".databases"), "", "list the catalogs", self._catalogs),
            Command((".read",), "FILE", "run a script; stops at the first error", self._read),
            Command((".timer",), "on|off", "show how long statements take", self._timer),
            Command((".format",), f"[{'|'.join(FORMATS)}]", "show or choose the output format", self._format),
            Command((".output",), "FILE|off", "write results to a file", self._output),
        )
        self._by_name = {name: command for command in self.commands for name in command.names}

    def run(self, line: str) -> Outcome:
        """Run the command; an error is told, not raised."""
        text = line.strip().rstrip(";").rstrip()
        if not text.startswith((".", "\\")):
            return self._exit("")
        word, _, argument = text.partition(" ")
        command = self._by_name.get("." + word[1:].lower())
        try:
            if command is None:
                raise self._unknown(word)
            return command.action(argument.strip())
        except SqeError as error:
            return self._runner.report(error)

    def _unknown(self, word: str) -> UserError:
        near = difflib.get_close_matches("." + word[1:].lower(), self._by_name, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else ".help lists the commands"
        return UserError(f"unknown command '{word}'", hint=hint)

    def _help(self, _argument: str) -> Outcome:
        for command in self.commands:
            head = f"{command.names[0]} {command.argument}".rstrip()
            others = f" (also {', '.join(command.names[1:])})" if command.names[1:] else ""
            self._runner.say(f"{head:<32}{command.summary}{others}")
        return _OK

    def _exit(self, _argument: str) -> Outcome:
        return Outcome(Status.ENDED)

    def _tables(self, argument: str) -> Outcome:
        if argument:
            return self._runner.run(f"SHOW TABLES IN {names.checked_name(argument, 3, 'schema')}")
        problems: list[str] = []
        outcome = self._runner.present(lambda: self._all_tables(problems))
        for problem in problems:
            print(problem, file=self._runner.err)
        return outcome

    def _all_tables(self, problems: list[str]) -> Result:
        rows = sorted(row for catalog in self._listed(problems) for row in catalog)
        return RowsResult(("table_catalog", "table_schema", "table_name"), rows)

    def _listed(self, problems: list[str]) -> Iterator[list[names.TableName]]:
        connection = self._runner.connection
        for catalog in names.catalogs(connection):
            try:
                for schema in names.schemas(connection, catalog):
                    yield names.tables(connection, catalog, schema)
            except SqeError as error:
                # One catalog that is away must not hide the others.
                if kind_of(error) is ErrorKind.CANCELED:
                    raise
                problems.append(f"warning: catalog {catalog}: {one_line(error.message)}")

    def _schema(self, argument: str) -> Outcome:
        return self._runner.run(f"DESCRIBE TABLE {_table(argument)}")

    def _summarize(self, argument: str) -> Outcome:
        table = _table(argument)
        connection = self._runner.connection

        def source() -> Result:
            return connection.execute(summary_sql(table, names.table_schema(connection, table)))

        return self._runner.present(source)

    def _catalogs(self, _argument: str) -> Outcome:
        return self._runner.run("SHOW CATALOGS")

    def _read(self, argument: str) -> Outcome:
        path = Path(_required(argument.strip("'\""), ".read FILE")).expanduser()
        if self._read_depth >= _MAX_READ_DEPTH:
            raise UserError(f"'{path}' is read from a script that is read from a script, too many times")
        text = read_script(path)
        self._read_depth += 1
        try:
            return self._run_script(text)
        finally:
            self._read_depth -= 1

    def _timer(self, argument: str) -> Outcome:
        if argument.lower() not in {"on", "off"}:
            raise UserError(".timer needs 'on' or 'off'")
        self._runner.settings.timer = argument.lower() == "on"
        return _OK

    def _format(self, argument: str) -> Outcome:
        settings = self._runner.settings
        if not argument:
            self._runner.say(settings.format or "table")
        elif argument.lower() not in FORMATS:
            raise UserError(f"unknown format '{argument}'", hint=f"formats: {', '.join(FORMATS)}")
        else:
            settings.format = argument.lower()
        return _OK

    def _output(self, argument: str) -> Outcome:
        settings = self._runner.settings
        if _required(argument, ".output FILE or .output off").lower() == "off":
            settings.output = None
            return _OK
        from sqe.cli.export import check_target

        path = Path(argument.strip("'\"")).expanduser()
        check_target(path, settings.format)
        settings.output = path
        return _OK


def read_script(path: Path) -> str:
    """The text of a script. Raises `UserError` when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read '{path}': {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"cannot read '{path}': it is not UTF-8 text") from error


def summary_sql(table: str, schema: pa.Schema) -> str:
    """One statement that sums up every column: a row per column, all in one result."""
    return "\nUNION ALL\n".join(_column_summary(table, field) for field in schema)


def _column_summary(table: str, field: pa.Field[Any]) -> str:
    import pyarrow as pa

    column = names.quote(field.name)
    title = "'" + field.name.replace("'", "''") + "'"
    distinct, least, most = f"count(DISTINCT {column})", f"min({column})", f"max({column})"
    if "map<" in str(field.type):
        # Maps have no order and no equality.
        distinct, least, most = "CAST(NULL AS BIGINT)", "NULL", "NULL"
    elif pa.types.is_binary(field.type) or pa.types.is_large_binary(field.type):
        least, most = f"lower(hex({least}))", f"lower(hex({most}))"
    return (  # the names are checked or quoted
        f'SELECT {title} AS column_name, count(*) AS count, {distinct} AS "distinct",'  # noqa: S608
        f" count(*) - count({column}) AS null_count, CAST({least} AS STRING) AS min,"
        f" CAST({most} AS STRING) AS max FROM {table}"
    )


def _table(argument: str) -> str:
    return names.checked_name(_required(argument, "a table name"), 3)


def _required(argument: str, what: str) -> str:
    if not argument:
        raise UserError(f"the command needs an argument: {what}")
    return argument
