"""Loading: where the file is found, who wins, and how everything that is wrong is told."""

import errno
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Field, SecretStr, ValidationError

from sqe.core.errors import ConfigError
from sqe.observe.model import Conflict, SettingsModel, Size, refuse
from sqe.settings import LoadedSettings, Settings, dump, load
from sqe.settings.load import Loaded, load_as


def load_in(
    cwd: Path,
    text: str | None = None,
    *,
    config: Path | None = None,
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
    embedded: bool = False,
) -> LoadedSettings:
    """Load in a folder whose `sqe.toml` has this text."""
    if text is not None:
        (cwd / "sqe.toml").write_text(text, encoding="utf-8")
    return load(config_path=config, environ=env or {}, overrides=flags or {}, embedded=embedded, cwd=cwd)


def lines_of(cwd: Path, text: str | None = None, **sources: Any) -> list[str]:
    """The lines of the error that loading ends with."""
    with pytest.raises(ConfigError) as caught:
        load_in(cwd, text, **sources)
    return caught.value.message.split("\n")


# Where the file is found.


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    loaded = load_in(tmp_path)
    assert loaded == LoadedSettings(Settings(), None, [])
    assert loaded.settings.query.timeout_secs == 300
    assert loaded.settings.engine.memory_limit == 1024**3


def test_the_file_in_the_folder_is_read(tmp_path: Path) -> None:
    loaded = load_in(tmp_path, "[query]\ntimeout_secs = 7\n")
    assert loaded.settings.query.timeout_secs == 7
    assert loaded.source == tmp_path / "sqe.toml"


def test_a_named_file_wins_over_the_variable_and_that_over_the_folder(tmp_path: Path) -> None:
    for name, seconds in (("a.toml", 1), ("b.toml", 2)):
        (tmp_path / name).write_text(f"query.timeout_secs = {seconds}")
    env = {"SQE_CONFIG": "b.toml"}
    text = "query.timeout_secs = 3"
    assert load_in(tmp_path, text, config=Path("a.toml"), env=env).settings.query.timeout_secs == 1
    assert load_in(tmp_path, text, env=env).settings.query.timeout_secs == 2
    assert load_in(tmp_path, text, env={"SQE_CONFIG": ""}).settings.query.timeout_secs == 3


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    assert lines_of(tmp_path, config=Path("no.toml")) == ["no.toml: there is no such file"]
    assert lines_of(tmp_path, env={"SQE_CONFIG": "/no/x.toml"}) == ["/no/x.toml: there is no such file"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").mkdir()
    assert lines_of(tmp_path) == ["sqe.toml: cannot be read: Is a directory"]


def test_a_file_of_others_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    # Not by the file's mode: root, as in a container, may read everything.
    monkeypatch.setattr(Path, "read_bytes", denied)
    assert lines_of(tmp_path, config=Path("theirs.toml")) == ["theirs.toml: cannot be read: Permission denied"]


def test_a_path_through_a_file_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert lines_of(tmp_path, config=Path("file/sqe.toml")) == ["file/sqe.toml: cannot be read: Not a directory"]


# What is not TOML.


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[query]\ntimeout_secs = nope", "line 2, column 16"),
        ("[query]\n\n  [query]\n", "line 3, column 9"),
        ("[query", "line 1, column 7"),
        ("a = 1\nb = '", "line 2, column 6"),
    ],
)
def test_bad_toml_is_told_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    (line,) = lines_of(tmp_path, text)
    assert line.startswith(f"sqe.toml: {place}: ")
    assert "(at" not in line


