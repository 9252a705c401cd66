"""Who asks, from where, and with which headers; what is not understood is refused with the right status."""

from __future__ import annotations

import base64
import json
from typing import Any, NoReturn
from urllib.parse import quote_plus

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from starlette.datastructures import Headers

from sqe.auth.credentials import Caller
from sqe.auth.external import Begun, Done, Failed, Pending, Poll
from sqe.core.errors import InternalError, NotFoundError, Position, SqeError, SqlSyntaxError, UserError
from sqe.endpoints.trino_http.base_url import Proxies
from sqe.endpoints.trino_http.request_headers import client_request, prepared_header
from sqe.endpoints.trino_http.settings import TrinoSettings
from sqe.query.lifecycle import Query

from .conftest import World, basic

_LIMIT = 10_000


def test_without_credentials_nobody_is_let_in(world: World) -> None:
    answer = world.client.post("/v1/statement", content="SELECT 1")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Basic realm="SQE"'
    assert world.works == []


def test_wrong_credentials_tell_nothing(world: World) -> None:
    wrong = {"Authorization": "Basic " + base64.b64encode(b"alice:hunter2").decode()}
    answer = world.client.post("/v1/statement", content="SELECT 1", headers=wrong)
    assert answer.status_code == 401
    assert "alice" not in answer.text
    assert "hunter2" not in answer.text


