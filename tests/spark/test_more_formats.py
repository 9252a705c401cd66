"""Formats whose jars are fetched when the first statement needs them: Avro and Delta."""

from __future__ import annotations

import json
import os
import string
import struct
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.core.errors import NotFoundError, SqlSemanticError

from .support import Client, failure, rows, table, value


def test_avro(session: Client, schema: str) -> None:
    table(session, f"CREATE TABLE {schema}.t AS SELECT 1 AS a")
    manifest = value(session, f'SELECT path FROM {schema}."t$manifests"')
    assert value(session, f"SELECT count(*) FROM read_avro('{manifest}')") == 1
    assert value(session, f"SELECT data_file.record_count FROM '{manifest}'") == 1


@pytest.fixture
def delta(tmp_path: Path) -> Path:
    """A Delta table of two versions: one row, then two."""
    folder = tmp_path / "delta"
    (folder / "_delta_log").mkdir(parents=True)
    schema = json.dumps({"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": True, "metadata": {}}]})
    about = {
        "id": "t", "format": {"provider": "parquet", "options": {}}, "schemaString": schema, "partitionColumns": [],
        "configuration": {}, "createdTime": 1_700_000_000_000,
    }  # fmt: skip
    first = [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": about}]
    for version, actions in enumerate((first, [])):
        data = folder / f"part-{version}.parquet"
        pq.write_table(pa.table({"a": [version + 1]}), data)
        add = {
            "path": data.name, "partitionValues": {}, "size": data.stat().st_size,
            "modificationTime": 1_700_000_000_000, "dataChange": True,
        }  # fmt: skip
        lines = [json.dumps(action) for action in [*actions, {"add": add}]]
        (folder / "_delta_log" / f"{version:020}.json").write_text("\n".join(lines) + "\n")
    return folder


def test_delta(session: Client, delta: Path) -> None:
    assert rows(session, f"SELECT a FROM read_delta('{delta}') ORDER BY a") == [{"a": 1}, {"a": 2}]
    assert rows(session, f"SELECT a FROM read_delta('{delta}', version => 0)") == [{"a": 1}]
    far = failure(session, f"SELECT a FROM read_delta('{delta}', version => 7)")
    assert "version" in far.message
    assert "line 1" not in far.message


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("2024-01-01T00:00:00Z", [1]),
        ("2024-01-15T12:00:00+02:00", [1]),
        ("2024-01-31T23:59:59.999Z", [1]),
        ("2024-02-01T00:00:00Z", [1, 2]),
        ("2024-02-01T01:59:59+02:00", [1]),
        ("2099-01-01T00:00:00Z", [1, 2]),
    ],
)
def test_delta_at_a_moment(session: Client, delta: Path, moment: str, expected: list[int]) -> None:
    _date_versions(delta)
    sql = f"SELECT a FROM read_delta('{delta}', timestamp => '{moment}') ORDER BY a"
    assert [row["a"] for row in rows(session, sql)] == expected


def test_delta_before_its_first_version(session: Client, delta: Path) -> None:
    _date_versions(delta)
    for moment in ("2001-01-01T00:00:00Z", "2023-12-31T23:59:59Z", "2024-01-01T01:00:00+02:00"):
        error = failure(session, f"SELECT a FROM read_delta('{delta}', timestamp => '{moment}')")
        assert isinstance(error, SqlSemanticError)
        assert "no version of this timestamp or before" in error.message
        assert "2024-01-01T00:00:00Z" in (error.hint or "")
        assert error.position


def _date_versions(delta: Path) -> None:
    """Delta goes by the times of the files of its log."""
    for version, day in enumerate((datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC))):
        os.utime(delta / "_delta_log" / f"{version:020}.json", (day.timestamp(), day.timestamp()))


def _deleted(row: int) -> str:
    """Delta's text for a bitmap in which one row of a file is deleted."""
    bitmap = struct.pack("<iiHHIH", 12346, 1, 0, 0, 16, row)
    data = struct.pack("<iqi", 1681511377, 1, 0) + bitmap
    letters = string.digits + string.ascii_lowercase + string.ascii_uppercase + ".-:+=^!/*?&<>()[]{}@%$#"
    padded = data + bytes(-len(data) % 4)
    words = struct.unpack(f">{len(padded) // 4}I", padded)
    return "".join(letters[word // 85**place % 85] for word in words for place in (4, 3, 2, 1, 0))


def test_deleted_rows_of_delta(session: Client, delta: Path) -> None:
    log = delta / "_delta_log" / f"{0:020}.json"
    protocol, about, add = [json.loads(line) for line in log.read_text().splitlines()]
    features = ["deletionVectors"]
    protocol["protocol"] = {
        "minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features, "writerFeatures": features,
    }  # fmt: skip
    pq.write_table(pa.table({"a": [10, 20, 30]}), delta / "part-0.parquet")
    vector = {"storageType": "i", "pathOrInlineDv": _deleted(1), "sizeInBytes": 34, "cardinality": 1}
    stats = json.dumps({"numRecords": 3})
    add["add"] |= {"size": (delta / "part-0.parquet").stat().st_size, "deletionVector": vector, "stats": stats}
    log.write_text("\n".join(json.dumps(line) for line in (protocol, about, add)) + "\n")
    assert rows(session, f"SELECT a FROM read_delta('{delta}', version => 0) ORDER BY a") == [{"a": 10}, {"a": 30}]
    assert value(session, f"SELECT count(*) FROM read_delta('{delta}', version => 0)") == 2


def test_what_is_no_delta_table(session: Client, tmp_path: Path) -> None:
    assert isinstance(failure(session, f"SELECT * FROM read_delta('{tmp_path}/nothing')"), NotFoundError)
