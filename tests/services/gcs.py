"""gcp-storage-emulator: Google's storage interface in memory. It asks nobody for a token."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyarrow import fs

from .fetch import fetch_wheels
from .process import free_port, running


@dataclass(frozen=True)
class Gcs:
    """A running server."""

    endpoint: str

    def fill(self, bucket: str, files: Mapping[str, bytes]) -> None:
        """Make a bucket and put files into it."""
        address = self.endpoint.removeprefix("http://")
        client = fs.GcsFileSystem(anonymous=True, scheme="http", endpoint_override=address, project_id="tests")
        client.create_dir(bucket)
        for name, content in files.items():
            with client.open_output_stream(f"{bucket}/{name}", compression=None) as out:
                out.write(content)


@contextmanager
def gcs_server(folder: Path) -> Iterator[Gcs]:
    """A server; `folder` takes its log."""
    packages = fetch_wheels("gcp-storage-emulator", "2026.7.19")
    port = free_port()
    server = Gcs(f"http://127.0.0.1:{port}")
    command = [
        sys.executable, "-m", "gcp_storage_emulator", "start", "--in-memory", "--host", "127.0.0.1",
        "--port", str(port),
    ]  # fmt: skip
    with running("gcp-storage-emulator", command, server.endpoint, folder / "gcs.log", {"PYTHONPATH": str(packages)}):
        yield server
