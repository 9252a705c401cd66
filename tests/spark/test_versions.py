"""Versions of tables: branches in statements about tables, changes between snapshots, earlier metadata."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.core.errors import SqlSemanticError

from .support import Client, failure, rows, table, value


@pytest.fixture
def versioned(session: Client, schema: str) -> tuple[str, list[int]]:
    """A table of two snapshots; the branch `dev` is at the first one."""
    name = f"{schema}.t"
    table(session, f"CREATE TABLE {name} (a BIGINT, b VARCHAR)")
    table(session, f"INSERT INTO {name} VALUES (1, 'x')")
    table(session, f"ALTER TABLE {name} CREATE BRANCH dev")
    table(session, f"INSERT INTO {name} VALUES (2, 'y')")
    snapshots = rows(session, f'SELECT snapshot_id FROM {schema}."t$snapshots" ORDER BY committed_at')
    return name, [row["snapshot_id"] for row in snapshots]


def test_nothing_changed_between_a_snapshot_and_itself(session: Client, versioned: tuple[str, list[int]]) -> None:
    name, (first, last) = versioned
    between = f"{name} FOR INCREMENTAL BETWEEN SNAPSHOT {last} AND SNAPSHOT"
    found = table(session, f"SELECT * FROM {between} {last}")
    assert (found.num_rows, found.column_names) == (0, ["a", "b"])
    assert value(session, f"SELECT count(_change_type) FROM {between} {last}") == 0
    before = table(session, f"SELECT * FROM {name} FOR INCREMENTAL BETWEEN SNAPSHOT {first} AND SNAPSHOT {last}")
    assert before.to_pydict() == {"a": [2], "b": ["y"]}
    assert "there is no snapshot 7" in failure(session, f"SELECT * FROM {between} 7").message


def test_a_branch_is_copied_summarized_and_described(
    session: Client, versioned: tuple[str, list[int]], tmp_path: Path
) -> None:
    name, _ = versioned
    assert rows(session, f"COPY {name}@dev TO '{tmp_path}/dev.csv'") == [{"rows": 1}]
    assert (tmp_path / "dev.csv").read_text(encoding="utf-8") == "a,b\n1,x\n"
    summary = rows(session, f"SUMMARIZE {name}@dev")
    assert [(row["column_name"], row["max"], row["count"]) for row in summary] == [("a", "1", 1), ("b", "x", 1)]
    assert rows(session, f"DESCRIBE {name}@dev") == rows(session, f"DESCRIBE {name}")
    error = failure(session, f"DESCRIBE {name}@nothing")
    assert "has no branch or tag nothing" in error.message
    assert error.position is not None


def test_metadata_of_earlier_versions(session: Client, schema: str, versioned: tuple[str, list[int]]) -> None:
    _, (first, _) = versioned
    files = f'SELECT count(*) AS n FROM {schema}."t$files"'
    assert value(session, files) == 2
    assert value(session, f"{files} FOR VERSION AS OF {first}") == 1
    assert value(session, f"{files} FOR VERSION AS OF 'dev'") == 1
    missing = failure(session, f"{files} FOR VERSION AS OF 3")
    assert isinstance(missing, SqlSemanticError)
    assert missing.message == "Cannot find snapshot with ID 3"
    for kind in ("snapshots", "properties", "all_files"):
        error = failure(session, f'SELECT * FROM {schema}."t${kind}" FOR VERSION AS OF {first}')
        assert isinstance(error, SqlSemanticError)
        assert "has no earlier versions" in error.message
        assert error.position is not None