def test_text_in_another_encoding_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_bytes("[query]\n# café".encode("latin-1"))
    assert lines_of(tmp_path) == ["sqe.toml: line 2, column 6: not UTF-8 text"]


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_bytes(b"\xef\xbb\xbfquery.timeout_secs = 5")
    assert load_in(tmp_path).settings.query.timeout_secs == 5


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = " + "[" * 100_000])
def test_monstrous_values_are_an_error_of_one_line(tmp_path: Path, text: str) -> None:
    (line,) = lines_of(tmp_path, text)
    assert len(line) < 200


# Who wins.


def test_flag_over_variable_over_file_over_default(tmp_path: Path) -> None:
    text = "[query]\ntimeout_secs = 1\nconflict_retries = 1\nslow_query_threshold_secs = 1"
    env = {"SQE_QUERY__TIMEOUT_SECS": "2", "SQE_QUERY__CONFLICT_RETRIES": "2"}
    query = load_in(tmp_path, text, env=env, flags={"query.timeout_secs": 3}).settings.query
    assert (query.timeout_secs, query.conflict_retries, query.slow_query_threshold_secs) == (3, 2, 1)
    assert query.max_sql_bytes == 1_048_576


def test_embedded_defaults_are_below_everything_else(tmp_path: Path) -> None:
    assert load_in(tmp_path, embedded=True).settings.query.timeout_secs == 0
    assert load_in(tmp_path, embedded=True).settings.query.max_result_rows == 0
    assert load_in(tmp_path, embedded=True).settings.query.conflict_retries == 3
    query = load_in(
        tmp_path, "query.timeout_secs = 300", env={"SQE_QUERY__MAX_RESULT_ROWS": "5"}, embedded=True
    ).settings.query
    assert (query.timeout_secs, query.max_result_rows) == (300, 5)


def test_a_flag_that_was_not_given_changes_nothing(tmp_path: Path) -> None:
    assert (
        load_in(tmp_path, "query.timeout_secs = 9", flags={"query.timeout_secs": None}).settings.query.timeout_secs == 9
    )


def test_flags_may_be_text(tmp_path: Path) -> None:
    flags = {"engine.memory_limit": "2GB", "query.timeout_secs": "5", "logging.level": "DEBUG"}
    settings = load_in(tmp_path, flags=flags).settings
    assert settings.engine.memory_limit == 2 * 1024**3
    assert settings.query.timeout_secs == 5
    assert settings.logging.level == "debug"


def test_catalogs_of_file_variables_and_flags_come_together(tmp_path: Path) -> None:
    settings = load_in(
        tmp_path,
        '[embedded.catalogs]\na = "/file/a"\nb = "/file/b"\nc = "/file/c"',
        env={"SQE_EMBEDDED__CATALOGS__B": "/env/b", "SQE_EMBEDDED__CATALOGS__D": "/env/d"},
        flags={"embedded.catalogs.c": "/flag/c", "embedded.catalogs": {"e": "/flag/e"}},
    ).settings
    assert settings.embedded.catalogs == {
        "a": "/file/a",
        "b": "/env/b",
        "c": "/flag/c",
        "d": "/env/d",
        "e": "/flag/e",
    }


# What is wrong with keys and values.


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("query.timeout_sec = 1", "query.timeout_sec: unknown key; did you mean query.timeout_secs?"),
        ("query.Timeout_Secs = 1", "query.Timeout_Secs: unknown key; did you mean query.timeout_secs?"),
        ("[queries]\ntimeout_secs = 1", "queries: unknown section; did you mean query?"),
        ("query.memory_limit = 1", "query.memory_limit: unknown key; did you mean engine.memory_limit?"),
        ("memory_limit = 1", "memory_limit: unknown key; did you mean engine.memory_limit?"),
        ("query.zzz = 1", "query.zzz: unknown key"),
        ("[zzz]", "zzz: unknown section"),
        ('"a\\nb" = 1', '"a\\nb": unknown key'),
        ("query = 5", "query: must be a table, got a whole number"),
        ('query.timeout_secs = "5"', "query.timeout_secs: must be a whole number, got a string"),
        ("query.timeout_secs = 5.0", "query.timeout_secs: must be a whole number, got a number"),
        ("query.timeout_secs = true", "query.timeout_secs: must be a whole number, got a boolean"),
        ("query.timeout_secs = []", "query.timeout_secs: must be a whole number, got a list"),
        ("query.timeout_secs.x = 1", "query.timeout_secs: must be a whole number, got a table"),
        ("query.timeout_secs = 2020-01-01", "query.timeout_secs: must be a whole number, got a date or time"),
        ("query.timeout_secs = -1", "query.timeout_secs: must be at least 0"),
        ("query.conflict_retries = 101", "query.conflict_retries: must be at most 100"),
        ('engine.memory_limit = "63MB"', "engine.memory_limit: must be at least 64MB"),
        ("engine.java_home = 5", "engine.java_home: must be a string, got a whole number"),
        ('logging.level = "loud"', "logging.level: must be 'debug', 'info', 'warning' or 'error'"),
        ("embedded.catalogs = 5", "embedded.catalogs: must be a table, got a whole number"),
        ('embedded.catalogs.""="/x"', 'embedded.catalogs."": a catalog\'s name may not be empty'),
        ('embedded.catalogs."a.b"="/x"', 'embedded.catalogs."a.b": a catalog\'s name may not contain a dot'),
        ('embedded.catalogs.System="/x"', "embedded.catalogs.System: this catalog name is reserved"),
        ('embedded.catalogs.a=""', "embedded.catalogs.a: must name a folder"),
        ("embedded.catalogs.a=1", "embedded.catalogs.a: must be a string, got a whole number"),
        (
            'engine.memory_limit = "64MB"\nengine.bytes_in_flight = "65MB"',
            "engine.bytes_in_flight: must not be more than engine.memory_limit",
        ),
    ],
)
def test_each_mistake_has_its_line(tmp_path: Path, text: str, line: str) -> None:
    assert lines_of(tmp_path, text) == [f"sqe.toml: {line}"]


