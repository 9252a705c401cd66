"""`sqe-cli` as a client of a whole server, by both protocols, as a person drives it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.conftest import ENDLESS, Done, Home, Shell

from .served import USERS, Served

pytestmark = pytest.mark.server

PROTOCOLS = ["flight", "http"]


class Person:
    """Somebody with an account of their own and the address of the server."""

    def __init__(self, served: Served, home: Home) -> None:
        self.served = served
        self.home = home

    def flags(self, protocol: str) -> list[str]:
        ports = self.served.coordinator.ports
        port = ports["trino_http" if protocol == "http" else "flight_sql"]
        # As the steps of the documentation have it: Flight SQL needs no word.
        return ["--port", str(port), *(["--protocol", "http"] if protocol == "http" else [])]

    def run(self, protocol: str, sql: str, *more: str, user: str = "alice", password: str = "") -> Done:
        env = {"SQE_PASSWORD": password or USERS[user]}
        return self.home.run(*self.flags(protocol), "--user", user, "-e", sql, *more, env=env)

    def csv(self, protocol: str, sql: str) -> list[list[str]]:
        return self.run(protocol, sql, "-f", "csv").rows()


@pytest.fixture
def person(served: Served) -> Iterator[Person]:
    home = Home()
    yield Person(served, home)
    home.close()


@pytest.fixture(scope="module")
def table(served: Served) -> str:
    """A table in a schema of this file's own."""
    token = served.token("alice")
    for sql in ("CREATE SCHEMA lake.cli", "CREATE TABLE lake.cli.t AS SELECT 1 AS a, 'x' AS b"):
        served.run(token, sql)
    return "cli.t"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_four_steps(person: Person, table: str, protocol: str) -> None:
    assert person.csv(protocol, "SELECT 1") == [["1"]]
    assert ["cli"] in person.csv(protocol, "SHOW SCHEMAS")
    assert ["lake", "cli", "t"] in person.csv(protocol, "SHOW TABLES IN cli")
    assert person.csv(protocol, f"SELECT * FROM {table} LIMIT 1") == [["1", "x"]]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_login_that_is_refused(person: Person, protocol: str) -> None:
    done = person.run(protocol, "SELECT 1", password="wrong-secret-1").fails(
        1, "invalid credentials", "login was refused"
    )
    assert "wrong-secret-1" not in done.out + done.err
    person.home.run(*person.flags(protocol), "-e", "SELECT 1").fails(1, "log in first")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_identity_provider_that_is_away(person: Person, protocol: str) -> None:
    person.served.people.mood = "error"
    try:
        # Somebody whose login is not known from before.
        person.run(protocol, "SELECT 1", user="bob", password=f"other-{protocol}").fails(1, "the identity provider")
    finally:
        person.served.people.mood = "fine"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("status", "words"), [(401, "does not accept your login (status 401)"), (403, "(status 403)")])
def test_a_catalog_that_refuses(person: Person, table: str, protocol: str, status: int, words: str) -> None:
    person.served.catalog.refuse = lambda _: status
    try:
        for sql in ("SHOW SCHEMAS", f"SELECT * FROM {table} LIMIT 1"):
            person.run(protocol, sql).fails(1, f"the catalog lake at {person.served.catalog.address}", words)
    finally:
        person.served.catalog.refuse = lambda _: 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_storage_that_has_lost_a_file(person: Person, protocol: str) -> None:
    name = f"lake.cli.lost_{protocol}"
    person.run(protocol, f"CREATE TABLE {name} AS SELECT 1 AS a").ok()
    (file,) = person.csv(protocol, f'SELECT file_path FROM lake.cli."lost_{protocol}$files"')[0]
    Path(file.removeprefix("file:")).unlink()
    person.run(protocol, f"SELECT * FROM {name} LIMIT 1").fails(1, "the storage has no file", file)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_table_that_is_missing(person: Person, protocol: str) -> None:
    done = person.run(protocol, "SELECT *\nFROM cli.nothing LIMIT 1").fails(1, "there is no table lake.cli.nothing")
    assert "   2 | FROM cli.nothing LIMIT 1\n     |      ^^^^^^^^^^^\n" in done.err


