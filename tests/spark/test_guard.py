"""What Spark SQL must not do: each trap through every door there is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.core.errors import DeniedError, ErrorKind, NotSupportedError, SqeError, kind_of
from sqe.core.ids import new_query_id
from sqe.server.local import LocalEngine
from sqe.spark.file_access import FileAccess
from sqe.spark.file_settings import FileRules

from .support import Client, client_of, failure, own_pipeline, rows, value

#: Leaves a trace in the JVM when it runs.
TRAP = "reflect('java.lang.System', 'setProperty', 'sqe.trap', 'sprung')"
TRAPS = (TRAP, TRAP.replace("reflect", "java_method"), TRAP.replace("reflect", "try_reflect"))
#: Texts of Spark's, as if the dialect had a hole, and what is said about them.
RAW = {
    "ADD JAR '/tmp/x.jar'": "ADD JAR",
    "ADD FILE '/etc/passwd'": "ADD FILE",
    "ADD ARCHIVE '/tmp/x.zip'": "ADD ARCHIVE",
    "LIST JARS": "LIST JARS",
    "SET": "SET of everything",
    "SET -v": "SET of this setting",
    "SET spark.sql.catalog.iceberg.uri": "SET of this setting",
    "SET spark.sql.runSQLOnFiles = true": "SET of this setting",
    "RESET": "RESET of everything",
    "RESET spark.sql.ansi.enabled": "RESET of this setting",
    "CREATE FUNCTION f AS 'a.B' USING JAR '/tmp/x.jar'": "CREATE FUNCTION",
    "CREATE TEMPORARY FUNCTION f AS 'a.B'": "CREATE FUNCTION",
    "CREATE TEMPORARY FUNCTION f() RETURNS INT RETURN 1": "CREATE FUNCTION",
    "CACHE TABLE t": "CACHE TABLE",
    "CACHE TABLE t AS SELECT 1": "CACHE TABLE",
    "REFRESH '/tmp'": "REFRESH",
    "CREATE GLOBAL TEMPORARY VIEW v AS SELECT 1": "CREATE GLOBAL TEMPORARY VIEW",
    "CREATE TEMPORARY VIEW v USING csv OPTIONS (path '/etc/passwd')": "CREATE TEMPORARY VIEW … USING",
    "INSERT OVERWRITE DIRECTORY '/tmp/x' USING csv SELECT 1": "INSERT OVERWRITE DIRECTORY",
    "INSERT OVERWRITE LOCAL DIRECTORY '/tmp/x' SELECT 1": "INSERT OVERWRITE DIRECTORY",
    "SELECT TRANSFORM(a) USING 'cat' FROM VALUES (1) AS t(a)": "TRANSFORM",
    "LOAD DATA INPATH '/etc' INTO TABLE t": "LOAD DATA",
    "CREATE TABLE t USING csv LOCATION '/etc'": "tables of the kind csv",
    "CREATE TABLE t (a INT) USING jdbc OPTIONS (url 'jdbc:x')": "tables of the kind jdbc",
    "CREATE TABLE t USING parquet AS SELECT 1": "tables of the kind parquet",
    "CREATE TABLE spark_catalog.default.t (a INT) LOCATION '/tmp'": "the catalog spark_catalog",
    "USE spark_catalog": "the catalog spark_catalog",
    "SELECT * FROM Spark_Catalog.default.t": "the catalog spark_catalog",
    "SELECT * FROM text.`/etc/passwd`": "a path is no name of a table",
    "SELECT * FROM parquet.`s3://bucket/x`": "a path is no name of a table",
    "SELECT * FROM STREAM t": "STREAM",
    "SELECT * FROM t WITH (path = '/etc')": "options of a table",
    "BEGIN SELECT 1; END": "BEGIN … END",
    "DECLARE VARIABLE x INT": "CREATE VARIABLE",
    f'EXECUTE IMMEDIATE "SELECT {TRAP}"': "EXECUTE IMMEDIATE",
    "SELECT IDENTIFIER('reflect')('java.lang.System', 'exit', 1)": "IDENTIFIER(…)",
    "SELECT * FROM IDENTIFIER('text.`/etc/passwd`')": "IDENTIFIER(…)",
    "SHOW TABLES": "SHOW TABLES",
    "SHOW CREATE TABLE t": "SHOW CREATE TABLE",
    "DESCRIBE FUNCTION EXTENDED reflect": "DESCRIBE FUNCTION",
    "ALTER TABLE t SET LOCATION '/etc'": "ALTER TABLE … SET LOCATION",
    "MSCK REPAIR TABLE t": "MSCK REPAIR TABLE",
    "SELECT sqe_java('Secrets.get', 'STRING', 'x')": "this function",
    "CALL iceberg.system.add_files('a', 'b')": "the procedure add_files",
    "CALL iceberg.system.migrate('a')": "the procedure migrate",
    "CALL iceberg.system.snapshot('a', 'b')": "the procedure snapshot",
    "CALL iceberg.system.rewrite_table_path('a', 'b', 'c')": "the procedure rewrite_table_path",
    "EXPLAIN CALL iceberg.system.add_files('a', 'b')": "the procedure add_files",
    "EXPLAIN ADD JAR '/tmp/x.jar'": "ADD JAR",
}
#: Places within a statement where a function can stand.
WITHIN = (
    "SELECT {}",
    "SELECT 1 WHERE {} IS NULL",
    "SELECT * FROM (SELECT {}) t",
    "WITH c AS (SELECT {} AS x) SELECT * FROM c",
    "WITH c AS (SELECT 1), d AS (SELECT * FROM (WITH e AS (SELECT {} AS x) SELECT * FROM e)) SELECT 1",
    "SELECT 1 WHERE EXISTS (SELECT {})",
    "SELECT 1 IN (SELECT {})",
    "SELECT (SELECT {})",
    "SELECT count(*) FROM VALUES (1) AS t(a) GROUP BY {}",
    "SELECT a FROM VALUES (1) AS t(a) ORDER BY {}",
    "SELECT a FROM VALUES (1) AS t(a) LIMIT {}",
    "SELECT max(a) FROM VALUES (1) AS t(a) HAVING {} IS NULL",
    "SELECT sum(a) OVER (PARTITION BY {}) FROM VALUES (1) AS t(a)",
    "SELECT sum(a) OVER w FROM VALUES (1) AS t(a) WINDOW w AS (ORDER BY {})",
    "SELECT transform(array(1), x -> {})",
    "SELECT * FROM VALUES ({}) AS t(a)",
    "SELECT * FROM VALUES (1) AS t(a) JOIN VALUES (1) AS u(b) ON {} IS NULL",
    "SELECT * FROM VALUES (1) AS t(a), LATERAL (SELECT {})",
    "SELECT * FROM range({})",
    "SELECT explode(array({}))",
    "SELECT CASE WHEN 1 = 1 THEN {} END",
    "SELECT 1 UNION ALL SELECT {}",
    "INSERT INTO {t} SELECT length({})",
    "INSERT INTO {t} VALUES (length({}))",
    "UPDATE {t} SET a = length({})",
    "UPDATE {t} SET a = 1 WHERE {} IS NULL",
    "DELETE FROM {t} WHERE {} IS NULL",
    "MERGE INTO {t} AS t USING (SELECT 1 AS a) AS s ON t.a = length({}) WHEN MATCHED THEN DELETE",
    "MERGE INTO {t} AS t USING (SELECT 1 AS a) AS s ON t.a = s.a WHEN MATCHED AND {} IS NULL THEN DELETE",
    "MERGE INTO {t} AS t USING (SELECT 1 AS a) AS s ON t.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (length({}))",
    "MERGE INTO {t} AS t USING (SELECT {} AS a) AS s ON t.a = s.a WHEN MATCHED THEN DELETE",
    "CREATE TABLE {t}_new USING iceberg AS SELECT {} AS a",
    "CREATE TABLE {t}_new (a STRING DEFAULT {}) USING iceberg",
    "CREATE OR REPLACE VIEW {t}_view AS SELECT {} AS a",
    "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT {} AS a",
    "EXPLAIN SELECT {}",
    "DESCRIBE QUERY SELECT {} AS a",
    "CALL iceberg.system.expire_snapshots(table => {})",
)


def analyze(client: Client, text: str, procedures: tuple[str, ...] = ()) -> None:
    """Give Spark a text as it is, past the dialect."""
    statement = client.session.spark.statement(new_query_id(), text, procedures=procedures)
    try:
        statement.analyze()
    finally:
        statement.close()


def refused(client: Client, text: str, procedures: tuple[str, ...] = ()) -> SqeError:
    with pytest.raises(SqeError) as caught:
        analyze(client, text, procedures)
    return caught.value


def java(engine: LocalEngine) -> Any:
    return engine.spark.jvm().gateway.jvm


def scala_object(package: Any, name: str) -> Any:
    return getattr(getattr(package, f"{name}$"), "MODULE$")


def unguarded(engine: LocalEngine, text: str) -> Any:
    """What a parser without a guard makes of a text."""
    return scala_object(java(engine).org.apache.spark.sql.catalyst.parser, "CatalystSqlParser").parsePlan(text)


@pytest.fixture(autouse=True)
def _no_trap_has_sprung(engine: LocalEngine) -> Iterator[None]:
    yield
    assert java(engine).java.lang.System.getProperty("sqe.trap") is None


@pytest.fixture
def target(session: Client, schema: str) -> str:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS a")
    return f"{schema}.t"


def test_the_trap_is_one(session: Client, engine: LocalEngine) -> None:
    """A test of the tests: without the guard, the same text would have done it."""
    assert "reflect" in unguarded(engine, f"SELECT {TRAP}").toString()
    assert value(session, "SELECT 1") == 1


def test_what_is_not_offered(session: Client) -> None:
    for text, named in RAW.items():
        error = refused(session, text)
        assert isinstance(error, NotSupportedError), text
        assert error.message.startswith(named)
        assert error.position is not None, text


def test_the_dialect_leads_to_none_of_it(session: Client, engine: LocalEngine) -> None:
    """Some mean something harmless here; what does not, is refused as the user's mistake."""
    harmless = {"SET", "BEGIN SELECT 1; END", "SHOW TABLES", "RESET"}
    kinds = {ErrorKind.USER, ErrorKind.DENIED, ErrorKind.NOT_FOUND}
    for client in (session, client_of(engine, "ann")):
        for text in RAW.keys() - harmless:
            assert kind_of(failure(client, text)) in kinds, text


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.partition("(")[0])
def test_reflection_wherever_it_stands(session: Client, target: str, trap: str) -> None:
    said = f"the function {trap.partition('(')[0]} is not offered"
    for place in WITHIN:
        text = place.replace("{t}", target).replace("{}", trap)
        error = refused(session, text)
        assert (type(error), error.message) == (NotSupportedError, said), text
        assert error.position is not None, text
        assert text[error.position.column - 1 :].startswith(trap), text