@pytest.mark.parametrize("value", ['"lots"', '"-1MB"', "-1", "true", "1.5", "[]"])
def test_a_bad_size_is_told_without_the_value(tmp_path: Path, value: str) -> None:
    (line,) = lines_of(tmp_path, f"engine.memory_limit = {value}")
    assert line.startswith("sqe.toml: engine.memory_limit: ")
    assert "size" in line
    assert "lots" not in line


@pytest.mark.parametrize("name", ["default", "system", "spark_catalog", "information_schema", "DEFAULT"])
def test_reserved_catalog_names(tmp_path: Path, name: str) -> None:
    assert "reserved" in lines_of(tmp_path, f'embedded.catalogs.{name} = "/x"')[0]


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = """
        zzz = 1
        [query]
        timeout_sec = 1
        timeout_secs = "x"
        [engine]
        memory_limit = "64MB"
        bytes_in_flight = "1GB"
        [logging]
        level = 5
    """
    flags = {"query.max_result_rows": [], "query.nope": 1}
    assert lines_of(tmp_path, text, flags=flags) == [
        "sqe.toml: query.timeout_secs: must be a whole number, got a string",
        "sqe.toml: query.timeout_sec: unknown key; did you mean query.timeout_secs?",
        "sqe.toml: logging.level: must be 'debug', 'info', 'warning' or 'error'",
        "sqe.toml: zzz: unknown key",
        "command line: query.max_result_rows: must be a whole number, got a list",
        "command line: query.nope: unknown key",
        "sqe.toml: engine.bytes_in_flight: must not be more than engine.memory_limit",
    ]


def test_a_bad_value_in_the_file_is_told_even_when_a_flag_wins(tmp_path: Path) -> None:
    lines = lines_of(tmp_path, "query.timeout_secs = []", flags={"query.timeout_secs": 5})
    assert lines == ["sqe.toml: query.timeout_secs: must be a whole number, got a list"]


def test_flags_are_checked_like_the_file(tmp_path: Path) -> None:
    assert lines_of(tmp_path, flags={"query.timeout_secs": "soon"}) == [
        "command line: query.timeout_secs: must be a whole number, got a string"
    ]


