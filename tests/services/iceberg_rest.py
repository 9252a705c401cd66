"""The reference server of Iceberg's REST catalogs, over SQLite. It checks no tokens: a proxy in front records them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .fetch import MavenFile, fetch_maven, java
from .process import free_port, running

SERVER = MavenFile(
    "org.apache.iceberg",
    "iceberg-open-api",
    "1.10.1",
    sha256="09e6aef58984eaa58bf1e1bc5193ad023e929c6bfd38c82db7b83ffe825af724",
)


@contextmanager
def iceberg_rest_server(folder: Path) -> Iterator[str]:
    """The address of a server whose tables and log are in `folder`."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    settings = {
        "CATALOG_CATALOG__IMPL": "org.apache.iceberg.jdbc.JdbcCatalog",
        "CATALOG_URI": f"jdbc:sqlite:file:{folder}/catalog.db",
        "CATALOG_JDBC_USER": "u",
        "CATALOG_JDBC_PASSWORD": "p",
        "CATALOG_JDBC_SCHEMA__VERSION": "V1",
        "CATALOG_WAREHOUSE": f"file://{folder}/tables",
        "CATALOG_REST_PORT": str(port),
    }
    command: list[str | Path] = [java(), "-Xmx512m", "-jar", fetch_maven(SERVER)]
    with running("the Iceberg REST server", command, f"{address}/v1/config", folder / "iceberg-rest.log", settings):
        yield address
