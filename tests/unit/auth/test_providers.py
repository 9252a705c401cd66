"""What single providers do beyond the conformance suite: roles, renewal, files that change, AWS."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as AwsCredentials
from moto.server import ThreadedMotoServer
from tests.services.identity_provider import IdentityProvider
from tests.unit.auth.cases import API_KEY, CASES, certificate, signed_request

from sqe.auth.credentials import BearerToken, Certificate, CertificateName, Password
from sqe.auth.people import People
from sqe.auth.plugins import Surroundings, kind_of
from sqe.auth.provider import Accepted, NotMine, Provider, Rejected
from sqe.core.errors import ExternalError, UnauthenticatedError
from sqe.core.identity import Identity

if TYPE_CHECKING:
    from tests.unit.auth.conftest import FakeClock, Logged

PEOPLE = People(
    {
        "analysts": ["querier"],
        "alice.example.com": ["by-dns"],
        "arn:aws:iam::123456789012:role/Data": ["data"],
        "arn:aws:iam::123456789012:user/alice": ["personal"],
    },
    frozenset({"boss"}),
)

MADE: list[Provider] = []


def make(settings: dict[str, Any], clock: Callable[[], float] = time.time) -> Provider:
    kind = kind_of(settings["type"])
    made = kind.make(kind.settings.model_validate(settings), Surroundings(PEOPLE, clock=clock))
    MADE.append(made)
    return made


@pytest.fixture(autouse=True)
def close_all() -> Iterator[None]:
    yield
    while MADE:
        MADE.pop().close()


def case(name: str, idp: IdentityProvider, folder: Path, clock: FakeClock, **more: object) -> Provider:
    return make({**CASES[name].settings(idp, folder), **more}, clock)


def accepted(provider: Provider, credentials: object) -> Accepted:
    outcome = provider.authenticate(credentials)  # type: ignore[arg-type]
    assert isinstance(outcome, Accepted), outcome
    return outcome


def identity(provider: Provider, credentials: object) -> Identity:
    return accepted(provider, credentials).identity


# Roles.


@pytest.mark.parametrize("name", ["oidc_password", "bearer_token", "token_exchange"])
def test_roles_come_from_claims_and_groups(name: str, idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> None:
    provider = case(name, idp, tmp_path, clock)
    idp.more_claims = {"realm_access": {"roles": ["boss", 7, "a\nb"]}, "name": "Alice Example"}
    found = identity(provider, CASES[name].good(idp))
    assert found.roles == {"boss", "querier"}
    assert found.groups == {"/analysts"}
    assert found.admin
    assert found.display_name == "Alice Example"


@pytest.mark.parametrize("roles", [7, None, {"a": 1}, [["boss"]], "boss", "a\nboss"])
def test_odd_claims_of_roles(idp: IdentityProvider, tmp_path: Path, clock: FakeClock, roles: object) -> None:
    provider = case("bearer_token", idp, tmp_path, clock, roles_claim="https://example.com/roles")
    idp.more_claims = {"https://example.com/roles": roles, "groups": None}
    found = identity(provider, BearerToken(idp.token()))
    assert found.roles == ({"boss"} if roles == "boss" else frozenset())


def test_the_token_is_passed_on_unchanged(idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> None:
    provider = case("bearer_token", idp, tmp_path, clock)
    token = idp.token()
    assert identity(provider, BearerToken(token)).token == token


# Renewal.


def test_passwords_are_renewed_by_refresh_tokens(idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> None:
    provider = case("oidc_password", idp, tmp_path, clock)
    first = accepted(provider, CASES["oidc_password"].good(idp))
    assert first.identity.expires == clock.now + 300
    assert first.renewal is not None
    clock.advance(250)
    second = first.renewal.renew()
    assert second.identity.user == "alice"
    assert second.identity.token != first.identity.token
    assert second.identity.expires == clock.now + 300
    with pytest.raises(UnauthenticatedError):
        first.renewal.renew()
    assert second.renewal is not None
    idp.mood = "error"
    with pytest.raises(ExternalError):
        second.renewal.renew()


@pytest.mark.parametrize("name", ["client_credentials", "client_credentials_passthrough"])
def test_services_are_granted_anew(name: str, idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> None:
    provider = case(name, idp, tmp_path, clock)
    first = accepted(provider, CASES[name].good(idp))
    assert first.renewal is not None
    clock.advance(250)
    second = first.renewal.renew()
    assert second.identity.token != first.identity.token
    assert second.identity.user == first.identity.user
    if name == "client_credentials_passthrough":
        idp.clients["robot"] = "another"
        assert second.renewal is not None
        with pytest.raises(UnauthenticatedError):
            second.renewal.renew()


def test_one_token_serves_all_machines(idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> None:
    provider = case("oidc_m2m", idp, tmp_path, clock)
    first = accepted(provider, Password("a", "x"))
    assert identity(provider, Password("b", "y")).token == first.identity.token
    assert idp.calls["/token"] == 1
    clock.advance(241)
    assert first.renewal is not None
    assert first.renewal.renew().identity.token != first.identity.token
    assert idp.calls["/token"] == 2


def test_a_client_that_is_not_known_is_no_wrong_password(
    idp: IdentityProvider, tmp_path: Path, clock: FakeClock
) -> None:
    provider = case("oidc_password", idp, tmp_path, clock, client_secret="wrong")
    with pytest.raises(ExternalError):
        provider.authenticate(Password("alice", "alice-password-3f9"))


def test_the_next_one_may_be_asked(idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> None:
    provider = case("oidc_password", idp, tmp_path, clock, fallthrough_on_reject=True)
    assert isinstance(provider.authenticate(Password("alice", "wrong")), NotMine)


# Files of keys.


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys.toml"
    path.write_text(f'[[keys]]\nkey = "{API_KEY}"\nuser = "alice"\ngroups = ["analysts"]\n', encoding="utf-8")
    return path


def changed(path: Path, text: str) -> None:
    before = path.stat().st_mtime_ns
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 1, before + 1))


def test_a_key_brings_groups(keys: Path, clock: FakeClock) -> None:
    found = identity(make({"type": "api_key", "keys_file": str(keys)}, clock), Password("whoever", API_KEY))
    assert found.user == "alice"
    assert found.roles == {"querier"}
    assert found.token is None


def test_a_file_that_changes_is_read_again(keys: Path, clock: FakeClock) -> None:
    provider = make({"type": "api_key", "keys_file": str(keys)}, clock)
    first = accepted(provider, BearerToken(API_KEY))
    assert first.renewal is not None
    changed(keys, '[[keys]]\nkey = "sqe_another-key-0001"\nuser = "bob"\n')
    assert isinstance(provider.authenticate(BearerToken(API_KEY)), Rejected)
    assert identity(provider, BearerToken("sqe_another-key-0001")).user == "bob"
    # A login by a key that was taken away is over when it is looked at again.
    assert first.identity.expires == clock.now + 120
    with pytest.raises(UnauthenticatedError):
        first.renewal.renew()


@pytest.mark.parametrize(
    "text",
    [
        "[[keys]",
        "keys = 5",
        '[[keys]]\nkey = "sqe_short"\nuser = "x"',
        '[[keys]]\nkey = "sqe_long-enough-key-1"',
        '[[keys]]\nuser = "x"',
        '[[keys]]\nkey = "sqe_long-enough-key-1"\nuser = "x"\nrole = "y"',
        '[[keys]]\nsha256 = "abc"\nuser = "x"',
    ],
)
def test_a_broken_file_lets_nobody_in(keys: Path, clock: FakeClock, logged: Logged, text: str) -> None:
    provider = make({"type": "api_key", "keys_file": str(keys)}, clock)
    accepted(provider, BearerToken(API_KEY))
    changed(keys, text)
    with pytest.raises(ExternalError, match="out of order"):
        provider.authenticate(BearerToken(API_KEY))
    assert "the file of keys cannot be used" in logged
    assert "sqe_long-enough-key-1" not in logged
    keys.unlink()
    with pytest.raises(ExternalError):
        provider.authenticate(BearerToken(API_KEY))


def test_json_and_digests(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "keys.json"
    digest = "0a5e3bb3b6a3b3ea6b9dc0b6a5b3d1f0c8e4ac4b3a9f6ae9e6a0d2d3a8f8d3c1"
    path.write_text(json.dumps({"keys": [{"sha256": digest, "user": "x"}, {"key": API_KEY, "user": "alice"}]}))
    provider = make({"type": "api_key", "keys_file": str(path)}, clock)
    assert identity(provider, BearerToken(API_KEY)).user == "alice"
    assert isinstance(provider.authenticate(BearerToken(f"sqe_{digest}")), Rejected)


# Certificates.


def test_names_in_certificates(clock: FakeClock) -> None:
    provider = make({"type": "mtls", "groups_from": ["ou", "san_dns", "san_email"]}, clock)
    for der in (False, True):
        found = identity(provider, Certificate(certificate(der=der)))
        assert found.groups == {"analysts", "alice.example.com", "alice@example.com"}
        assert found.roles == {"querier", "by-dns"}
        assert found.expires == clock.now + 30 * 86_400
    plain = make({"type": "mtls"}, clock)
    assert identity(plain, Certificate(certificate())).groups == {"analysts"}


def test_only_the_name_of_a_certificate(clock: FakeClock) -> None:
    provider = make({"type": "mtls"}, clock)
    assert identity(provider, CertificateName("alice")).user == "alice"
    for bad in ("", "a\nb", "x" * 300):
        assert isinstance(provider.authenticate(CertificateName(bad)), Rejected)


# AWS.


def test_an_assumed_role_is_not_its_session(idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> None:
    provider = case("aws_iam", idp, tmp_path, clock)
    idp.arn = "arn:aws:sts::123456789012:assumed-role/Data/alice@example.com"
    found = identity(provider, BearerToken(signed_request(idp)))
    assert found.user == "arn:aws:sts::123456789012:assumed-role/Data"
    assert found.display_name == "alice@example.com"
    assert found.roles == {"data"}
    assert found.expires == clock.now + 900


@pytest.mark.parametrize("arn", ["", "nonsense", "arn:aws:iam::1:user/x", "arn:aws:s3:::bucket"])
def test_an_answer_that_names_nobody(idp: IdentityProvider, tmp_path: Path, clock: FakeClock, arn: str) -> None:
    provider = case("aws_iam", idp, tmp_path, clock)
    idp.arn = arn
    try:
        assert isinstance(provider.authenticate(BearerToken(signed_request(idp))), Rejected)
        assert not arn
    except ExternalError:
        assert arn


def test_only_what_was_signed_is_passed_on(idp: IdentityProvider, tmp_path: Path, clock: FakeClock) -> None:
    provider = case("aws_iam", idp, tmp_path, clock)
    idp.arn = "arn:aws:iam::123456789012:user/alice"
    accepted(provider, BearerToken(signed_request(idp)))
    expected = {"authorization", "x-amz-date", "content-type", "x-sqe-server-id"}
    assert expected <= set(idp.last_sts_headers)
    assert not {"cookie", "x-forwarded-for"} & set(idp.last_sts_headers)


@pytest.mark.parametrize("region", ["eu-central-1", ""])
def test_the_region_decides_where_requests_go(idp: IdentityProvider, region: str, clock: FakeClock) -> None:
    provider = make({"type": "aws_iam", "region": region}, clock)
    for host, is_fine in (("sts.eu-central-1", True), ("sts.us-east-1", not region), ("sts", not region)):
        outcome = provider._target(_request(idp, f"https://{host}.amazonaws.com/")) if is_fine else None  # type: ignore[attr-defined]
        assert outcome == (f"https://{host}.amazonaws.com/" if is_fine else None)
        if not is_fine:
            assert isinstance(
                provider.authenticate(BearerToken(signed_request(idp, url=f"https://{host}.amazonaws.com/"))), Rejected
            )


def _request(idp: IdentityProvider, url: str) -> object:
    from sqe.auth.providers.aws_iam import SignedRequest

    tree = json.loads(base64.b64decode(signed_request(idp, url=url)))
    return SignedRequest(tree["method"], tree["url"], tree["headers"], tree["body"])


def test_a_request_that_the_client_library_signs() -> None:
    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}/"
        body = "Action=GetCallerIdentity&Version=2011-06-15"
        request = AWSRequest("POST", url, {"Content-Type": "application/x-www-form-urlencoded"}, data=body)  # type: ignore[no-untyped-call]
        keys = AwsCredentials("AKIAIOSFODNN7EXAMPLE", "secret")  # type: ignore[no-untyped-call]
        SigV4Auth(keys, "sts", "us-east-1").add_auth(request)  # type: ignore[no-untyped-call]
        blob = {"method": "POST", "url": url, "headers": dict(request.headers.items()), "body": body}
        provider = make({"type": "aws_iam", "sts_endpoint": url})
        found = identity(provider, Password("me", base64.b64encode(json.dumps(blob).encode()).decode()))
        assert found.user.startswith("arn:aws:sts::123456789012:")
    finally:
        server.stop()