def test_a_conflict_is_blamed_on_the_strongest_source(tmp_path: Path) -> None:
    text = 'engine.bytes_in_flight = "128MB"'
    rest = "engine.bytes_in_flight: must not be more than engine.memory_limit"
    assert lines_of(tmp_path, text, env={"SQE_MEMORY_LIMIT": "64MB"}) == [f"environment: {rest}"]
    assert lines_of(tmp_path, text, flags={"engine.memory_limit": "64MB"}) == [f"command line: {rest}"]


def test_the_default_of_a_bad_value_is_in_no_conflict(tmp_path: Path) -> None:
    text = 'engine.memory_limit = "x"\nengine.bytes_in_flight = "2GB"'
    (line,) = lines_of(tmp_path, text)
    assert line.startswith("sqe.toml: engine.memory_limit: ")


# The mechanism, on models of the test's own.


class Door(SettingsModel):
    """A section with a required key and conflicts."""

    key: SecretStr
    low: int = 0
    high: int = 9

    def conflicts(self) -> Iterable[Conflict]:
        """Two of them, to see that both are told."""
        if self.low > self.high:
            yield Conflict(("low", "high"), "must not be above house.door.high")
            yield Conflict(("high",), "must leave {room}")


class House(SettingsModel):
    """A section in a section, and a conflict across."""

    door: Door = Field(default_factory=lambda: Door(key=SecretStr("")))
    floors: int = 1

    def conflicts(self) -> Iterable[Conflict]:
        """A key of the section below takes part."""
        if self.floors > self.door.high:
            yield Conflict(("floors", "door.high"), "is too high")


class Town(SettingsModel):
    """The root."""

    house: House = Field(default_factory=House)


def load_town(text: str, cwd: Path) -> Loaded[Town]:
    """Load the test's own root."""
    (cwd / "sqe.toml").write_text(text)
    return load_as(Town, config_path=None, environ={}, overrides={}, embedded=False, cwd=cwd)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("house.door.low = 1", ["settings: house.door.key: must be set"]),
        (
            "house.door = {key = 'k', low = 10}",
            [
                "sqe.toml: house.door.low: must not be above house.door.high",
                "settings: house.door.high: must leave {room}",
            ],
        ),
        ("house.floors = 10", ["sqe.toml: house.floors: is too high"]),
        (
            "house.door = {key = 'k', high = 'x'}\nhouse.floors = 10",
            ["sqe.toml: house.door.high: must be a whole number, got a string"],
        ),
        ("house.door.kee = 1", ["sqe.toml: house.door.kee: unknown key; did you mean house.door.key?"]),
    ],
)
def test_nested_sections(tmp_path: Path, text: str, lines: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_town(text, tmp_path)
    found = caught.value.message.split("\n")
    assert [line for line in found if "door.kee" not in text or "must be set" not in line] == lines


def test_models_made_by_hand_are_checked_too() -> None:
    with pytest.raises(ValidationError, match="low: must not be above"):
        Door(key=SecretStr("k"), low=10)


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError):
        Settings().query.timeout_secs = 5  # type: ignore[misc]  # what is tested


# Secrets.

SECRET = "hunter2-never-show"


def _no_secret(value: str) -> str:
    if value:
        raise refuse("must be empty")
    return value


def _leaky(value: str) -> str:
    if value:
        raise ValueError(f"what is {value}?")
    return value


class Vault(SettingsModel):
    """A section with secrets, and keys of all types that a secret may land in by mistake."""

    password: SecretStr = SecretStr("")
    tokens: dict[str, SecretStr] = Field(default={})
    pins: list[SecretStr] = Field(default=[])
    number: int = 0
    flag: bool = False
    size: Size = 0
    word: Literal["a", "b"] = "a"
    empty: Annotated[str, AfterValidator(_no_secret)] = ""
    leaky: Annotated[str, AfterValidator(_leaky)] = ""
    ratio: float = 0.0


class Bank(SettingsModel):
    """The root."""

    vault: Vault = Field(default_factory=Vault)


