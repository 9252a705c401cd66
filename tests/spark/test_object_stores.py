"""Files in object stores, on servers that check keys where there is one: S3Proxy, Azurite, gcp-storage-emulator."""

from __future__ import annotations

import base64
import gzip
import hashlib
import hmac
import io
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.services.azure import Azure, azure_server
from tests.services.gcs import Gcs, gcs_server
from tests.services.s3 import S3, s3_server

from sqe.core.errors import DeniedError, ExternalError, NotFoundError, NotSupportedError, SqlSemanticError
from sqe.server.local import LocalEngine
from sqe.spark.file_access import FileAccess
from sqe.spark.file_settings import FileRules

from .support import Client, failure, rows, value

CSV = b"id,name\n1,Ann\n2,Bob\n"


def parquet() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"id": list(range(1000)), "text": ["x" * 50] * 1000}), buffer, row_group_size=100)
    return buffer.getvalue()


FILES = {
    "csv/1.csv": CSV,
    "csv/2.csv": CSV,
    "csv/deep/3.csv": CSV,
    "csv/zipped/4.csv.gz": gzip.compress(CSV),
    "odd/it's 100%41 ü+&=.csv": CSV,
    "json/1.jsonl": b'{"a": 1}\n{"a": 2}\n',
    "t/year=2023/x.parquet": parquet(),
    "t/year=2024/x.parquet": parquet(),
    # Some writers leave an empty file of the folder's name beside it.
    "marked": b"",
    "marked/1.csv": CSV,
    "empty.csv": b"",
}


@dataclass(frozen=True)
class Store:
    """A store that holds `FILES` in the bucket `lake`."""

    scheme: str
    keys: str
    wrong_keys: tuple[str, ...] = ()

    def read(
        self, reader: str, path: str, keys: str | None = None, what: str = "count(*)", bucket: str = "lake"
    ) -> str:
        path = path.replace("'", "''")
        return f"SELECT {what} FROM {reader}('{self.scheme}://{bucket}/{path}', {keys or self.keys})"


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[S3, Gcs, Azure]]:
    folder = tmp_path_factory.mktemp("stores")
    with ExitStack() as stack:
        found = (
            stack.enter_context(s3_server(folder)),
            stack.enter_context(gcs_server(folder)),
            stack.enter_context(azure_server(folder)),
        )
        for server in found:
            # The emulator of Google's keeps names as files do: one is a file or a folder.
            mine = {name: content for name, content in FILES.items() if name != "marked" or isinstance(server, Azure)}
            server.fill("lake", mine)
        yield found


@pytest.fixture(params=["s3", "gs", "az"])
def store(servers: tuple[S3, Gcs, Azure], request: pytest.FixtureRequest) -> Store:
    s3, gcs, azure = servers
    if request.param == "s3":
        return s3_store(s3)
    if request.param == "gs":
        return Store("gs", f"endpoint => '{gcs.endpoint}'")
    return azure_store(azure)


def s3_store(s3: S3) -> Store:
    end = f"endpoint => '{s3.endpoint}'"
    return Store(
        "s3",
        f"access_key => '{s3.access_key}', secret_key => '{s3.secret_key}', {end}",
        (
            f"access_key => '{s3.access_key}', secret_key => 'streng/geheim', {end}",
            f"access_key => 'AKIAGEHEIM4711', secret_key => '{s3.secret_key}', {end}",
        ),
    )


def azure_store(azure: Azure) -> Store:
    end = f"azure_account => '{azure.account}', endpoint => '{azure.endpoint}'"
    wrong = base64.b64encode(b"streng geheim").decode()
    return Store("az", f"azure_access_key => '{azure.key}', {end}", (f"azure_access_key => '{wrong}', {end}",))


def test_reading(session: Client, store: Store) -> None:
    assert rows(session, store.read("read_csv", "csv/1.csv", what="*")) == [
        {"id": 1, "name": "Ann"},
        {"id": 2, "name": "Bob"},
    ]
    assert value(session, store.read("read_csv", "csv/*.csv")) == 4
    assert value(session, store.read("read_csv", "csv/**")) == 8
    assert value(session, store.read("read_csv", "csv/{deep,zipped}/*")) == 4
    assert value(session, store.read("read_csv", "csv")) == 8
    assert value(session, store.read("read_csv", "odd/it's 100%41 ü+&=.csv")) == 2
    assert value(session, store.read("read_json", "json/*.jsonl", what="sum(a)")) == 3
    assert rows(session, store.read("read_parquet", "t", what="sum(id) AS s, min(year) AS y") + " WHERE id > 500") == [
        {"s": 2 * sum(range(501, 1000)), "y": 2023}
    ]
    assert value(session, store.read("read_parquet", "t/*/x.parquet") + " WHERE year = 2024") == 1000