def test_reflection_in_the_dialect(session: Client, target: str) -> None:
    for place in WITHIN:
        text = place.replace("{t}", target).replace("{}", TRAP)
        assert kind_of(failure(session, text)) is ErrorKind.USER, text


def test_reflection_in_defaults(session: Client, target: str) -> None:
    for sql in (
        f"CREATE TABLE {target}_d (a VARCHAR DEFAULT {TRAP}) WITH (format_version = 3)",
        f"ALTER TABLE {target} ADD COLUMN b VARCHAR DEFAULT {TRAP}",
        f"ALTER TABLE {target} ALTER COLUMN a SET DEFAULT {TRAP}",
    ):
        assert kind_of(failure(session, sql)) is ErrorKind.USER


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT {TRAP} AS x",
        "SELECT * FROM text.`/etc/passwd`",
        "SELECT TRANSFORM(a) USING 'cat' FROM VALUES (1) AS t(a)",
    ],
    ids=["reflect", "path", "transform"],
)
def test_a_view_that_another_engine_has_stored(session: Client, engine: LocalEngine, schema: str, text: str) -> None:
    store_view(engine, session, schema, "foreign", text)
    for sql in (
        f"SELECT * FROM {schema}.foreign",
        f"SELECT 1 WHERE EXISTS (SELECT * FROM {schema}.foreign)",
        f"CREATE TABLE {schema}.copy AS SELECT * FROM {schema}.foreign",
    ):
        error = failure(session, sql)
        assert isinstance(error, NotSupportedError)
        assert "not offered" in error.message or "no name of a table" in error.message


