from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from sqe.cli.dot_commands import is_command, summary_sql
from sqe.cli.names import checked_name, quoted_path
from sqe.cli.run import Outcome, ShellSettings, Status
from sqe.cli.shell import Session
from sqe.core.errors import ExternalError, UserError

if TYPE_CHECKING:
    from tests.unit.cli.conftest import FakeConnection

pytestmark = pytest.mark.unit


class Shell:
    def __init__(self, engine: FakeConnection) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.settings = ShellSettings(format="csv")
        self.session = Session(engine, self.out, self.err, self.settings)

    def run(self, text: str) -> Outcome:
        return self.session.run(text, stop_on_error=True)


@pytest.fixture
def shell(engine: FakeConnection) -> Shell:
    return Shell(engine)


@pytest.mark.parametrize("line", [".help", ".h", ".?", r"\?", ".HELP"])
def test_help(shell: Shell, line: str) -> None:
    assert shell.run(line).status is Status.OK
    assert ".tables [SCHEMA]" in shell.out.getvalue()


@pytest.mark.parametrize("line", [".exit", ".quit", ".q", r"\q", "quit", "exit;", "EXIT", " quit ; "])
def test_leaving(shell: Shell, line: str) -> None:
    assert is_command(line)
    assert shell.run(line).status is Status.ENDED


def test_sql_is_no_command() -> None:
    assert not is_command("SELECT 1")
    assert not is_command("exit_code")


def test_unknown_command_names_the_nearest(shell: Shell) -> None:
    assert shell.run(".tabels").status is Status.FAILED
    assert shell.err.getvalue() == "error: unknown command '.tabels'\nhint: did you mean .tables?\n"


def test_tables_of_everything(shell: Shell, engine: FakeConnection) -> None:
    engine.answer("SHOW CATALOGS", catalog=["spark_catalog", "ice", "away", "system"])
    engine.answer('SHOW SCHEMAS IN "ice"', namespace=["b", "a.`x-y`", "information_schema"])
    engine.answer('SHOW TABLES IN "ice"."b"', namespace=["b"], tableName=["t2"], isTemporary=[False])
    engine.answer('SHOW TABLES IN "ice"."a"."x-y"', table_schema=["a"], table_name=["t1"])
    engine.answers['SHOW SCHEMAS IN "away"'] = ExternalError("no route\nto host")
    assert shell.run(".tables").status is Status.OK
    assert shell.out.getvalue() == ("table_catalog,table_schema,table_name\nice,a.`x-y`,t1\nice,b,t2\n")
    assert shell.err.getvalue() == "warning: catalog away: no route to host\n"


def test_tables_of_nothing(shell: Shell, engine: FakeConnection) -> None:
    engine.answer("SHOW CATALOGS", catalog=["spark_catalog"])
    assert shell.run(".tables").status is Status.OK
    assert shell.out.getvalue() == "table_catalog,table_schema,table_name\n"


@pytest.mark.parametrize(
    ("line", "sql"),
    [
        (".tables sales", "SHOW TABLES IN sales"),
        (".tables ice.sales", "SHOW TABLES IN ice.sales"),
        (".schema t", "DESCRIBE TABLE t"),
        (".describe a.b.c;", "DESCRIBE TABLE a.b.c"),
        ('.d ice."My ""T"".x"', 'DESCRIBE TABLE ice."My ""T"".x"'),
        (".d `a b`", 'DESCRIBE TABLE "a b"'),
        (".d a-b", 'DESCRIBE TABLE "a-b"'),
        (".catalogs", "SHOW CATALOGS"),
        (".databases", "SHOW CATALOGS"),
    ],
)
def test_statements_behind_commands(shell: Shell, engine: FakeConnection, line: str, sql: str) -> None:
    engine.answer(sql, x=["1"])
    assert shell.run(line).status is Status.OK
    assert engine.statements == [sql]