def test_a_folder_with_an_empty_file_of_its_name(session: Client, servers: tuple[S3, Gcs, Azure]) -> None:
    store = azure_store(servers[2])
    assert value(session, store.read("read_csv", "marked")) == 2
    assert value(session, store.read("read_csv", "mark*/*.csv")) == 2


def test_what_is_not_there(session: Client, store: Store) -> None:
    for path in ("none.csv", "csv/*.txt", "csv/1.csv/2.csv"):
        error = failure(session, store.read("read_csv", path))
        assert isinstance(error, NotFoundError), path
        assert "there is no file" in error.message
    error = failure(session, store.read("read_csv", "1.csv", bucket="no-such-bucket"))
    assert isinstance(error, NotFoundError)
    assert "no-such-bucket" in error.message
    assert "there is nothing in" in failure(session, store.read("read_csv", "empty.csv")).message


def test_wrong_keys(session: Client, engine: LocalEngine, servers: tuple[S3, Gcs, Azure]) -> None:
    s3, _, azure = servers
    for store in (s3_store(s3), azure_store(azure)):
        for keys in store.wrong_keys:
            for path in ("csv/1.csv", "csv/*.csv", "csv", "none.csv"):
                error = failure(session, store.read("read_csv", path, keys))
                assert isinstance(error, ExternalError), path
                assert "refuses the keys (403)" in error.message
                assert "lake" in error.message
                assert error.hint
                _has_no_key(str(error.to_dict()), keys, s3, azure)
    for log in engine.spark.log_folder.iterdir():
        _has_no_key(log.read_text(errors="replace"), "", s3, azure)


def _has_no_key(text: str, keys: str, s3: S3, azure: Azure) -> None:
    inline = [part.split("'")[1] for part in keys.split(", ") if "_key" in part]
    for secret in (s3.secret_key, azure.key, "streng/geheim", "GEHEIM4711", *inline):
        assert secret not in text


def test_s3_without_keys_or_region(session: Client, servers: tuple[S3, Gcs, Azure]) -> None:
    s3 = servers[0]
    error = failure(session, f"SELECT * FROM read_csv('s3://lake/csv/1.csv', endpoint => '{s3.endpoint}')")
    assert isinstance(error, ExternalError)
    assert error.message.endswith("there are no keys for s3://lake")
    assert "access_key" in (error.hint or "")
    error = failure(session, "SELECT * FROM read_csv('s3://lake/x.csv', access_key => 'a', secret_key => 'b')")
    assert isinstance(error, ExternalError)
    assert error.message.endswith("it is not known in which region s3://lake is")
    assert "region =>" in (error.hint or "")


def test_azure_by_its_other_spellings(session: Client, servers: tuple[S3, Gcs, Azure]) -> None:
    azure = servers[2]
    keys = f"azure_access_key => '{azure.key}', endpoint => '{azure.endpoint}'"
    host = f"{azure.account}.dfs.core.windows.net"
    for place in (f"abfss://lake@{host}", f"abfs://lake@{host}", f"azure://lake@{host}"):
        assert value(session, f"SELECT count(*) FROM read_csv('{place}/csv/*.csv', {keys})") == 4
    named = f"SELECT count(*) FROM read_csv('azure://lake/csv/1.csv', {keys}, azure_account => '{azure.account}')"
    assert value(session, named) == 2
    assert "azure_account" in (failure(session, f"SELECT * FROM read_csv('az://lake/x.csv', {keys})").hint or "")
    error = failure(session, "SELECT * FROM read_csv('az://l/x.csv', azure_account => 'a', azure_access_key => 'x')")
    assert isinstance(error, SqlSemanticError)
    assert "Base64" in error.message


def test_azure_with_a_token(session: Client, servers: tuple[S3, Gcs, Azure]) -> None:
    azure = servers[2]
    store = azure_store(azure)
    for token in (_sas(azure, "rl"), "?" + _sas(azure, "rl")):
        keys = f"azure_account => '{azure.account}', endpoint => '{azure.endpoint}', azure_sas_token => '{token}'"
        assert value(session, store.read("read_csv", "csv/*.csv", keys)) == 4
    token = _sas(azure, "w")
    keys = f"azure_account => '{azure.account}', endpoint => '{azure.endpoint}', azure_sas_token => '{token}'"
    error = failure(session, store.read("read_csv", "csv/1.csv", keys))
    assert "refuses the keys (403)" in error.message
    assert token not in str(error.to_dict())


def _sas(azure: Azure, rights: str) -> str:
    """A token for all blobs of the account, as Azure's manual says how to sign it."""
    fields = [azure.account, rights, "b", "sco", "", "2099-01-01T00:00:00Z", "", "http,https", "2022-11-02", "", ""]
    signed = hmac.new(base64.b64decode(azure.key), "\n".join(fields).encode(), hashlib.sha256).digest()
    signature = quote(base64.b64encode(signed).decode(), safe="")
    return f"sv=2022-11-02&ss=b&srt=sco&sp={rights}&se=2099-01-01T00:00:00Z&spr=http,https&sig={signature}"


