"""What of a statement is shown to those who ask what ran."""

from __future__ import annotations

import pytest

from sqe.sql.context import Context
from sqe.sql.secrets import redacted, secrets_in, shown_property
from sqe.sql.translate import translate


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('s3://b/x', access_key => 'geheim', secret_key => 'streng')",
        "SELECT * FROM read_csv('s3://b/x', ACCESS_KEY=>'geheim')",
        "SELECT * FROM read_csv('s3://b/x', \"secret_key\" => 'geheim''s')",
        "SELECT * FROM read_csv('s3://b/x', secret_key /* now */ => -- here\n 'geheim')",
        "SELECT * FROM read_csv('s3://b/x', secret_key := 'a' || 'geheim')",
        "SELECT * FROM read_csv('s3://b/x', secret_key => concat('a', 'geheim'))",
        "SELECT * FROM read_csv('s3://b/x', secret_key => U&'geheim')",
        "SELECT * FROM read_csv('s3://b/x', secret_key => 'geheim",
        "SELECT * FROM read_csv('s3://b/x', azure_sas_token => 'geheim', region => 'r')",
        "SELECT * FROM read_csv('s3://b/x', gcs_service_account_key => 'geheim', region => 'r')",
        "CREATE SECRET s (TYPE bearer, TOKEN 'geheim')",
        "PREPARE p FROM SELECT * FROM read_csv('s3://b/x', secret_key => 'geheim', region => ?)",
        "EXECUTE IMMEDIATE 'SELECT * FROM read_csv(''s3://b/x'', secret_key => ''geheim'')'",
        "execute /* x */ immediate 'CREATE SECRET s (TYPE bearer, TOKEN ''geheim'')'",
        "CREATE SECRET s (TYPE basic, USERNAME 'u', PASSWORD = 'geheim')",
        "SELECT * FROM 'https://me:geheim@example.com/x.csv'",
        "SELECT * FROM 'https://example.com/x.csv?a=1&X-Amz-Signature=geheim&b=2'",
        "SELECT * FROM 'https://example.com/x.csv?sig=geheim'",
        "SELECT * FROM read_csv('s3://b/x', 'geheim', 'streng')",
        "ALTER TABLE t SET TBLPROPERTIES ('s3.secret-access-key' = 'geheim', 'x.token' = 'streng')",
        "ALTER TABLE t SET PROPERTIES \"my.password\" = 'geheim'",
    ],
)
def test_secrets_are_taken_out(sql: str) -> None:
    shown = redacted(sql)
    assert "geheim" not in shown
    assert "streng" not in shown
    assert "[REDACTED]" in shown


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT token, 'x' FROM t WHERE token = other",
        "SELECT * FROM read_csv('abfss://container@account.dfs.core.windows.net/x.csv')",
        "SELECT * FROM read_csv('x.csv', sep => ';', region => 'eu')",
        "EXECUTE IMMEDIATE 'SELECT * FROM t WHERE a = ''x'' AND b' USING 1",
        "SELECT 1",
    ],
)
def test_the_rest_stays(sql: str) -> None:
    assert redacted(sql) == sql


def test_what_stands_beside_a_secret_stays() -> None:
    sql = "SELECT * FROM read_csv('s3://b/x', access_key => 'a', region => 'eu') WHERE a = 'b'"
    assert redacted(sql) == sql.replace("'a',", "'[REDACTED]',")


def test_the_secrets_themselves() -> None:
    sql = "SELECT * FROM read_csv('s3://b/x', access_key => 'AKIA1', secret_key => 'it''s', region => 'eu-west-1')"
    found = secrets_in(sql)
    assert {"AKIA1", "it's"} <= set(found)
    assert not any("eu-west" in text for text in found)


def test_many_quotes_take_no_time() -> None:
    assert "[REDACTED]" in redacted("token = f(" + "''" * 50_000)


def test_keys_are_not_in_the_text_for_the_engine() -> None:
    sql = "SELECT * FROM read_csv('S3://b/x', access_key => 'AKIA', secret_key => 'geheim', region => 'eu')"
    made = translate(Context(sql, "q1"))
    assert "AKIA" not in made.text
    assert "geheim" not in made.text
    assert made.secrets == {"q1/0": {"access_key": "AKIA", "secret_key": "geheim", "region": "eu"}}
    assert made.groups == {"aws"}


@pytest.mark.parametrize(
    ("sql", "groups"),
    [
        ("SELECT * FROM 'x.csv'", set()),
        ("SELECT * FROM 'x.avro'", {"avro"}),
        ("SELECT * FROM read_delta('gs://b/x')", {"delta", "gcp"}),
        ("SELECT * FROM 'az://c/x.parquet' JOIN 's3a://b/y.csv' ON true", {"azure", "aws"}),
    ],
)
def test_what_jars_a_statement_needs(sql: str, groups: set[str]) -> None:
    assert translate(Context(sql)).groups == groups


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("s3.secret-access-key", "geheim", "[REDACTED]"),
        ("my.password", "geheim", "[REDACTED]"),
        ("header.Authorization", "geheim", "[REDACTED]"),
        ("write.format.default", "parquet", "parquet"),
        ("uri", "https://me:geheim@example.com/x", "https://[REDACTED]@example.com/x"),
        ("write.metadata.metrics.default", "truncate(16)", "truncate(16)"),
    ],
)
def test_values_of_properties(name: str, value: str, shown: str) -> None:
    assert shown_property(name, value) == shown