@pytest.mark.parametrize("name", ["a; DROP TABLE b", "a b", "a.b.c.d", "a.", '"open', "f(x)", "a'b"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UserError, match="is not a table name"):
        checked_name(name, 3)


def test_commands_without_their_argument(shell: Shell) -> None:
    for line in (".schema", ".summarize", ".read", ".timer", ".timer maybe", ".output"):
        assert shell.run(line).status is Status.FAILED
    assert quoted_path("a.`b.c`") == '"a"."b.c"'


def test_summarize(shell: Shell, engine: FakeConnection) -> None:
    engine.answer("SELECT * FROM s.t LIMIT 0", id=[1], name=["x"])
    schema = engine.execute("SELECT * FROM s.t LIMIT 0").schema
    engine.statements.clear()
    sql = summary_sql("s.t", schema)
    engine.answer(sql, column_name=["id", "name"], count=[1, 1])
    assert shell.run(".summarize s.t").status is Status.OK
    assert engine.statements == ["SELECT * FROM s.t LIMIT 0", sql]
    assert sql.splitlines()[0] == (
        'SELECT \'id\' AS column_name, count(*) AS count, count(DISTINCT "id") AS "distinct",'
        ' count(*) - count("id") AS null_count, CAST(min("id") AS STRING) AS min,'
        ' CAST(max("id") AS STRING) AS max FROM s.t'
    )
    assert sql.splitlines()[1] == "UNION ALL"


def test_summary_of_odd_columns() -> None:
    schema = pa.schema([('it\'s "m"', pa.map_(pa.string(), pa.int32())), ("b", pa.binary())])
    first, _, second = summary_sql("t", schema).splitlines()
    assert first.startswith("SELECT 'it''s \"m\"' AS column_name")
    assert 'count("it\'s ""m""") AS null_count, CAST(NULL AS STRING) AS min' in first
    assert 'CAST(lower(hex(min("b"))) AS STRING)' in second


def test_read_stops_at_the_first_error(shell: Shell, engine: FakeConnection, tmp_path: Path) -> None:
    engine.answer("SELECT 1", a=[1])
    script = tmp_path / "my script.sql"
    script.write_text("\ufeffSELECT 1;\n\nSELECT\n bad; SELECT 1;", encoding="utf-8")
    assert shell.run(f".read {script}").status is Status.FAILED
    assert engine.statements == ["SELECT 1", "SELECT\n bad"]
    assert "   3 | SELECT" in shell.err.getvalue()


def test_read_of_what_cannot_be_read(shell: Shell, tmp_path: Path) -> None:
    assert shell.run(f".read {tmp_path}/no.sql").status is Status.FAILED
    (tmp_path / "binary.sql").write_bytes(b"\xff\xfe\x00")
    assert shell.run(f".read '{tmp_path}/binary.sql'").status is Status.FAILED
    (tmp_path / "self.sql").write_text(f".read {tmp_path}/self.sql")
    assert shell.run(f".read {tmp_path}/self.sql").status is Status.FAILED
    lines = shell.err.getvalue().splitlines()
    assert [line.split(":")[0] for line in lines] == ["error"] * 3


def test_timer_and_format(shell: Shell) -> None:
    shell.run(".timer on")
    assert shell.settings.timer
    shell.run(".timer OFF")
    assert not shell.settings.timer
    shell.run(r"\format json")
    assert shell.settings.format == "json"
    shell.run(".format")
    assert shell.out.getvalue() == "json\n"
    assert shell.run(".format xml").status is Status.FAILED


def test_output(shell: Shell, engine: FakeConnection, tmp_path: Path) -> None:
    engine.answer("q", a=[1])
    shell.settings.format = None
    assert shell.run(f".output {tmp_path}/o.csv\nq;\n.output off\n").status is Status.OK
    assert (tmp_path / "o.csv").read_text() == "a\n1\n"
    assert shell.settings.output is None
    assert shell.run(f".output {tmp_path}/o.xyz").status is Status.FAILED