class Gate(BaseHTTPRequestHandler):
    """Gives out a token for a signed wish, and lets nobody to Google's emulator without it."""

    behind: ClassVar[str] = ""
    wishes: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        wish = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())["assertion"][0]
        Gate.wishes.append(json.loads(base64.urlsafe_b64decode(wish.split(".")[1] + "==")))
        self._answer(200, json.dumps({"access_token": "token-4711", "expires_in": 3600}).encode())

    def do_GET(self) -> None:
        if self.headers["Authorization"] != "Bearer token-4711":
            self._answer(401, b"{}")
            return
        asked = {name: self.headers[name] for name in ("Range",) if name in self.headers}
        try:
            with urllib.request.urlopen(urllib.request.Request(Gate.behind + self.path, headers=asked)) as found:  # noqa: S310
                self._answer(found.status, found.read())
        except urllib.error.HTTPError as error:
            self._answer(error.code, error.read())

    def do_HEAD(self) -> None:
        self._answer(301, b"")

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def gate(servers: tuple[S3, Gcs, Azure]) -> Iterator[str]:
    Gate.behind = servers[1].endpoint
    Gate.wishes.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Gate)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def service_account(gate: str, **changes: str) -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    shown = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    facts = {
        "type": "service_account", "project_id": "tests", "private_key_id": "1", "private_key": shown,
        "client_email": "reader@tests", "client_id": "1", "token_uri": f"{gate}/token",
    }  # fmt: skip
    return json.dumps(facts | changes)


def test_google_service_accounts(session: Client, gate: str, tmp_path: Path) -> None:
    key = service_account(gate)
    path = tmp_path / "key.json"
    path.write_text(key)
    for option in (f"gcs_service_account_key => '{key}'", f"gcs_service_account_path => '{path}'"):
        store = Store("gs", f"{option}, endpoint => '{gate}'")
        assert value(session, store.read("read_csv", "csv/*.csv")) == 4
        assert value(session, store.read("read_parquet", "t")) == 2000
    assert {wish["iss"] for wish in Gate.wishes} == {"reader@tests"}
    assert all(wish["scope"].endswith("devstorage.read_only") for wish in Gate.wishes)
    error = failure(session, Store("gs", f"endpoint => '{gate}'").read("read_csv", "csv/1.csv"))
    assert isinstance(error, ExternalError)
    assert "gs://lake wants keys (401)" in error.message


def test_google_keys_that_cannot_be_used(session: Client, gate: str) -> None:
    # The second kind can name commands and files to get a token from.
    for changes in ({"private_key": "geheim"}, {"type": "external_account"}, {"token_uri": "geheim:"}):
        key = service_account(gate, **changes)
        error = failure(session, Store("gs", f"gcs_service_account_key => '{key}'").read("read_csv", "csv/1.csv"))
        assert "the key of the Google service account cannot be used" in error.message, changes
        assert "PRIVATE KEY" not in str(error.to_dict())
        assert "geheim" not in str(error.to_dict())
    assert not Gate.wishes


def test_where_a_google_key_asks_for_tokens_must_be_allowed(session: Client, gate: str) -> None:
    for giver in ("http://169.254.169.254/token", f"{gate}/token"):
        chosen = {"allowed_object_store_prefixes": ["*"], "allow_inline_credentials": True, "allow_http": True}
        rules = FileRules.model_validate(chosen | {"allowed_http_hosts": ["*"]})
        session.session.spark.allow_files(FileAccess(session.identity, "", rules))
        key = service_account(gate, token_uri=giver)
        error = failure(session, Store("gs", f"gcs_service_account_key => '{key}'").read("read_csv", "csv/1.csv"))
        assert isinstance(error, DeniedError), giver
    assert not Gate.wishes


def test_s3_in_another_region(session: Client, gate: str) -> None:
    keys = f"access_key => 'a', secret_key => 'b', endpoint => '{gate}'"
    error = failure(session, Store("s3", keys).read("read_csv", "csv/1.csv"))
    assert "s3://lake is in another region (301)" in error.message
    assert "region =>" in (error.hint or "")


@pytest.mark.parametrize(
    "place", ["s3://lake/x.csv", "gs://lake/x.csv", "az://lake/x.csv", "https://example.com/x.csv"]
)
def test_copy_goes_to_local_files_only(session: Client, place: str) -> None:
    error = failure(session, f"COPY (SELECT 1 AS a) TO '{place}'")
    assert isinstance(error, NotSupportedError)
    assert "local files" in error.message