def store_view(engine: LocalEngine, client: Client, schema: str, name: str, text: str) -> None:
    """A view as another engine would store it, with a text of Spark's."""
    jvm = java(engine)
    _, reference = client.session.spark._current()
    catalog = reference.sessionState().catalogManager().catalog("iceberg").icebergCatalog()
    names = engine.spark.jvm().gateway.new_array(jvm.java.lang.String, 1)
    names[0] = schema.removeprefix("iceberg.")
    namespace = jvm.org.apache.iceberg.catalog.Namespace.of(names)
    column = jvm.org.apache.iceberg.types.Types.NestedField.optional(
        1, "x", jvm.org.apache.iceberg.types.Types.StringType.get()
    )
    columns = jvm.java.util.ArrayList()
    columns.add(column)
    builder = catalog.buildView(jvm.org.apache.iceberg.catalog.TableIdentifier.of(namespace, name))
    builder = builder.withSchema(jvm.org.apache.iceberg.Schema(columns)).withQuery("spark", text)
    builder.withDefaultNamespace(namespace).create()


@pytest.mark.parametrize("condition", [f"{TRAP} IS NULL", f"a = 1 AND length({TRAP}) > 0"])
def test_conditions_of_procedures(session: Client, target: str, condition: str) -> None:
    quoted = condition.replace("'", "''")
    text = f"CALL iceberg.system.rewrite_data_files(table => '{target}', where => '{quoted}')"
    spark_text = text.replace("''", "\\'")
    assert "reflect" in refused(session, spark_text).message
    assert kind_of(failure(session, text)) is ErrorKind.USER


