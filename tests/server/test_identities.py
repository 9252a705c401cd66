"""Everybody asks as themselves: what the catalog sees, what SQL says, what nobody else can reach."""

from __future__ import annotations

import threading

import pytest

from .served import Served

#: What each of two people does at the same time as the other, in a schema of their own.
STATEMENTS = """
CREATE SCHEMA lake.{s}
CREATE TABLE lake.{s}.t (id BIGINT, name VARCHAR)
INSERT INTO lake.{s}.t VALUES (1, 'a'), (2, 'b'), (3, 'c')
SELECT count(*) FROM lake.{s}.t
SELECT * FROM lake.{s}.t WHERE id = 2
UPDATE lake.{s}.t SET name = 'z' WHERE id = 1
DELETE FROM lake.{s}.t WHERE id = 3
MERGE INTO lake.{s}.t USING (SELECT 7 AS id, 'm' AS n) AS s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (id, n)
SELECT max(id) FROM lake.{s}.t
CREATE TABLE lake.{s}.u AS SELECT id, upper(name) AS name FROM lake.{s}.t
SELECT * FROM lake.{s}.u ORDER BY id
ALTER TABLE lake.{s}.t ADD COLUMN extra INTEGER
ALTER TABLE lake.{s}.t RENAME COLUMN extra TO more
INSERT INTO lake.{s}.t SELECT id + 100, name, 5 FROM lake.{s}.t
SELECT sum(more) FROM lake.{s}.t
ALTER TABLE lake.{s}.t DROP COLUMN more
CREATE VIEW lake.{s}.v AS SELECT name, current_user AS who FROM lake.{s}.t
SELECT DISTINCT who FROM lake.{s}.v
SHOW TABLES IN lake.{s}
SHOW SCHEMAS IN lake
DESCRIBE lake.{s}.t
SHOW CREATE TABLE lake.{s}.t
SELECT table_name FROM lake.information_schema.tables WHERE table_schema = '{s}'
SELECT column_name FROM lake.information_schema.columns WHERE table_schema = '{s}'
SELECT snapshot_id FROM lake.{s}."t$snapshots"
SELECT file_path FROM lake.{s}."t$files"
CALL lake.system.rewrite_data_files(table => '{s}.t')
CALL lake.system.expire_snapshots(table => '{s}.t', retain_last => 1)
CALL lake.system.rewrite_manifests(table => '{s}.t')
ALTER TABLE lake.{s}.t EXECUTE optimize
ALTER TABLE lake.{s}.t CREATE BRANCH dev
INSERT INTO lake.{s}.t@dev VALUES (50, 'x')
SELECT count(*) FROM lake.{s}.t@dev
ALTER TABLE lake.{s}.t DROP BRANCH dev
COMMENT ON TABLE lake.{s}.t IS 'mine'
TRUNCATE TABLE lake.{s}.u
SELECT count(*) FROM lake.{s}.u
ALTER TABLE lake.{s}.u RENAME TO lake.{s}.w
DROP VIEW lake.{s}.v
DROP TABLE lake.{s}.w
""".strip().splitlines()


def test_two_people_at_once_are_never_mixed(served: Served) -> None:
    assert len(STATEMENTS) == 40
    served.run(served.token("carol"), "SELECT 1")
    tokens = {user: served.token(user) for user in ("alice", "bob")}
    served.catalog.clear()
    failures: list[AssertionError] = []

    def work(user: str) -> None:
        try:
            for statement in STATEMENTS:
                rows = served.run(tokens[user], statement.format(s=f"of_{user}"))
                if "DISTINCT who" in statement:
                    assert rows == [[user]]
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(user,)) for user in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    for user, other in (("alice", "bob"), ("bob", "alice")):
        asked = served.catalog.of(tokens[user])
        paths = [request.path for request in asked]
        assert any(f"of_{user}" in path for path in paths)
        # A listing of all schemas asks for those below each.
        assert not [path for path in paths if f"of_{other}" in path and "?parent=" not in path]
        verbs = {request.verb for request in asked}
        assert {"GET", "POST", "DELETE"} <= verbs
    known = set(tokens.values())
    assert {request.bearer for request in served.catalog.requests} <= known, "a request of nobody's"


def test_who_sql_says_they_are(served: Served) -> None:
    token = served.token("alice", realm_access={"roles": ["reader", "writer"]})
    sql = "SELECT current_user, session_user, is_role_in_session('writer'), is_role_in_session('admin'), current_role"
    assert served.run(token, sql) == [["alice", "alice", True, False, "reader"]]


def test_a_catalog_that_refuses(served: Served) -> None:
    token = served.token("dave")
    served.catalog.refuse = lambda request: 403 if request.bearer == token else 0
    try:
        with pytest.raises(AssertionError, match="PERMISSION_DENIED"):
            served.run(token, "SHOW SCHEMAS IN lake")
        assert served.run(served.token("alice"), "SELECT 1") == [[1]]
    finally:
        served.catalog.refuse = lambda _: 0


def test_no_token_can_be_seen(served: Served) -> None:
    token = served.token("erin")
    served.run(token, "SHOW SCHEMAS IN lake")
    for sql in (
        "SHOW SESSION",
        "SELECT * FROM system.runtime.queries",
        "EXPLAIN SELECT * FROM lake.information_schema.tables",
    ):
        assert token not in str(served.run(token, sql))
    with pytest.raises(AssertionError) as refused:
        served.run(token, "SET spark.sql.catalog.lake.token")
    assert token not in str(refused.value)
    logs = b"".join(file.read_bytes() for file in (served.folder / "log").rglob("*") if file.is_file())
    assert token.encode() not in logs
    assert token.rpartition(".")[2].encode() not in logs


def test_listings_have_trinos_columns(served: Served) -> None:
    token = served.token("alice")
    for statement in ("CREATE SCHEMA lake.listed", "CREATE TABLE lake.listed.t (id BIGINT)"):
        served.run(token, statement)
    assert served.run(token, "SHOW CATALOGS") == [["lake"], ["system"]]
    assert served.run(token, "SHOW TABLES IN lake.listed") == [["t"]]
    assert served.run(token, "DESCRIBE lake.listed.t") == [["id", "bigint", "", ""]]
