"""Files as tables: formats, options, what is found out about a file, and what may be read at all."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path

import pytest
import zstandard

from sqe.core.errors import DeniedError, InternalError, NotFoundError, SqlSemanticError
from sqe.core.identity import Identity
from sqe.server.local import LocalEngine
from sqe.spark.file_access import FileAccess
from sqe.spark.file_settings import FileRules

from .support import Client, failure, rows, table, value

CSV = "id,name,born\n1,Ann,2001-02-03\n2,Bob,1999-12-31\n"


def types(session: Client, sql: str) -> dict[str, str]:
    return {field.name: str(field.type) for field in table(session, sql).schema}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_plain_csv_file(session: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "people.csv", CSV)
    assert types(session, f"SELECT * FROM '{path}'") == {"id": "int64", "name": "string", "born": "date32[day]"}
    assert [str(row["born"]) for row in rows(session, f"SELECT people.born FROM '{path}' ORDER BY id")] == [
        "2001-02-03",
        "1999-12-31",
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(session: Client, tmp_path: Path, delimiter: str) -> None:
    path = write(tmp_path / "x.csv", CSV.replace(",", delimiter))
    assert types(session, f"SELECT * FROM '{path}'") == {"id": "int64", "name": "string", "born": "date32[day]"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("1,2\n3,4\n", [{"column0": 1, "column1": 2}, {"column0": 3, "column1": 4}]),
        ("a,b\nx,y\n", [{"a": "x", "b": "y"}]),
        ("n\n1\n2\n", [{"n": 1}, {"n": 2}]),
        ('a,b\n"x,1","say ""hi"""\n', [{"a": "x,1", "b": 'say "hi"'}]),
        ('a,b\n"x","say \\"hi\\""\n', [{"a": "x", "b": 'say "hi"'}]),
        ("a,b\n'x,1','y'\n", [{"a": "x,1", "b": "y"}]),
        ('a,b\n1,"two\nlines"\n', [{"a": 1, "b": "two\nlines"}]),
        ("a,b\n1,\n,x\n", [{"a": 1, "b": None}, {"a": None, "b": "x"}]),
        ("a,a,\n1,2,3\n", [{"a": 1, "a_1": 2, "column2": 3}]),
        ("\ufeffa,b\n1,2\n", [{"a": 1, "b": 2}]),
        ("a;b\n1,5;x\n2,5;y\n", [{"a": "1,5", "b": "x"}, {"a": "2,5", "b": "y"}]),
        ("a,b\r\n1,x\r\n", [{"a": 1, "b": "x"}]),
    ],
)
def test_shapes_of_csv(session: Client, tmp_path: Path, content: str, expected: list[dict[str, object]]) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content.encode())
    assert rows(session, f"SELECT * FROM '{path}'") == expected


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ("1\n-2", "int64"),
        ("1\n2.5", "double"),
        ("1e3\n-.5", "double"),
        ("12345678901234567890\n1", "decimal128(38, 0)"),
        ("true\nFALSE", "bool"),
        ("2024-02-29\n2023-01-01", "date32[day]"),
        ("2023-02-29\n2023-01-01", "string"),
        ("31/12/2024\n01/02/2024", "date32[day]"),
        ("12/31/2024\n01/02/2024", "date32[day]"),
        ("2024-02-29 10:00:00\n2024-02-29T10:00:00.123", "timestamp[us]"),
        ("2024-02-29T10:00:00Z\n2024-02-29T10:00:00+02:00", "timestamp[us, tz=UTC]"),
        ("1\nx", "string"),
        ("01234\n98765", "string"),
        ("0\n0.5", "double"),
        ("10:00:00\n23:59:59.5", "time64[ns]"),
    ],
)
def test_types_of_csv(session: Client, tmp_path: Path, values: str, kind: str) -> None:
    path = write(tmp_path / "x.csv", f"the_name,other\n{values.replace(chr(10), ',x' + chr(10))},x\n")
    found = table(session, f"SELECT the_name FROM '{path}'")
    assert str(found.schema.field("the_name").type).startswith(kind.removesuffix(", tz=UTC]"))
    assert found.num_rows == 2
    assert None not in found.column(0).to_pylist()


