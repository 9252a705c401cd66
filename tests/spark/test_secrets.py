"""The secrets of a run: nowhere that a user, a log or a process list could show them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.observe.logs import log_to_file
from sqe.server.local import LocalEngine

from .support import Client, context_of, failure, rows, value


@pytest.fixture
def secrets(session: Client, engine: LocalEngine) -> tuple[str, str]:
    """Spark's secret and the gateway's."""
    value(session, "SELECT 1")
    gateway = engine.spark.jvm().gateway._gateway.gateway_parameters.auth_token
    spark = context_of(engine).getConf().get("spark.authenticate.secret")
    assert len(spark) == len(gateway) == 64
    return spark, gateway


@pytest.fixture
def engine_log(engine: LocalEngine) -> Iterator[Path]:
    logger = logging.getLogger("sqe")
    before = (logger.handlers[:], logger.level, logger.propagate)
    path = engine.spark.log_folder / "engine.log"
    log_to_file(path, engine.settings.logging)
    yield path
    for handler in logger.handlers:
        handler.close()
    logger.handlers[:], logger.level, logger.propagate = before


def hidden(secrets: tuple[str, str], text: str) -> bool:
    return not any(secret in text for secret in secrets)


@pytest.mark.parametrize("sql", ["SET", "SHOW SESSION"])
def test_set_shows_no_secret(session: Client, secrets: tuple[str, str], sql: str) -> None:
    found = rows(session, sql)
    assert found
    assert hidden(secrets, repr(found))


@pytest.mark.parametrize(
    "sql", ["SET -v", "SET spark.authenticate.secret", "SET spark.sql.catalog.x.token = a", "RESET spark.authenticate"]
)
def test_settings_of_the_engine_are_nobodys(session: Client, secrets: tuple[str, str], sql: str) -> None:
    error = failure(session, sql)
    assert "that a session may change" in error.message
    assert hidden(secrets, repr(error.to_dict()))


def test_errors_and_plans_show_no_secret(session: Client, secrets: tuple[str, str]) -> None:
    statements = (
        "SELECT * FROM no_such_table",
        "SELECT 1 / (id - id) FROM range(10)",
        "SET spark.authenticate.secret = other",
        "RESET spark.authenticate.secret",
        "CALL iceberg.system.nope()",
    )
    for sql in statements:
        try:
            shown = repr(rows(session, sql))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at
            shown = repr(getattr(error, "to_dict", lambda: "")()) + repr(error)
        assert hidden(secrets, shown)
    assert hidden(secrets, repr(rows(session, "EXPLAIN EXTENDED SELECT * FROM range(3)")))


def test_logs_show_no_secret(session: Client, engine: LocalEngine, secrets: tuple[str, str], engine_log: Path) -> None:
    failure(session, "SELECT 1 / (id - id) FROM range(10)")
    failure(session, "SELECT * FROM iceberg.default.no_such_table")
    logging.getLogger("sqe").warning("for this test", extra={"facts": {"secret": secrets[0], "pid": 1}})
    files = [path for path in engine.spark.log_folder.iterdir() if path.is_file()]
    assert {"spark.log", "engine.log"} <= {path.name for path in files}
    assert "for this test secret='[REDACTED]' pid=1" in engine_log.read_text(encoding="utf-8")
    for path in files:
        assert hidden(secrets, path.read_text(encoding="utf-8", errors="replace")), path.name


def test_the_process_shows_no_secret(engine: LocalEngine, secrets: tuple[str, str]) -> None:
    process = Path(f"/proc/{engine.spark.running_pid()}")
    for name in ("cmdline", "environ"):
        assert hidden(secrets, (process / name).read_text(encoding="utf-8", errors="replace"))


def test_ports_are_on_loopback_only(session: Client, engine: LocalEngine) -> None:
    value(session, "SELECT 1")
    pid = engine.spark.running_pid()
    sockets = {path.readlink().name for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_symlink()}
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        listening, inode = fields[3] == "0A", fields[9]
        if listening and f"socket:[{inode}]" in sockets:
            assert fields[1].startswith("0100007F:")
