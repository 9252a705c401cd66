"""Files behind HTTP and in object stores, on servers of this machine."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.core.errors import DeniedError, ExternalError, NotFoundError
from sqe.core.identity import Identity
from sqe.server.local import LocalEngine
from sqe.spark.file_access import FileAccess
from sqe.spark.file_settings import FileRules

from .support import Client, client_of, failure, own_engine, rows, value

CSV = b"id,name\n1,Ann\n2,Bob\n"


def parquet() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"id": list(range(1000)), "text": ["x" * 50] * 1000}), buffer, row_group_size=100)
    return buffer.getvalue()


class Web(BaseHTTPRequestHandler):
    """Serves `files`; below /whole/ without ranges or length; redirects what is in `moved`."""

    files: ClassVar[dict[str, bytes]] = {"/x.csv": CSV, "/x.parquet": parquet(), "/a b.csv": CSV}
    moved: ClassVar[dict[str, str]] = {}
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        Web.seen.append(f"{self.path} {self.headers['Range']} {self.headers['Authorization']}")
        path = self.path.partition("?")[0].replace("%20", " ")
        if path in self.moved:
            self.send_response(302)
            self.send_header("Location", self.moved[path])
            self.end_headers()
            return
        whole = path.startswith("/whole/")
        content = self.files.get(path.removeprefix("/whole"))
        if content is None:
            self.send_error(403 if path == "/secret.csv" else 404)
        elif whole:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)
        else:
            self._range(content)

    def _range(self, content: bytes) -> None:
        first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
        end = min(int(last or len(content) - 1), len(content) - 1)
        if int(first) >= len(content):
            self.send_response(416)
            self.end_headers()
            return
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{end}/{len(content)}")
        self.send_header("Content-Length", str(end + 1 - int(first)))
        self.end_headers()
        self.wfile.write(content[int(first) : end + 1])

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("folder", ["", "/whole"])
def test_http(session: Client, web: str, folder: str) -> None:
    assert rows(session, f"SELECT * FROM '{web}{folder}/x.csv'") == [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]
    assert value(session, f"SELECT sum(id) FROM '{web}{folder}/x.parquet' WHERE id > 500") == sum(range(501, 1000))
    assert value(session, f"SELECT count(*) FROM read_csv('{web}{folder}/x.csv?token=abc//d')") == 2
    assert value(session, f"SELECT count(*) FROM '{web}/a b.csv'") == 2


def test_only_what_is_needed_is_asked_for(session: Client, web: str) -> None:
    Web.seen.clear()
    assert value(session, f"SELECT count(*) FROM '{web}/x.parquet'") == 1000
    assert all("/x.parquet bytes=" in asked for asked in Web.seen)


def test_what_is_not_there(session: Client, web: str) -> None:
    assert isinstance(failure(session, f"SELECT * FROM '{web}/none.csv'"), NotFoundError)
    denied = failure(session, f"SELECT * FROM '{web}/secret.csv'")
    assert isinstance(denied, ExternalError)
    assert "403" in denied.message
    assert isinstance(failure(session, "SELECT * FROM 'http://127.0.0.1:1/x.csv'"), ExternalError)


@pytest.fixture
def strict(engine: LocalEngine) -> Iterator[Client]:
    client = Client(engine, Identity(user="ann", roles=frozenset({"reader"})))
    yield client
    client.close()


def rules(client: Client, **chosen: object) -> None:
    client.session.spark.allow_files(FileAccess(client.identity, "", FileRules.model_validate(chosen)))


def test_http_must_be_allowed(strict: Client, web: str) -> None:
    sql = f"SELECT count(*) FROM '{web}/x.csv'"
    for chosen in (
        {},
        {"allow_http": True},
        {"allow_http": True, "allowed_http_hosts": ["example.com"], "allow_private_addresses": True},
        {"allow_http": True, "allowed_http_hosts": ["*"]},
        {"allow_http": True, "allowed_http_hosts": ["127.0.0.1"]},
    ):
        rules(strict, **chosen)
        assert isinstance(failure(strict, sql), DeniedError), chosen
    rules(strict, allow_http=True, allowed_http_hosts=["127.0.0.1"], allow_private_addresses=True)
    assert value(strict, sql) == 2


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/x.csv", "http://localhost/x.csv", "http://2130706433/x.csv", "http://0x7f.1/x.csv",
        "http://10.0.0.1/x.csv", "http://192.168.1.1/x.csv", "http://172.16.0.1/x.csv", "http://0.0.0.0/x.csv",
        "HTTP://169.254.169.254/latest/x.csv", "http://[::1]/x.csv", "http://100.100.100.200/x.csv",
        "http://127.0.0.1:80/x.csv", "https://127.1/x.csv",
    ],
)  # fmt: skip
def test_addresses_of_the_inside_are_refused(strict: Client, address: str) -> None:
    rules(strict, allow_http=True, allowed_http_hosts=["*"])
    error = failure(strict, f"SELECT * FROM '{address}'")
    assert isinstance(error, DeniedError) or "there is no host" in error.message


def test_metadata_addresses_are_refused_in_any_case(session: Client) -> None:
    assert isinstance(failure(session, "SELECT * FROM 'http://169.254.169.254/x.csv'"), DeniedError)


def test_redirects_are_checked(session: Client, strict: Client, web: str) -> None:
    port = web.rpartition(":")[2]
    Web.moved["/moved.csv"] = f"http://localhost:{port}/x.csv"
    Web.moved["/inside.csv"] = "http://169.254.169.254/x.csv"
    Web.moved["/around.csv"] = "/around.csv"
    Web.moved["/file.csv"] = "file:///etc/passwd"
    assert value(session, f"SELECT count(*) FROM '{web}/moved.csv'") == 2
    assert isinstance(failure(session, f"SELECT * FROM '{web}/inside.csv'"), DeniedError)
    assert "without end" in failure(session, f"SELECT * FROM '{web}/around.csv'").message
    assert "not safe" in failure(session, f"SELECT * FROM '{web}/file.csv'").message
    rules(strict, allow_http=True, allowed_http_hosts=["127.0.0.1"], allow_private_addresses=True)
    assert isinstance(failure(strict, f"SELECT * FROM '{web}/moved.csv'"), DeniedError)


def test_users_in_addresses_are_refused(session: Client) -> None:
    error = failure(session, "SELECT * FROM 'https://me:geheim@example.com/x.csv'")
    assert "user" in error.message
    assert "geheim" not in str(error.to_dict())


def test_hugging_face_addresses(session: Client, engine: LocalEngine) -> None:
    value(session, "SELECT 1")
    url = engine.spark.jvm().gateway.jvm.sqe.jvm.HuggingFace.url
    hub = "https://huggingface.co"
    assert url("datasets/o/n/a/b.csv") == f"{hub}/datasets/o/n/resolve/main/a/b.csv"
    assert url("models/o/n@v1/b.csv") == f"{hub}/o/n/resolve/v1/b.csv"
    assert url("spaces/o/n/b.csv?revision=a/b") == f"{hub}/spaces/o/n/resolve/a%2Fb/b.csv"
    assert url("datasets/o/n@~parquet/b.parquet") == f"{hub}/datasets/o/n/resolve/refs%2Fconvert%2Fparquet/b.parquet"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("datasets/o/n@v1/b.csv?revision=v2", "twice"),
        ("things/o/n/b.csv", "hf://(datasets|models|spaces)"),
        ("datasets/o/n/*.csv", "patterns"),
    ],
)
def test_wrong_hugging_face_paths(session: Client, path: str, message: str) -> None:
    assert (
        message
        in failure(
            session, f"SELECT * FROM 'hf://{path}'" if "?" not in path else f"SELECT * FROM read_csv('hf://{path}')"
        ).message
    )


def test_the_hub_gets_its_token_and_nobody_else(web: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", web)
    monkeypatch.setenv("HF_TOKEN", "hf_geheim")
    port = web.rpartition(":")[2]
    Web.moved["/datasets/o/n/resolve/main/x.csv"] = f"http://localhost:{port}/x.csv"
    with own_engine(tmp_path) as engine:
        client = client_of(engine)
        Web.seen.clear()
        assert value(client, "SELECT count(*) FROM 'hf://datasets/o/n/x.csv'") == 2
    hub = [asked for asked in Web.seen if "/resolve/" in asked]
    others = [asked for asked in Web.seen if "/resolve/" not in asked]
    assert hub
    assert others
    assert all(asked.endswith("Bearer hf_geheim") for asked in hub)
    assert not any("hf_geheim" in asked for asked in others)


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """An S3 server with a bucket `lake`."""
    command = str(Path(sys.executable).parent / "moto_server")
    with ThreadingHTTPServer(("127.0.0.1", 0), Web) as free:
        port = free.server_port
    process = subprocess.Popen(
        [command, "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _filled(address)
        yield address
    finally:
        process.kill()
        process.wait()


def _filled(address: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            _put(f"{address}/lake", b"")
            break
        except (OSError, urllib.error.URLError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    # Other tests put more into the homes.
    plain = ("plain/ann/1.csv", "plain/ann/2.csv", "plain/bob/1.csv")
    for name in ("home/ann/1.csv", "home/ann/2.csv", "home/ann/folder/3.csv", "home/bob/1.csv", *plain):
        _put(f"{address}/lake/{name}", CSV)
    _put(f"{address}/lake/t/year=2024/x.parquet", parquet())


def _put(url: str, content: bytes) -> None:
    headers = {
        "Authorization": "AWS4-HMAC-SHA256 Credential=k/20240101/us-east-1/s3/aws4_request",
        "Content-Type": "application/octet-stream",
    }
    urllib.request.urlopen(urllib.request.Request(url, content, headers, method="PUT")).close()  # noqa: S310 - loopback


def keys(address: str) -> str:
    return (
        f"access_key => 'AKIAGEHEIM4711', secret_key => 'streng/geheim', endpoint => '{address}', region => 'us-east-1'"
    )


def test_s3(session: Client, s3: str) -> None:
    for scheme in ("s3", "s3a", "S3"):
        assert value(session, f"SELECT count(*) FROM read_csv('{scheme}://lake/home/ann/1.csv', {keys(s3)})") == 2
    assert value(session, f"SELECT count(*) FROM read_csv('s3://lake/home/ann/*.csv', {keys(s3)})") == 4
    assert value(session, f"SELECT count(*) FROM read_csv('s3://lake/plain/**/1.csv', {keys(s3)})") == 4
    assert value(session, f"SELECT count(*) FROM read_csv('s3://lake/plain', {keys(s3)})") == 6
    assert value(session, f"SELECT max(year) FROM read_parquet('s3://lake/t', {keys(s3)}) WHERE id < 10") == 2024
    assert isinstance(failure(session, f"SELECT * FROM read_csv('s3://lake/none.csv', {keys(s3)})"), NotFoundError)


def test_keys_are_shown_nowhere(session: Client, engine: LocalEngine, s3: str) -> None:
    sql = f"SELECT * FROM read_csv('s3://lake/home/ann/1.csv', {keys(s3)})"
    shown = [str(rows(session, f"EXPLAIN EXTENDED {sql}")), str(rows(session, sql))]
    missing = [sql.replace("lake/home/ann/1.csv", wrong) for wrong in ("lake/none.csv", "no-such-bucket/x.csv")]
    for broken in (*missing, sql + " WHERE nope = 1", sql.replace("region", "regiom")):
        shown.append(str(failure(session, broken).to_dict()))  # noqa: PERF401 - one after another
    shown.append(str(rows(session, "SELECT query FROM system.runtime.queries")))
    shown.append(str(rows(session, "SET")))
    shown += [path.read_text(errors="replace") for path in engine.spark.log_folder.iterdir() if path.is_file()]
    for text in shown:
        assert "GEHEIM4711" not in text
        assert "streng/geheim" not in text
    assert "[REDACTED]" in "".join(shown)


def test_a_view_keeps_no_keys(session: Client, schema: str, s3: str) -> None:
    sql = f"CREATE VIEW {schema}.v AS SELECT * FROM read_csv('s3://lake/home/ann/1.csv', {keys(s3)})"
    assert "credentials" in failure(session, sql).message


def test_rows_can_be_kept(session: Client, schema: str, s3: str) -> None:
    rows(session, f"CREATE TABLE {schema}.t AS SELECT * FROM read_csv('s3://lake/home/ann/1.csv', {keys(s3)})")
    assert value(session, f"SELECT count(*) FROM {schema}.t") == 2


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("s3://lake/home/ann/1.csv", True),
        ("s3a://lake/home/ann/*.csv", True),
        ("s3://lake//home/ann/1.csv", True),
        ("s3://lake/home/bob/1.csv", False),
        ("s3://lake/home/a*/1.csv", False),
        ("s3://lake/home/ann/folder", True),
        ("s3://lake/home/annabel/1.csv", False),
        ("s3://lake/home/**/1.csv", False),
        ("s3://other/home/ann/1.csv", False),
        ("gs://lake/home/ann/1.csv", False),
    ],
)
def test_prefixes(strict: Client, s3: str, path: str, allowed: bool) -> None:
    chosen: dict[str, object] = {
        "allow_http": True,
        "allowed_http_hosts": ["127.0.0.1"],
        "allow_private_addresses": True,
    }
    rules(strict, allowed_object_store_prefixes=["s3://lake/home/{user}/"], **chosen)
    sql = f"SELECT count(*) FROM read_csv('{path}', {keys(s3)})"
    if allowed:
        assert value(strict, sql) >= 2
    else:
        assert isinstance(failure(strict, sql), DeniedError)
        rules(strict, object_store_admin_roles=["reader"], **chosen)
        assert not isinstance(_answer(strict, sql), DeniedError)


def _answer(client: Client, sql: str) -> object:
    try:
        return value(client, sql)
    except Exception as error:  # noqa: BLE001 - which one it is, the test looks at
        return error


def test_parts_that_lead_out_are_refused(strict: Client, s3: str) -> None:
    rules(strict, allow_http=True, allowed_http_hosts=["*"], allow_private_addresses=True,
          allowed_object_store_prefixes=["s3://lake/home/ann"])  # fmt: skip
    error = failure(strict, f"SELECT * FROM read_csv('s3://lake/home/ann/../bob/1.csv', {keys(s3)})")
    assert "may not hold the part .." in error.message


def test_a_delta_table_leads_nowhere_else(strict: Client, s3: str, tmp_path: Path) -> None:
    """The log of a Delta table names files; whoever writes one could name those of others."""
    schema = json.dumps(
        {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
    )
    about = {
        "id": "t", "format": {"provider": "parquet", "options": {}}, "schemaString": schema, "partitionColumns": [],
        "configuration": {}, "createdTime": 1_700_000_000_000,
    }  # fmt: skip
    (tmp_path / "x.parquet").write_bytes(parquet())
    _put(f"{s3}/lake/home/bob/x.parquet", parquet())
    for number, path in enumerate(("x.parquet", "s3://lake/home/bob/x.parquet", (tmp_path / "x.parquet").as_uri())):
        add = {
            "path": path, "partitionValues": {}, "size": len(parquet()), "modificationTime": 1, "dataChange": True,
        }  # fmt: skip
        actions = [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": about}, {"add": add}]
        table = f"lake/home/ann/d{number}"
        _put(f"{s3}/{table}/x.parquet", parquet())
        _put(f"{s3}/{table}/_delta_log/{0:020}.json", "\n".join(map(json.dumps, actions)).encode())
    rules(strict, allow_http=True, allowed_http_hosts=["127.0.0.1"], allow_private_addresses=True,
          allowed_object_store_prefixes=["s3://lake/home/{user}"])  # fmt: skip
    sql = f"SELECT count(id) FROM read_delta('s3://lake/home/ann/d%s', {keys(s3)})"
    assert value(strict, sql % 0) == 1000
    for number in (1, 2):
        assert isinstance(failure(strict, sql % number), DeniedError)


def test_credentials_in_statements_can_be_forbidden(strict: Client, s3: str) -> None:
    rules(strict, allowed_object_store_prefixes=["*"], allow_inline_credentials=False)
    assert isinstance(failure(strict, f"SELECT * FROM read_csv('s3://lake/home/ann/1.csv', {keys(s3)})"), DeniedError)


def test_an_endpoint_of_the_inside_is_refused(strict: Client, s3: str) -> None:
    rules(strict, allowed_object_store_prefixes=["*"], allow_http=True, allowed_http_hosts=["*"])
    assert isinstance(failure(strict, f"SELECT * FROM read_csv('s3://lake/home/ann/1.csv', {keys(s3)})"), DeniedError)