def test_procedures_that_take_paths(session: Client, engine: LocalEngine, target: str, tmp_path: Path) -> None:
    """Nobody may call them but admins, and they only what the settings list."""
    orphans = "CALL iceberg.system.remove_orphan_files"
    register = "CALL iceberg.system.register_table"
    calls = (
        f"{register}('{target}2', '{tmp_path}/x.metadata.json')",
        f"{register}(namespace => 'default', table_name => 'x', metadata_location => '{tmp_path}/x')",
        f"{orphans}(table => '{target}', location => '{tmp_path}')",
        f"{orphans}('{target}', NULL, '{tmp_path}')",
        f"{orphans}(table => '{target}', file_list_view => 'v')",
    )
    ann = client_of(engine, "ann")
    for sql in calls:
        error = failure(ann, sql)
        assert isinstance(error, DeniedError)
        assert "is for admins" in error.message
        assert not isinstance(failure_or_none(session, sql), DeniedError)
        with own_pipeline(engine, admin_procedures=[]) as pipeline:
            assert isinstance(failure(session, sql, pipeline), DeniedError)
    assert rows(ann, f"{orphans}(table => '{target}')") == []
    assert failure_or_none(ann, f"{orphans}('{target}', NULL, NULL)") is None


def test_orphans_are_the_tables_own(session: Client, target: str, tmp_path: Path) -> None:
    """Nobody has files removed outside of the table's folder, however the place is written."""
    rows(session, f"INSERT INTO {target} VALUES (1)")
    path = str(value(session, f'SELECT "$path" FROM {target} LIMIT 1'))
    assert "/data/" in path
    table = path.removeprefix("file:").rpartition("/data/")[0]
    precious = tmp_path / "precious.txt"
    precious.write_text("kept")
    old = 1_000_000_000
    os.utime(precious, (old, old))
    schema = Path(table).parent
    outside = (
        tmp_path, f"file:{tmp_path}", f"FILE://{tmp_path}", f"{table}/../..", f"{table}/data/../../..", f"{table}2",
        f"/{tmp_path}", f"/{table}", schema, "/", "data", "~", f"s3://bucket{table}", f"file://host{table}", "",
    )  # fmt: skip
    for place in outside:
        for call in (f"table => '{target}', location => '{place}'", f"'{target}', NULL, '{place}'"):
            error = failure(session, f"CALL iceberg.system.remove_orphan_files({call})")
            assert "not within the table's own folder" in error.message, place
    assert precious.read_text() == "kept"
    for place in (table, f"file:{table}", f"file://{table}/data", f"{table}/data/"):
        call = f"CALL iceberg.system.remove_orphan_files(table => '{target}', location => '{place}')"
        assert failure_or_none(session, call) is None, place
    for more in ("file_list_view => 'v'", "location => concat('/', 'tmp')"):
        error = failure(session, f"CALL iceberg.system.remove_orphan_files(table => '{target}', {more})")
        assert isinstance(error, NotSupportedError)


