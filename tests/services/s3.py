"""S3Proxy: an S3 server that checks signatures; its buckets are in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import boto3
from botocore.config import Config

from .fetch import MavenFile, fetch_maven, java
from .process import free_port, running

_PROGRAM = MavenFile(
    "org.gaul",
    "s3proxy",
    "2.7.0",
    "f3ff95bd78a7afbbcd5da56f8f6180ef71ad00601392f7e2f5a220c97ad69eef",
    classifier="jar-with-dependencies",
)


@dataclass(frozen=True)
class S3:
    """A running server."""

    endpoint: str
    access_key: str = "AKIDofTheTests"
    secret_key: str = "secret/of+the=tests"

    def fill(self, bucket: str, files: Mapping[str, bytes]) -> None:
        """Make a bucket and put files into it."""
        checksums = Config(request_checksum_calculation="when_required")  # type: ignore[no-untyped-call]
        client = boto3.client(  # type: ignore[no-untyped-call]
            "s3", endpoint_url=self.endpoint, aws_access_key_id=self.access_key, region_name="us-east-1",
            aws_secret_access_key=self.secret_key, config=checksums,
        )  # fmt: skip
        client.create_bucket(Bucket=bucket)
        for name, content in files.items():
            client.put_object(Bucket=bucket, Key=name, Body=content)
        client.close()


@contextmanager
def s3_server(folder: Path) -> Iterator[S3]:
    """A server; `folder` takes its settings and its log."""
    program = fetch_maven(_PROGRAM)
    server = S3(f"http://127.0.0.1:{free_port()}")
    settings = {
        "s3proxy.authorization": "aws-v2-or-v4",
        "s3proxy.endpoint": server.endpoint,
        "s3proxy.identity": server.access_key,
        "s3proxy.credential": server.secret_key,
        # Clients ask for checksums, which it does not have.
        "s3proxy.ignore-unknown-headers": "true",
        "jclouds.provider": "transient-nio2",
        "jclouds.identity": "unused",
        "jclouds.credential": "unused",
    }
    config = folder / "s3proxy.properties"
    config.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), encoding="utf-8")
    command: list[str | Path] = [
        java(), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", program, "--properties", config,
    ]  # fmt: skip
    with running("S3Proxy", command, server.endpoint, folder / "s3proxy.log"):
        yield server