def load_bank(cwd: Path, text: str = "", **sources: Any) -> Loaded[Bank]:
    """Load the test's own root."""
    (cwd / "sqe.toml").write_text(text)
    return load_as(
        Bank,
        config_path=None,
        environ=sources.get("env", {}),
        overrides=sources.get("flags", {}),
        embedded=False,
        cwd=cwd,
    )


BAD_KEYS = [
    "number",
    "flag",
    "size",
    "word",
    "empty",
    "leaky",
    "ratio",
    "unknown",
    "tokens",
    "pins",
    "number.deeper",
]


def test_a_secret_shows_nowhere(tmp_path: Path) -> None:
    text = f"[vault]\npassword = '{SECRET}'\ntokens.a = '{SECRET}'\npins = ['{SECRET}']"
    env = {"SQE_VAULT__TOKENS__B": SECRET, "SQE_VAULT__PINS__1": SECRET}
    loaded = load_bank(tmp_path, text, env=env, flags={"vault.tokens.c": SECRET})
    vault = loaded.settings.vault
    secrets = [vault.password, *vault.tokens.values(), *vault.pins]
    assert [secret.get_secret_value() for secret in secrets] == [SECRET] * 6
    shown = [repr(loaded), str(loaded.settings), repr(loaded.settings), str(dump(loaded.settings))]
    shown += [loaded.settings.model_dump_json(), *loaded.warnings]
    assert SECRET not in "".join(shown)
    assert dump(loaded.settings)["vault"] | {"number": 1} == {
        "password": "[REDACTED]",
        "tokens": dict.fromkeys("abc", "[REDACTED]"),
        "pins": ["[REDACTED]", "[REDACTED]"],
        "number": 1,
        "flag": False,
        "size": 0,
        "word": "a",
        "empty": "",
        "leaky": "",
        "ratio": 0.0,
    }


def assert_clean(error: ConfigError) -> None:
    """No trace of the secret, in what is printed or in what hangs on the error."""
    shown = [str(error), repr(error), str(error.to_dict()), *traceback.format_exception(error)]
    assert SECRET not in "".join(shown)
    assert error.__cause__ is None
    assert error.__context__ is None


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_secret_in_the_wrong_place_of_the_file_is_not_shown(tmp_path: Path, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_bank(tmp_path, f"vault.{key} = '{SECRET}'")
    assert_clean(caught.value)


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_secret_in_the_wrong_flag_is_not_shown(tmp_path: Path, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_bank(tmp_path, flags={f"vault.{key}": SECRET})
    assert_clean(caught.value)


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_secret_in_the_wrong_variable_is_not_shown(tmp_path: Path, key: str) -> None:
    variable = f"SQE_VAULT__{key.upper().replace('.', '__')}"
    loaded = load_bank(tmp_path, env={variable: SECRET})
    assert loaded.settings == Bank()
    assert SECRET not in repr(loaded)
    named = key not in {"unknown", "number.deeper"}
    assert [warning.split(":")[0] for warning in loaded.warnings] == ([variable] if named else [])


@pytest.mark.parametrize(
    "text",
    [
        f"vault.password = {SECRET}",
        f"vault.password = '{SECRET}",
        f"vault.password = '{SECRET}'\nvault.password = '{SECRET}'",
        f'vault.password = "{SECRET}\\q"',
        f"vault = '{SECRET}'",
        f"vault.password = ['{SECRET}']",
        f"vault.tokens.a.b = '{SECRET}'",
        f"vault.pins = [['{SECRET}']]",
    ],
)
def test_a_secret_in_a_broken_file_is_not_shown(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_bank(tmp_path, text)
    assert_clean(caught.value)


def test_a_model_made_by_hand_does_not_show_a_secret_either() -> None:
    with pytest.raises(ValidationError) as caught:
        Vault.model_validate({"number": SECRET, "word": SECRET, "size": SECRET, "unknown": SECRET, "empty": SECRET})
    assert SECRET not in str(caught.value) + repr(caught.value)