PLACES = (
    "CREATE TABLE {s}.x (a INTEGER) WITH (location = '{p}')",
    "CREATE TABLE {s}.x WITH (location = '{p}') AS SELECT 1 AS a",
    "CREATE OR REPLACE TABLE {s}.t WITH (location = '{p}') AS SELECT 1 AS a",
    "CREATE TABLE {s}.x (LIKE {s}.t) WITH (location = '{p}')",
    "CREATE TABLE {s}.x (a INTEGER) WITH (\"write.data.path\" = '{p}')",
    "CREATE TABLE {s}.x (LIKE {s}.t) WITH (\"write.metadata.path\" = '{p}')",
    "ALTER TABLE {s}.t SET PROPERTIES \"write.data.path\" = '{p}'",
    "ALTER TABLE {s}.t SET PROPERTIES \"write.object-storage.path\" = '{p}'",
    "CREATE SCHEMA {s}_x WITH (location = '{p}')",
)


@pytest.mark.parametrize("where", ["{}", "file:{}", "FILE://{}", " {}"])
def test_places_on_this_machine(engine: LocalEngine, target: str, tmp_path: Path, where: str) -> None:
    """Whoever may not read local files may not say where on this machine files go."""
    ann = client_of(engine, "ann")
    ann.session.spark.allow_files(FileAccess(ann.identity, "/", FileRules()))
    for place in PLACES:
        error = failure(ann, place.format(s=target.rpartition(".")[0], p=where.format(tmp_path)))
        assert isinstance(error, DeniedError), place
        assert error.message == "places on this machine are not allowed"
    assert list(tmp_path.iterdir()) == []
    ann.close()


def failure_or_none(client: Client, sql: str) -> SqeError | None:
    try:
        rows(client, sql)
    except SqeError as error:
        return error
    return None


def test_the_permission_of_one_statement_ends_with_it(session: Client, target: str) -> None:
    call = f"CALL iceberg.system.register_table('{target}2', '/nowhere/x.metadata.json')"
    assert not isinstance(refused(session, call, ("register_table",)), DeniedError)
    assert isinstance(refused(session, call), DeniedError)


def test_explain_runs_nothing(session: Client, target: str) -> None:
    rows(session, f"INSERT INTO {target} VALUES 2")
    before = value(session, f'SELECT count(*) FROM {target.rpartition(".")[0]}."t$snapshots"')
    call = f"CALL iceberg.system.expire_snapshots(table => '{target}', older_than => TIMESTAMP '2100-01-01 00:00:00')"
    failure_or_none(session, f"EXPLAIN {call}")
    assert value(session, f'SELECT count(*) FROM {target.rpartition(".")[0]}."t$snapshots"') == before