def test_refusals_are_logged_without_secrets(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    world.client.get("/v1/statement/queued/x/slug-7731/1", headers={"Authorization": "Bearer hunter2"})
    world.post("SELECT 'secret-9'", x_trino_user="bob")
    ours = [record for record in caplog.records if record.name.startswith("sqe")]
    facts = [vars(record).get("facts", {}) for record in ours if record.getMessage() == "request refused"]
    assert [fact["status"] for fact in facts] == [401, 403]
    told = " ".join(f"{record.getMessage()} {vars(record).get('facts')}" for record in ours)
    assert not [secret for secret in ("hunter2", "slug-7731", "secret-9") if secret in told]


def test_tokens_count_for_more_than_passwords(world: World) -> None:
    both = [("Authorization", basic("bob")["Authorization"]), ("Authorization", "Bearer t-alice")]
    assert world.client.post("/v1/statement", content="SELECT 1", headers=both).status_code == 200
    assert world.works[0].login.identity.user == "alice"


@pytest.mark.parametrize(
    "value", ["Basic !!!", "Basic " + base64.b64encode(b"nocolon").decode(), "Digest x", "Bearer "]
)
def test_unreadable_credentials(world: World, value: str) -> None:
    answer = world.client.post("/v1/statement", content="SELECT 1", headers={"Authorization": value})
    assert answer.status_code == 400


def test_an_identity_provider_that_is_away(world: World) -> None:
    answer = world.post("SELECT 1", "away")
    assert answer.status_code == 503
    assert "retry-after" in answer.headers


@pytest.mark.parametrize("name", ["x_trino_user", "x_trino_original_user"])
def test_nobody_acts_as_somebody_else(world: World, name: str) -> None:
    assert world.post("SELECT 1", **{name: "bob"}).status_code == 403
    assert world.post("SELECT 1", **{name: "alice"}).status_code == 200
    assert world.post("SELECT 1", **{name: "Alice"}).status_code == 403


@pytest.mark.parametrize(
    ("role", "status"),
    [
        ("system=ALL", 200),
        ("system=NONE, lake=ALL", 200),
        ("system=ROLE%7Breader%7D", 200),
        ("system=ROLE{boss}", 403),
        ("system=ROLE{}", 400),
        ("system=boss", 400),
    ],
)
def test_roles(world: World, role: str, status: int) -> None:
    assert world.post("SELECT 1", x_trino_role=role).status_code == status


def test_people_may_name_themselves_as_they_typed_it(world: World) -> None:
    assert world.post("SELECT 1", "number", x_trino_user="number").status_code == 200
    assert world.works[0].login.identity.user == "7"
    assert world.post("SELECT 1", "number", x_trino_user="7").status_code == 200
    assert world.post("SELECT 1", "number", x_trino_user="Number Seven").status_code == 200
    assert world.post("SELECT 1", "number", x_trino_user="alice").status_code == 403


def test_transactions_are_refused(world: World) -> None:
    assert world.post("SELECT 1", x_trino_transaction_id="NONE").status_code == 200
    answer = world.post("SELECT 1", x_trino_transaction_id="3f2c")
    assert answer.status_code == 400
    assert "transactions" in answer.text


def test_headers_become_the_state_of_the_client(world: World) -> None:
    world.post(
        "SELECT 1",
        x_trino_catalog='it\'s "odd"; DROP',
        x_trino_schema="s",
        x_trino_time_zone="Europe/Amsterdam",
        x_trino_session="b=2%2C3, a=1",
        x_trino_prepared_statement="q=SELECT+%3F%2C+%27a%2Cb%27",
        x_trino_source="test",
    )
    said = world.works[0].said
    assert (said.catalog, said.schema, said.time_zone) == ('it\'s "odd"; DROP', "s", "Europe/Amsterdam")
    assert said.properties == (("a", "1"), ("b", "2,3"))
    assert said.prepared == {"q": "SELECT ?, 'a,b'"}


@pytest.mark.parametrize(
    "headers",
    [
        {"x_trino_schema": "s"},
        {"x_trino_time_zone": "'; DROP"},
        {"x_trino_session": "novalue"},
        {"x_trino_session": "=1"},
        {"x_trino_prepared_statement": "q=%24zlib%3Abroken"},
        {"x_trino_catalog": "a\x1fb"},
        {"x_trino_max_wait": "soon"},
    ],
    ids=str,
)
def test_headers_that_cannot_be_read(world: World, headers: dict[str, str]) -> None:
    assert world.post("SELECT 1", **headers).status_code == 400
    assert world.works == []


def test_names_in_other_alphabets(world: World) -> None:
    raw = [(b"authorization", basic("alice")["Authorization"].encode()), (b"x-trino-catalog", "grün".encode())]
    assert world.client.post("/v1/statement", content="SELECT 1", headers=raw).status_code == 200
    assert world.works[0].said.catalog == "grün"


def test_long_prepared_statements_travel_compressed() -> None:
    sql = "SELECT ? -- " + "x" * 9_000
    header = prepared_header("my name", sql)
    assert len(header) < 500
    said = client_request(Headers({"x-trino-prepared-statement": header}), _LIMIT)
    assert said.prepared == {"my name": sql}
    with pytest.raises(UserError, match="too long"):
        client_request(Headers({"x-trino-prepared-statement": prepared_header("q", "x" * 20_000)}), _LIMIT)


@pytest.mark.parametrize(
    ("body", "status"), [(b"", 400), (b" \n ", 400), (b"\xff\xfe", 400), (b"x" * 10_001, 413), (b"x" * 10_000, 200)]
)
def test_bodies(world: World, body: bytes, status: int) -> None:
    assert world.post(body).status_code == status


def test_paths_that_lead_nowhere(world: World) -> None:
    for path in ("/", "/v1", "/v1/statement/x/y/z/1", "/v1/statement/queued/x/notanumber", "/oauth2/token/x"):
        assert world.get(path).status_code == 404
    assert world.get("/v1/statement").status_code == 405


def test_answers_have_safe_headers(world: World) -> None:
    for answer in (world.post("SELECT 1"), world.get("/v1/info"), world.get("/nowhere")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_information_without_a_login(world: World) -> None:
    info = world.client.get("/v1/info").json()
    assert info["coordinator"] is True
    assert info["nodeVersion"]["version"]
    assert world.client.get("/v1/info/state").json() == "ACTIVE"
    assert world.client.head("/v1/status").status_code == 200


def test_changes_of_the_session_are_told_by_headers(world: World) -> None:
    world.headers = [("X-Trino-Set-Session", "a=1"), ("X-Trino-Set-Session", "b=2"), ("X-Trino-Set-Catalog", "c")]
    answer = world.post("SET SESSION a = 1")
    assert answer.headers.get_list("x-trino-set-session") == ["a=1", "b=2"]
    assert answer.headers["x-trino-set-catalog"] == "c"


class TestAddresses:
    def test_nobody_is_believed_by_default(self, world: World) -> None:
        forged = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example", "X-Forwarded-Port": "1"}
        answer = world.client.post("/v1/statement", content="SELECT 1", headers=basic("alice") | forged).json()
        assert answer["infoUri"].startswith("http://sqe.example:8080/")

    @pytest.mark.parametrize("host", ["evil.example/x", 'a"b', "", "a b", "[::1", "x" * 300])
    def test_hosts_that_are_none(self, world: World, host: str) -> None:
        answer = world.client.post("/v1/statement", content="SELECT 1", headers=basic("alice") | {"Host": host})
        assert answer.status_code == 400


class TestProxies:
    def _base(self, peer: str, **headers: str) -> str:
        from starlette.requests import Request

        named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope: dict[str, Any] = {
            "type": "http", "scheme": "http", "server": ("sqe.example", 8080), "path": "/", "query_string": b"",
            "headers": [(b"host", b"sqe.example:8080"), *named], "client": (peer, 1),
        }  # fmt: skip
        proxies = Proxies(["10.0.0.0/8"])
        return f"{proxies.base_url(Request(scope))} {proxies.client_address(Request(scope))}"

    def test_known_proxies_are_believed(self) -> None:
        told = {"x_forwarded_proto": "https", "x_forwarded_host": "sql.example", "x_forwarded_for": "6.6.6.6, 10.0.0.9"}
        assert self._base("10.1.2.3", **told) == "https://sql.example 6.6.6.6"
        assert self._base("::ffff:10.1.2.3", **told) == "https://sql.example 6.6.6.6"
        assert self._base("11.1.2.3", **told) == "http://sqe.example:8080 11.1.2.3"
        port = {"x_forwarded_proto": "https", "x_forwarded_host": "sql.example", "x_forwarded_port": "8443"}
        assert self._base("10.1.2.3", **port) == "https://sql.example:8443 10.1.2.3"
        assert self._base("10.1.2.3", x_forwarded_for="nonsense") == "http://sqe.example:8080 10.1.2.3"


def test_web_pages_of_others_may_not_ask(world: World) -> None:
    foreign = {"Origin": "https://evil.example"}
    answer = world.client.post("/v1/statement", content="SELECT 1", headers=basic("alice") | foreign)
    assert answer.status_code == 403
    assert world.works == []
    own = {"Origin": "http://sqe.example:8080"}
    assert world.client.post("/v1/statement", content="SELECT 1", headers=basic("alice") | own).status_code == 200


class TestCors:
    @pytest.fixture
    def settings(self) -> TrinoSettings:
        return TrinoSettings(cors_allowed_origins=["https://tools.example"])

    def test_pages_that_are_allowed(self, world: World) -> None:
        origin = {"Origin": "https://tools.example"}
        answer = world.client.post("/v1/statement", content="SELECT 1", headers=basic("alice") | origin)
        assert answer.headers["access-control-allow-origin"] == "https://tools.example"
        other = world.client.get("/v1/info", headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


class Elsewhere:
    """An identity provider where a login takes a callback."""

    def __init__(self) -> None:
        self.answers: dict[str, Poll] = {}

    def begin(self) -> Begun:
        login_id = f"login{len(self.answers)}"
        self.answers[login_id] = Pending()
        return Begun(login_id, f"https://idp.example/auth?state={login_id}")

    def callback(self, code: str, state: str, caller: Caller | None = None, *, error: str = "") -> None:
        assert caller is not None
        if state not in self.answers:
            raise NotFoundError("no such login")
        self.answers[state] = Failed("refused") if error else Done(f"t-{code}")

    def poll(self, login_id: str) -> Poll:
        return self.answers[login_id]

    def abandon(self, login_id: str) -> None:
        del self.answers[login_id]


class TestLoginElsewhere:
    @pytest.fixture
    def external(self) -> Elsewhere:
        return Elsewhere()

    def test_the_whole_way(self, world: World) -> None:
        refused = world.client.post("/v1/statement", content="SELECT 1")
        challenge = refused.headers["www-authenticate"]
        page, token = (part.split('"')[1] for part in challenge.split(", "))
        assert challenge.startswith("Bearer x_redirect_server=")
        opened = world.client.get(page, follow_redirects=False)
        assert opened.status_code == 303
        assert opened.headers["location"].startswith("https://idp.example/")
        assert world.client.get(page, follow_redirects=False).status_code == 400
        done = world.client.get("/oauth2/callback?code=alice&state=login0")
        assert done.status_code == 200
        handed = world.client.get(token).json()
        assert handed == {"token": "t-alice"}
        logged_in = {"Authorization": f"Bearer {handed['token']}"}
        assert world.client.post("/v1/statement", content="SELECT 1", headers=logged_in).status_code == 200

    def test_the_page_does_not_lead_to_the_token(self, world: World) -> None:
        challenge = world.client.post("/v1/statement", content="SELECT 1").headers["www-authenticate"]
        page, token = (part.split('"')[1] for part in challenge.split(", "))
        assert token.rsplit("/", 1)[1] not in page
        assert world.client.delete(token).status_code == 204
        world.client.get(page, follow_redirects=False)
        assert world.client.delete(token).status_code == 204
        assert world.client.get("/oauth2/callback?code=alice&state=login0").status_code == 404

    def test_callbacks_that_are_none(self, world: World) -> None:
        for query in ("", "?error=%3Cscript%3E", "?code=x", "?code=x&state=forged"):
            answer = world.client.get(f"/oauth2/callback{query}")
            assert answer.status_code == 404
            assert "script" not in answer.text

    def test_a_login_that_was_refused(self, world: World) -> None:
        challenge = world.client.post("/v1/statement", content="SELECT 1").headers["www-authenticate"]
        page, token = (part.split('"')[1] for part in challenge.split(", "))
        world.client.get(page, follow_redirects=False)
        world.client.get("/oauth2/callback?error=access_denied&state=login0")
        assert world.client.get(token).json() == {"error": "refused"}


_HEADER = st.sampled_from([
    "x-trino-user", "x-trino-catalog", "x-trino-schema", "x-trino-session", "x-trino-prepared-statement",
    "x-trino-role", "x-trino-time-zone", "x-trino-transaction-id", "x-trino-client-tags", "x-trino-max-wait",
    "x-trino-extra-credential", "authorization", "x-forwarded-for", "x-forwarded-host", "host", "origin",
    "content-type", "accept-encoding",
])  # fmt: skip
_VALUE = st.binary(max_size=40) | st.text(max_size=40).map(lambda text: quote_plus(text).encode())


@given(headers=st.lists(st.tuples(_HEADER, _VALUE), max_size=4), body=st.binary(max_size=60))
@hypothesis_settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_comes_is_answered(world: World, headers: list[tuple[str, bytes]], body: bytes) -> None:
    raw = [(name.encode(), value.replace(b"\r", b"").replace(b"\n", b"")) for name, value in headers]
    if not any(name == b"authorization" for name, _ in raw):
        raw.append((b"authorization", basic("alice")["Authorization"].encode()))
    answer = world.client.post("/v1/statement?maxWait=1s", content=body, headers=raw)
    assert answer.status_code == 200 or 400 <= answer.status_code < 500, answer.text
    if answer.status_code == 200:
        assert answer.json()["id"]


@given(path=st.text(max_size=60), method=st.sampled_from(["GET", "DELETE", "POST", "HEAD", "PUT"]))
@hypothesis_settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_path_is_asked_for(world: World, path: str, method: str) -> None:
    for start in ("/v1/statement/", "/v1/query/", "/oauth2/", "/"):
        answer = world.client.request(method, start + quote_plus(path), headers=basic("alice"))
        assert answer.status_code < 500


@given(st.lists(st.tuples(st.sampled_from(["session", "role", "prepared-statement", "catalog"]), _VALUE), max_size=5))
def test_headers_are_read_or_refused(pairs: list[tuple[str, bytes]]) -> None:
    raw = [(f"x-trino-{name}".encode(), value) for name, value in pairs]
    try:
        said = client_request(Headers(raw=raw), _LIMIT)
    except SqeError:
        return
    assert all(isinstance(value, str) for pair in said.properties for value in pair)


def test_where_people_log_in_is_told_to_everybody(world: World) -> None:
    missing = world.client.get("/v1/sqe/login")
    assert (missing.status_code, "no login by code" in missing.text) == (404, True)
    facts = {"issuer": "https://idp.example", "clientId": "shell", "scopes": ["openid"], "flightSqlPort": 50051}
    world.endpoint.login_facts = lambda: facts
    assert world.client.get("/v1/sqe/login").json() == facts


def test_errors_are_told_in_parts_too(world: World) -> None:
    def fails(_: Query) -> NoReturn:
        raise SqlSyntaxError("bad", hint="mend it", position=Position(1, 2, 3))

    def breaks(_: Query) -> NoReturn:
        raise InternalError("the secret inside")

    world.scripts = {"bad": fails, "broken": breaks}
    told = json.loads(world.post("bad").headers["x-sqe-error"])
    assert (told["code"], told["message"], told["hint"]) == ("SYNTAX_ERROR", "bad", "mend it")
    assert told["position"] == [1, 2, 3]
    broken = world.post("broken")
    assert json.loads(broken.headers["x-sqe-error"])["kind"] == "internal"
    assert "the secret inside" not in broken.headers["x-sqe-error"] + broken.text
    refused = world.client.post("/v1/statement", content="SELECT 1")
    assert json.loads(refused.headers["x-sqe-error"])["kind"] == "unauthenticated"
    assert "x-sqe-error" not in world.post("SELECT 1").headers