def test_ports_that_speak_something_else(person: Person) -> None:
    flight, http = person.flags("flight"), person.flags("http")[:2]
    person.home.run(*flight, "--protocol", "http", "-e", "SELECT 1").fails(1, "speaks Flight SQL")
    person.home.run(*http, "-e", "SELECT 1").fails(1, "speaks Trino's HTTP protocol", "--protocol http")
    person.home.run(*flight, "--tls", "-e", "SELECT 1").fails(1, "has no TLS")
    person.home.run("-p", "1", "-e", "SELECT 1").fails(1, "no server answers at http://localhost:1")


SCRIPT = """
USE lake.cli;
SELECT count(*) AS n FROM t;
PREPARE p FROM SELECT ? + 1 AS x;
EXECUTE p USING 4;
.catalogs
.tables lake.cli
.schema lake.cli.t
.summarize lake.cli.t
SELECT TIMESTAMP '2024-01-02 03:04:05' AS a, TIMESTAMP '2024-01-02 03:04:05.5 UTC' AS b, INTERVAL '2' DAY AS c,
       TIME '01:02:03' AS d, ARRAY[1,2] AS e, MAP(ARRAY['k'], ARRAY[1.5]) AS f, ROW(1, 'x') AS g, X'00ff' AS h,
       CAST(1.5 AS REAL) AS i, UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59' AS j, NULL AS k, DATE '2024-02-29' AS l;
SELECT nothing FROM t;
CREATE TABLE IF NOT EXISTS t (a INTEGER);
"""


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json"])
def test_both_protocols_show_the_same(person: Person, form: str) -> None:
    found = [person.run(protocol, SCRIPT, "-f", form) for protocol in PROTOCOLS]
    assert (found[0].code, found[0].out, found[0].err) == (found[1].code, found[1].out, found[1].err)
    assert "there is no column nothing" in found[0].err


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_large_result_as_a_file(person: Person, protocol: str, tmp_path: Path) -> None:
    file = tmp_path / "out.parquet"
    sql = "SELECT id, CAST(id AS VARCHAR) AS s, TIMESTAMP '2024-01-01 00:00:00' AS t FROM range(300000)"
    person.run(protocol, sql, "-o", str(file)).ok()
    found = pq.read_table(file)
    assert found.num_rows == 300_000
    assert set(found.column("id").to_pylist()) == set(range(300_000))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_at_the_terminal(person: Person, protocol: str) -> None:
    env = {**person.home.env, "SQE_PASSWORD": USERS["alice"]}
    command = [str(Path(sys.executable).parent / "sqe-cli"), *person.flags(protocol), "--user", "alice"]
    shell = Shell(command, env, person.home.path)
    try:
        shell.sees(rf"connected to http://localhost:\d+ \({protocol}\)")
        shell.prompt()
        shell.enter("SELECT 40 + 2 AS answer;")
        shell.sees("42")
        shell.prompt()
        shell.enter(ENDLESS + ";")
        shell.sees(r"\d+ s  .*tasks \d+/\d+")
        shell.ctrl_c()
        shell.sees("canceled")
        shell.prompt()
        running = person.served.coordinator.engine.tracker.running
        person.home.until(lambda: not running(), "the end of the statement")
        shell.enter("SELECT 'still ' || 'here' AS x;")
        shell.sees("still here")
        shell.prompt()
        assert shell.leave() == 0
    finally:
        shell.close()


def test_a_login_by_code(person: Person) -> None:
    people = person.served.people
    people.clients["shell"] = ""
    people.device_answer = "yes"
    port = person.flags("http")[1]
    try:
        login = person.home.run("auth", "login", "-p", port, "--issuer", people.issuer, "--client-id", "shell").ok()
        assert "ABCD-EFGH" in login.err
        assert "logged in as alice" in login.out
        kept = person.home.sqe / "tokens.json"
        assert kept.stat().st_mode & 0o777 == 0o600
        sql = ["--protocol", "http", "-f", "csv", "-e", "SELECT current_user"]
        assert person.home.run("-p", port, *sql).rows() == [["alice"]]
        status = person.home.run("auth", "status").ok()
        for text in (login.out + login.err, status.out):
            assert "eyJ" not in text, "a token is shown"
            assert "refresh-secret" not in text
        person.home.run("auth", "logout", "-p", port).ok()
        person.home.run("-p", port, *sql).fails(1, "log in first")
        assert "eyJ" not in kept.read_text(encoding="utf-8")
    finally:
        people.device_answer = None
        del people.clients["shell"]


def test_a_server_without_logins_by_code(person: Person) -> None:
    person.home.run("auth", "login", *person.flags("http")).fails(1, "no login by code")
