"""Environment variables: spellings, types, and bad values."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from sqe.core.errors import ConfigError
from sqe.observe.model import SettingsModel
from sqe.settings import LoadedSettings, Settings, load
from sqe.settings.load import Loaded, load_as

NOWHERE = Path("/nonexistent")


def load_env(env: Mapping[str, str], cwd: Path = NOWHERE) -> LoadedSettings:
    """Load with these variables and no file."""
    return load(config_path=None, environ=env, overrides={}, embedded=False, cwd=cwd)


@pytest.mark.parametrize(
    "name",
    [
        "SQE_QUERY__TIMEOUT_SECS",
        "SQE__query__timeout_secs",
        "SQE__QUERY__TIMEOUT_SECS",
        "SQE_query__timeout_secs",
        "SQE_Query__Timeout_Secs",
    ],
)
def test_spellings(name: str) -> None:
    loaded = load_env({name: "42"})
    assert loaded.settings.query.timeout_secs == 42
    assert loaded.warnings == []


def test_a_section_with_an_underscore() -> None:
    assert load_env({"SQE_QUERY_HISTORY__MAX_ENTRIES": "5"}).settings.query_history.max_entries == 5


@pytest.mark.parametrize(
    "name",
    [
        "SQE_QUERY_TIMEOUT_SECS",
        "SQE_QUERY__NOPE",
        "SQE_NOPE__TIMEOUT_SECS",
        "SQE_QUERY",
        "SQE__",
        "SQE_",
        "SQE",
        "SQE___QUERY__TIMEOUT_SECS",
        "SQE_QUERY__TIMEOUT_SECS__MORE",
        "SQE_QUERY____TIMEOUT_SECS",
        "sqe_query__timeout_secs",
        "QUERY__TIMEOUT_SECS",
        "SQE_USER",
        "SQE_MODE",
    ],
)
def test_other_names_are_ignored_silently(name: str) -> None:
    assert load_env({name: "42"}) == LoadedSettings(Settings(), None, [])


def test_a_bad_value_is_warned_of_and_the_file_stands(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_text("query.timeout_secs = 7")
    loaded = load_env({"SQE_QUERY__TIMEOUT_SECS": "soon"}, tmp_path)
    assert loaded.settings.query.timeout_secs == 7
    assert loaded.warnings == ["SQE_QUERY__TIMEOUT_SECS: must be a whole number; the variable is ignored"]


@pytest.mark.parametrize(
    ("name", "value", "warning"),
    [
        ("SQE_QUERY__TIMEOUT_SECS", "", "must be a whole number"),
        ("SQE_QUERY__TIMEOUT_SECS", "1.5", "must be a whole number"),
        ("SQE_QUERY__TIMEOUT_SECS", "-1", "must be at least 0"),
        ("SQE_QUERY__TIMEOUT_SECS", "9" * 5000, "must be a whole number"),
        ("SQE_ENGINE__MEMORY_LIMIT", "1MB", "must be at least 64MB"),
        ("SQE_MEMORY_LIMIT", "1MB", "must be at least 64MB"),
        ("SQE_LOGGING__LEVEL", "loud", "must be 'debug', 'info', 'warning' or 'error'"),
        ("SQE_EMBEDDED__CATALOGS", "x", "must be a table"),
        ("SQE_EMBEDDED__CATALOGS__DEFAULT", "/x", "this catalog name is reserved"),
        ("SQE_EMBEDDED__CATALOGS__", "/x", "a catalog's name may not be empty"),
        ("SQE_EMBEDDED__CATALOGS__A", "", "must name a folder"),
    ],
)
def test_warnings(name: str, value: str, warning: str) -> None:
    loaded = load_env({name: value})
    assert loaded.settings == Settings()
    assert loaded.warnings == [f"{name}: {warning}; the variable is ignored"]


def test_texts_and_sizes() -> None:
    settings = load_env(
        {
            "SQE_ENGINE__JAVA_HOME": "17",
            "SQE_ENGINE__MEMORY_LIMIT": "128 mb",
            "SQE_ENGINE__BYTES_IN_FLIGHT": "1048576",
            "SQE_LOGGING__LEVEL": "DEBUG",
        }
    ).settings
    assert settings.engine.java_home == "17"
    assert settings.engine.memory_limit == 128 * 1024**2
    assert settings.engine.bytes_in_flight == 1024**2
    assert settings.logging.level == "debug"


def test_the_short_name_of_the_memory_limit() -> None:
    assert load_env({"SQE_MEMORY_LIMIT": "2GB"}).settings.engine.memory_limit == 2 * 1024**3


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("SQE_MEMORY_LIMIT", "SQE_ENGINE__MEMORY_LIMIT"),
        ("SQE_ENGINE__MEMORY_LIMIT", "SQE__engine__memory_limit"),
        ("SQE_MEMORY_LIMIT", "SQE__engine__memory_limit"),
    ],
)
def test_two_names_of_one_key(weaker: str, stronger: str) -> None:
    for names in ((weaker, stronger), (stronger, weaker)):
        loaded = load_env({name: "2GB" if name == stronger else "3GB" for name in names})
        assert loaded.settings.engine.memory_limit == 2 * 1024**3
        assert loaded.warnings == [f"{weaker} is ignored: {stronger} sets engine.memory_limit too"]


def test_a_bad_stronger_name_leaves_the_weaker_one() -> None:
    loaded = load_env({"SQE_MEMORY_LIMIT": "2GB", "SQE_ENGINE__MEMORY_LIMIT": "x"})
    assert loaded.settings.engine.memory_limit == 2 * 1024**3
    assert len(loaded.warnings) == 1


def test_entries_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_text('[embedded.catalogs]\nSales = "/file"')
    env = {"SQE_EMBEDDED__CATALOGS__SALES": "/env", "SQE__embedded__catalogs__New_One": "/new"}
    assert load_env(env, tmp_path).settings.embedded.catalogs == {"Sales": "/env", "new_one": "/new"}


@pytest.mark.parametrize("key", ["embedded", "embedded.catalogs"])
def test_a_variable_does_not_hide_what_is_wrong_with_the_file(tmp_path: Path, key: str) -> None:
    (tmp_path / "sqe.toml").write_text(f"{key} = 5")
    with pytest.raises(ConfigError, match=f"^sqe.toml: {key}: must be a table, got a whole number$"):
        load_env({"SQE_EMBEDDED__CATALOGS__A": "/a"}, tmp_path)


@given(
    name=st.sampled_from(
        [
            "SQE_QUERY__TIMEOUT_SECS",
            "SQE_MEMORY_LIMIT",
            "SQE_LOGGING__LEVEL",
            "SQE_EMBEDDED__CATALOGS__A",
            "SQE_LOGGING__KEEP",
        ]
    ),
    value=st.text(max_size=20),
)
def test_no_value_stops_the_engine(name: str, value: str) -> None:
    loaded = load_env({name: value})
    assert all(warning.startswith(f"{name}: ") for warning in loaded.warnings)


# The mechanism, on models of the test's own.


class Peer(SettingsModel):
    """An item of a list."""

    host: str
    port: int = 1


class Net(SettingsModel):
    """A section with all types of keys."""

    on: bool = False
    ratio: float = 0.5
    maybe: int | None = None
    names: list[str] = Field(default=["default"])
    peers: list[Peer] = Field(default=[])
    limits: dict[str, int] = Field(default={})


class Root(SettingsModel):
    """The root, with a key that is in no section."""

    strict: bool = False
    net: Net = Field(default_factory=Net)


def load_root(env: Mapping[str, str], cwd: Path, text: str = "") -> Loaded[Root]:
    """Load the test's own root."""
    (cwd / "sqe.toml").write_text(text)
    return load_as(Root, config_path=None, environ=env, overrides={}, embedded=False, cwd=cwd)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("1", True),
        ("yes", True),
        ("YES", True),
        ("false", False),
        ("0", False),
        ("no", False),
    ],
)
def test_booleans(tmp_path: Path, text: str, value: bool) -> None:
    loaded = load_root({"SQE_NET__ON": text, "SQE_STRICT": text}, tmp_path, f"net.on = {str(not value).lower()}")
    assert (loaded.settings.net.on, loaded.settings.strict) == (value, value)
    assert loaded.warnings == []


