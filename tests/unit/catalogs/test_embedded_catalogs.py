from __future__ import annotations

from pathlib import Path

import pytest

from sqe.catalogs.embedded import EmbeddedMounts, Warehouses
from sqe.core.errors import ConfigError


def test_default_is_one_catalog_named_iceberg(tmp_path: Path) -> None:
    assert dict(Warehouses.of({}, memory=False, default=tmp_path).folders) == {"iceberg": tmp_path}


def test_memory_has_no_folders(tmp_path: Path) -> None:
    assert dict(Warehouses.of({}, memory=True, default=tmp_path).folders) == {}


def test_the_key_follows_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    real = Warehouses.of({"a": tmp_path / "real"}, memory=False, default=tmp_path)
    link = Warehouses.of({"a": tmp_path / "link"}, memory=False, default=tmp_path)
    assert real.key() == link.key()


def test_a_file_is_no_warehouse(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot be used"):
        Warehouses.of({"a": tmp_path / "file"}, memory=False, default=tmp_path).prepare()


def test_every_session_has_its_own_memory(tmp_path: Path) -> None:
    warehouses = Warehouses.of({"a": tmp_path}, memory=False, default=tmp_path)
    one, two = (EmbeddedMounts(warehouses).conf(tmp_path / name, "") for name in ("one", "two"))
    differing = {key for key in one if one[key] != two[key]}
    assert differing == {"spark.sql.catalog.default.warehouse"}
    assert one["spark.sql.defaultCatalog"] == "default"
