"""Azurite: Azure's blob interface in memory, with checked keys. It has no `dfs` interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyarrow import fs

from .fetch import fetch_npm
from .process import free_port, running


@dataclass(frozen=True)
class Azure:
    """A running server. Its one account is called as in every Azurite; the key is the one that its manual prints."""

    address: str
    account: str = "devstoreaccount1"
    key: str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    @property
    def endpoint(self) -> str:
        """The account's address: the name is in the path, as loopback has no names below it."""
        return f"http://{self.address}/{self.account}"

    def fill(self, container: str, files: Mapping[str, bytes]) -> None:
        """Make a container and put files into it."""
        client = fs.AzureFileSystem(  # type: ignore[call-arg]  # the stubs have old names
            self.account, account_key=self.key, blob_storage_scheme="http", dfs_storage_scheme="http",
            blob_storage_authority=self.address, dfs_storage_authority=self.address,
        )  # fmt: skip
        client.create_dir(container)
        for name, content in files.items():
            with client.open_output_stream(f"{container}/{name}", compression=None) as out:
                out.write(content)


@contextmanager
def azure_server(folder: Path) -> Iterator[Azure]:
    """A server; `folder` takes its log."""
    node, package = fetch_npm("azurite", "3.37.0")
    port = free_port()
    server = Azure(f"127.0.0.1:{port}")
    command: list[str | Path] = [
        node, package / "dist" / "src" / "blob" / "main.js", "--inMemoryPersistence", "--skipApiVersionCheck",
        "--loose", "--silent", "--disableTelemetry", "--blobHost", "127.0.0.1", "--blobPort", str(port),
    ]  # fmt: skip
    with running("Azurite", command, f"http://{server.address}/", folder / "azurite.log"):
        yield server