@pytest.mark.parametrize("text", ["on", "2", "", "y"])
def test_no_booleans(tmp_path: Path, text: str) -> None:
    assert load_root({"SQE_NET__ON": text}, tmp_path).warnings == [
        "SQE_NET__ON: must be true or false; the variable is ignored"
    ]


def test_numbers(tmp_path: Path) -> None:
    loaded = load_root({"SQE_NET__RATIO": "0.25", "SQE_NET__MAYBE": "3", "SQE_NET__LIMITS__A": "7"}, tmp_path)
    assert (loaded.settings.net.ratio, loaded.settings.net.maybe, loaded.settings.net.limits) == (
        0.25,
        3,
        {"a": 7},
    )
    assert "must be a number" in load_root({"SQE_NET__RATIO": "x"}, tmp_path).warnings[0]
    assert "must be a whole number" in load_root({"SQE_NET__LIMITS__A": "x"}, tmp_path).warnings[0]


def test_items_of_a_list(tmp_path: Path) -> None:
    env = {"SQE_NET__NAMES__1": "y", "SQE_NET__NAMES__0": "x", "SQE_NET__NAMES__NO": "z"}
    assert load_root(env, tmp_path).settings.net.names == ["x", "y"]
    assert load_root(env, tmp_path, "net.names = ['a', 'b', 'c']").settings.net.names == ["x", "y", "c"]
    assert "must be a list" in load_root({"SQE_NET__NAMES": "x"}, tmp_path).warnings[0]


def test_keys_of_items_of_a_list(tmp_path: Path) -> None:
    env = {"SQE_NET__PEERS__0__PORT": "5", "SQE_NET__PEERS__1__HOST": "b"}
    peers = load_root(env, tmp_path, "[[net.peers]]\nhost = 'a'").settings.net.peers
    assert peers == [Peer(host="a", port=5), Peer(host="b")]
