"""Whose failure it was: the catalog's, the storage's, or nobody's around."""

from __future__ import annotations

import pytest

from sqe.core.errors import DeniedError, ExternalError, SqeError
from sqe.spark.java_errors import Fact, translate
from sqe.spark.neighbours import bare_address, name_catalog

REST = "org.apache.iceberg.exceptions."
ONE = {"lake": "http://catalog.example.com:8181/api"}
TWO = ONE | {"other": "https://other.example.com"}


def chain(*pairs: tuple[str, str]) -> list[Fact]:
    return [{"class": name, "message": message} for name, message in pairs]


CONNECT = chain(
    (REST + "RESTException", "Error occurred while processing GET request"),
    (
        "org.apache.hc.client5.http.HttpHostConnectException",
        "Connect to http://catalog.example.com:8181 failed: Connection refused",
    ),
)


def named(failure: list[Fact], sql: str = "SHOW SCHEMAS", addresses: dict[str, str] = ONE) -> SqeError:
    error = translate(failure, sql)
    name_catalog(error, addresses, sql, "lake")
    return error


@pytest.mark.parametrize(
    ("kind", "text", "message", "expected"),
    [
        (
            "NotAuthorizedException",
            "Not authorized: Unauthorized",
            "does not accept your login (status 401)",
            DeniedError,
        ),
        ("ForbiddenException", "Forbidden: no grant", "does not allow this (status 403): no grant", DeniedError),
        ("ServiceUnavailableException", "Service unavailable: null", "is not available (status 503)", ExternalError),
        (
            "ServiceFailureException",
            "Server error: IOException: disk on fire",
            "has failed (status 500 or alike): disk on fire",
            ExternalError,
        ),
    ],
)
def test_what_a_catalog_answers(kind: str, text: str, message: str, expected: type[SqeError]) -> None:
    error = named(chain((REST + kind, text)))
    assert error.message == f"the catalog lake at http://catalog.example.com:8181/api {message}"
    assert str(error) == error.message
    assert isinstance(error, expected)
    assert error.hint


def test_a_catalog_that_is_away() -> None:
    error = named(CONNECT, "SELECT * FROM other.a.b", TWO)
    assert (
        error.message == "the catalog lake at http://catalog.example.com:8181/api is not reachable: connection refused"
    )
    unknown = chain((REST + "RESTException", "x"), ("java.net.UnknownHostException", "catalog.example.com"))
    assert named(unknown).message.endswith("is not reachable: there is no such host")


def test_which_of_several() -> None:
    refused = chain((REST + "ForbiddenException", "Forbidden: no"))
    assert named(refused, "SELECT * FROM other.a.b", TWO).message.startswith("the catalog other at https://other")
    assert named(refused, "SELECT * FROM a.b", TWO).message.startswith("the catalog lake at")
    assert named(refused, "SELECT * FROM lake.a.b, other.a.b", TWO).message.startswith(
        "one of the catalogs lake, other does not allow this"
    )
    assert named(refused, "SELECT 1", {}).message.startswith("the catalog does not allow this")


def test_storage() -> None:
    lost = chain(
        ("org.apache.spark.SparkException", "Job aborted"),
        (REST + "NotFoundException", "Failed to open input stream for file: s3://bucket/t/data/a.parquet"),
        ("java.io.FileNotFoundException", "File s3://bucket/t/data/a.parquet does not exist"),
    )
    assert named(lost).message == "the storage has no file s3://bucket/t/data/a.parquet"
    away = chain(
        ("java.io.UncheckedIOException", "cannot read s3://bucket/t/data/a.parquet"),
        ("software.amazon.awssdk.core.exception.SdkClientException", "Unable to execute HTTP request"),
        ("java.net.ConnectException", "Connection refused"),
    )
    assert named(away).message == "the storage of s3://bucket/t/data/a.parquet is not reachable: connection refused"
    refuses = chain(("software.amazon.awssdk.services.s3.model.S3Exception", "Access Denied (Status Code: 403)"))
    assert named(refuses).message == "the storage refuses a file of the table"


def test_other_failures_stay_as_they_are() -> None:
    table = chain(("org.apache.iceberg.exceptions.NoSuchTableException", "Table does not exist: ns.t"))
    assert named(table).message == "there is no table ns.t"


def test_no_secret_in_an_address() -> None:
    assert bare_address("https://user:pw@host:1/api/?token=x") == "https://host:1/api"