def test_a_value_beyond_the_sample_that_does_not_fit(session: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,b\n" + "1,x\n" * 30_000 + "oops,y\n")
    assert value(session, f"SELECT count(*) FROM '{path}'") == 30_001
    assert "oops" in failure(session, f"SELECT sum(a) FROM '{path}'").message
    assert value(session, f"SELECT count(DISTINCT a) FROM read_csv('{path}', all_varchar => true)") == 2


def test_a_row_of_another_length_is_an_error(session: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,b\n1,2\n1,2,3\n")
    assert "alformed" in failure(session, f"SELECT * FROM '{path}'").message


def test_options_win_over_what_is_found(session: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "#c\n'a';'NA'\n'1';'2'\n")
    sql = f"SELECT * FROM read_csv('{path}', delim => ';', quote => '''', header => 'false', comment => '#'"
    assert rows(session, sql + ", nullstr => 'NA')") == [
        {"column0": "a", "column1": None},
        {"column0": "1", "column1": 2},
    ]


def test_nulls_by_pattern(session: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", "a,b\n1,n/a\n-,x\n")
    assert rows(session, f"SELECT * FROM read_csv('{path}', null_regex => '^(n/a|-)$')") == [
        {"a": 1, "b": None},
        {"a": None, "b": "x"},
    ]


def _packed(path: Path, content: bytes) -> None:
    match path.suffix:
        case ".gz":
            path.write_bytes(gzip.compress(content))
        case ".bz2":
            path.write_bytes(bz2.compress(content))
        case ".xz":
            path.write_bytes(lzma.compress(content))
        case ".zst":
            path.write_bytes(zstandard.compress(content))
        case _:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("inner", content)


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst", ".zip"])
def test_compressed_files(session: Client, tmp_path: Path, ending: str) -> None:
    for name, content in (("x.csv", CSV), ("x.json", '{"id": 1}\n{"id": 2}\n')):
        path = tmp_path / (name + ending)
        _packed(path, content.encode())
        assert value(session, f"SELECT sum(id) FROM '{path}'") == 3


@pytest.mark.parametrize(("ending", "name"), [(".gz", "gzip"), (".bz2", "bz2"), (".xz", "xz"), (".zst", "zstd")])
def test_compression_by_option(session: Client, tmp_path: Path, ending: str, name: str) -> None:
    path = tmp_path / f"x{ending}"
    _packed(path, CSV.encode())
    plain = path.rename(tmp_path / "data.txt")
    assert value(session, f"SELECT sum(id) FROM read_csv('{plain}', compression => '{name}')") == 3


def test_an_archive_of_several_files_is_refused(session: Client, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.csv.zip", "w") as archive:
        archive.writestr("a", CSV)
        archive.writestr("b", CSV)
    assert "several files" in failure(session, f"SELECT * FROM '{tmp_path}/x.csv.zip'").message


@pytest.mark.parametrize(
    "content",
    [
        '{"b": 1, "a": "x"}\n{"b": 2, "c": true}\n',
        '[{"b": 1, "a": "x"}, {"b": 2, "c": true}]',
        '[\n  {"b": 1,\n   "a": "x"},\n  {"b": 2, "c": true}\n]\n',
    ],
)
def test_forms_of_json(session: Client, tmp_path: Path, content: str) -> None:
    path = write(tmp_path / "x.json", content)
    assert rows(session, f"SELECT * FROM '{path}'") == [
        {"b": 1, "a": "x", "c": None},
        {"b": 2, "a": None, "c": True},
    ]


def test_one_object_on_several_lines(session: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "x.json", '{\n "b": 1,\n "a": [1, 2]\n}\n')
    assert rows(session, f"SELECT * FROM '{path}'") == [{"b": 1, "a": [1, 2]}]


def test_broken_json_is_an_error(session: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "x.json", '{"a": 1}\n{"a": \n')
    assert "alformed" in failure(session, f"SELECT * FROM '{path}'").message


def test_patterns(session: Client, tmp_path: Path) -> None:
    for name in ("a1.csv", "a2.csv", "b.csv", "deep/er/a3.csv", "deep/.a4.csv"):
        write(tmp_path / name, "id\n1\n")
    counts = {
        "a*.csv": 2,
        "a[12].csv": 2,
        "?.csv": 1,
        "{a1,b}.csv": 2,
        "**/*.csv": 4,
        "**/a*.csv": 3,
        "deep/*/a3.csv": 1,
    }
    for pattern, count in counts.items():
        assert value(session, f"SELECT count(*) FROM '{tmp_path}/{pattern}'") == count, pattern
    assert isinstance(failure(session, f"SELECT * FROM '{tmp_path}/z*.csv'"), NotFoundError)


def test_odd_names(session: Client, tmp_path: Path) -> None:
    names = ["a b", "a%20b", "a#b", "a:b", "ünï", "a?b", "a[1]", "a=b", "a{b}", "it's", "a*b", "x=1"]
    for number, name in enumerate(names):
        write(tmp_path / f"{name}.csv", f"n,m\n{number},0\n")
    for number, name in enumerate(names):
        path = f"{tmp_path}/{name}.csv".replace("'", "''")
        assert value(session, f"SELECT n FROM '{path}'") == number
    found = rows(session, f"SELECT n FROM '{tmp_path}/*.csv' ORDER BY n")
    assert [row["n"] for row in found] == list(range(len(names)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("_hidden.csv", "cannot be read"),
        ("x[.csv", "no valid pattern"),
        ("broken.parquet", "not a Parquet file"),
        ("broken.orc", "not a valid ORC file"),
        ("broken.csv.gz", "cannot be read"),
        ("empty.csv", "there is nothing in"),
    ],
)
def test_what_cannot_be_read(session: Client, tmp_path: Path, name: str, message: str) -> None:
    if "[" not in name:
        write(tmp_path / name, "" if name.startswith("empty") else "no")
    error = failure(session, f"SELECT * FROM '{tmp_path}/{name}'")
    assert message in error.message
    assert not isinstance(error, InternalError)


def test_folders_and_their_names_as_columns(session: Client, tmp_path: Path) -> None:
    for year in (2023, 2024):
        write(tmp_path / f"t/year={year}/x.csv", "id\n1\n")
    assert value(session, f"SELECT sum(year) FROM read_csv('{tmp_path}/t')") == 4047
    assert value(session, f"SELECT sum(year) FROM '{tmp_path}/t/*/*.csv'") == 4047


def test_files_with_other_headers_are_not_mixed_up(session: Client, tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    write(tmp_path / "2.csv", "b,a\n1,2\n")
    assert "header" in str(failure(session, f"SELECT * FROM '{tmp_path}/*.csv'").to_dict())


def test_relative_paths_start_from_the_folder_of_the_client(engine: LocalEngine, tmp_path: Path) -> None:
    write(tmp_path / "here.csv", CSV)
    opened = engine.sessions.open("relative", engine.identity, str(tmp_path))
    client = Client(engine, engine.identity, opened.id)
    assert value(client, "SELECT count(*) FROM 'here.csv'") == 2
    assert value(client, "SELECT count(*) FROM './x/../here.csv'") == 2
    assert value(client, f"SELECT count(*) FROM 'file://{tmp_path}/here.csv'") == 2
    client.close()


def test_without_a_folder_relative_paths_lead_nowhere(session: Client) -> None:
    assert "relative" in failure(session, "SELECT * FROM 'here.csv'").message


@pytest.fixture
def strict(engine: LocalEngine) -> Client:
    """A session under the rules of a server."""
    client = Client(engine, Identity(user="ann", roles=frozenset({"reader"})))
    _rules(client)
    return client


def _rules(client: Client, **rules: object) -> None:
    client.session.spark.allow_files(FileAccess(client.identity, "/", FileRules.model_validate(rules)))


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "file:/etc/passwd", "FILE:///etc/passwd", "file://localhost/etc/passwd", "etc/../etc/passwd"],
)
@pytest.mark.parametrize("reader", ["read_csv", "read_parquet", "read_json", "read_delta"])
def test_local_files_are_refused(strict: Client, path: str, reader: str) -> None:
    assert isinstance(failure(strict, f"SELECT * FROM {reader}('{path}')"), DeniedError)


def test_paths_are_no_tables(strict: Client, session: Client, tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", CSV)
    for client in (strict, session):
        assert "runSQLOnFiles" in failure(client, "SET spark.sql.runSQLOnFiles = true").message
        for sql in (
            f'SELECT * FROM csv."{path}"',
            f"SELECT * FROM csv.`{path}`",
            f"DESCRIBE QUERY SELECT * FROM csv.`{path}`",
        ):
            assert "there is no table" in failure(client, sql).message


def test_the_function_behind_the_readers_is_not_for_people(strict: Client, session: Client) -> None:
    for client in (strict, session):
        for sql in (
            "SELECT * FROM sqe_read('csv', '/etc/passwd')",
            "DESCRIBE QUERY TABLE sqe_read('csv', '/etc/passwd')",
        ):
            assert "root" not in failure(client, sql).message


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("read_csv('x', seperator => ';')", "read_csv has no option seperator"),
        ("read_csv('x', header => 'maybe')", "header must be true or false"),
        ("read_csv('x', compression => 'rar')", "compression must be auto, none, gzip, bz2, xz, zstd or zip"),
        ("read_delta('x', version => 1, timestamp => '2024-01-01T00:00:00Z')", "version and timestamp"),
        ("read_csv('x', access_key => 'AKIAGEHEIM')", "access_key needs secret_key"),
    ],
)
def test_wrong_options(session: Client, sql: str, message: str) -> None:
    error = failure(session, f"SELECT * FROM {sql}")
    assert isinstance(error, SqlSemanticError)
    assert message in error.message
    assert error.position is not None