class TestTheSecondLook:
    """Plans that were not parsed by the session's parser: the analyzed plan is enough to refuse them."""

    def test_reflection(self, session: Client, engine: LocalEngine) -> None:
        for trap in TRAPS:
            assert isinstance(self.resolved(engine, session, f"SELECT {trap}"), NotSupportedError)
            assert isinstance(
                self.resolved(engine, session, f"SELECT 1 WHERE EXISTS (SELECT {trap})"), NotSupportedError
            )

    def test_paths(self, session: Client, engine: LocalEngine) -> None:
        _, reference = session.session.spark._current()
        reference.conf().set("spark.sql.runSQLOnFiles", "true")
        error = self.resolved(engine, session, "SELECT * FROM text.`/etc/passwd`")
        assert isinstance(error, NotSupportedError)
        assert "no name of a table" in error.message

    def test_sparks_own_readers(self, session: Client, engine: LocalEngine) -> None:
        jvm, reference = session.session.spark._current()
        with pytest.raises(NotSupportedError):
            engine.spark.call(jvm, lambda: reference.read().text("/etc/passwd"))

    def test_functions_that_were_registered(self, session: Client, engine: LocalEngine) -> None:
        """As if somebody had found a way to bring a function along."""
        _, reference = session.session.spark._current()
        builtin = scala_object(java(engine).org.apache.spark.sql.catalyst.analysis, "FunctionRegistry").builtin()
        identifier = java(engine).org.apache.spark.sql.catalyst.FunctionIdentifier
        found = builtin.lookupFunctionBuilder(identifier("upper")).get()
        info = builtin.lookupFunction(identifier("upper")).get()
        reference.sessionState().functionRegistry().registerFunction(identifier("brought_along"), info, found)
        for text in ("SELECT brought_along('x')", "SELECT session.brought_along('x')"):
            assert refused(session, text).message == "the function brought_along is not offered"

    def test_what_is_offered_passes(self, session: Client, engine: LocalEngine) -> None:
        assert self.resolved(engine, session, "SELECT upper('x'), (SELECT max(id) FROM range(3))") is None

    @staticmethod
    def resolved(engine: LocalEngine, client: Client, text: str) -> SqeError | None:
        jvm, reference = client.session.spark._current()
        plan = unguarded(engine, text)
        mode = scala_object(jvm.gateway.jvm.org.apache.spark.sql.execution, "CommandExecutionMode").SKIP()
        try:
            engine.spark.call(jvm, lambda: reference.sessionState().executePlan(plan, mode).assertAnalyzed())
        except SqeError as error:
            return error
        return None


def test_a_session_keeps_working(session: Client, engine: LocalEngine, target: str) -> None:
    """What the guard has refused leaves nothing behind."""
    ann = client_of(engine, "ann")
    for client in (session, ann):
        failure(client, f"SELECT {TRAP}")
        assert value(client, f"SELECT a FROM {target}") == 1
    assert rows(session, f"CALL iceberg.system.rewrite_data_files(table => '{target}', where => 'a = 1')") != []
    rows(
        session,
        f"CALL iceberg.system.rewrite_data_files(table => '{target}', strategy => 'sort', sort_order => 'a ASC')",
    )


def test_prepared_statements(session: Client, target: str) -> None:
    """A text in a text is looked at when it runs, and a value that is bound is a value."""
    quoted = TRAP.replace("'", "''")
    for sql in (f"PREPARE trap FROM SELECT {TRAP}", f"EXECUTE IMMEDIATE 'SELECT {quoted}'"):
        error = failure_or_none(session, sql) or failure(session, "EXECUTE trap")
        assert kind_of(error) is ErrorKind.USER
    rows(session, "PREPARE harmless FROM SELECT ? AS x")
    assert rows(session, f"EXECUTE harmless USING '{quoted}'") == [{"x": TRAP}]
    assert failure(session, f"EXECUTE harmless USING {TRAP}").kind is ErrorKind.USER
    assert value(session, f"SELECT a FROM {target}") == 1
