"""The documentation of the keys: complete, true, and up to date."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field, SecretStr

from sqe.observe.model import SettingsModel, Size, embedded, entry_of, section_of
from sqe.settings import Settings
from sqe.settings.reference import example_toml, main, reference_markdown, stale_files, write_files

ROOT = Path(__file__).parents[3]
SECTIONS = [name for name, field in Settings.model_fields.items() if entry_of(field) is None]


def keys_of(model: type[SettingsModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The dotted section and the name of every plain key."""
    for name, field in model.model_fields.items():
        inner = section_of(field)
        if inner is not None:
            yield from keys_of(inner, (*path, name))
        elif entry_of(field) is None:
            yield ".".join(path), name


KEYS = list(keys_of(Settings))


def keys_in(tree: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The same for a tree of values; the entries of the defaults' tables are keys of no section."""
    for name, value in tree.items():
        if isinstance(value, dict) and (".".join(path), name) not in KEYS:
            yield from keys_in(value, (*path, name))
        else:
            yield ".".join(path), name


def uncommented(example: str) -> str:
    """The example with every key taken out of its comment."""
    return re.sub(r"^#(?=\w+ = )", "", example, flags=re.MULTILINE)


def test_the_files_in_the_repository_are_up_to_date() -> None:
    assert stale_files(ROOT) == [], "run python -m sqe.settings.reference --write ."


def test_the_example_changes_nothing_as_it_is() -> None:
    tree = tomllib.loads(example_toml(Settings))
    assert list(tree) == SECTIONS
    assert list(keys_in(tree)) == []


def test_the_example_with_every_key_is_the_defaults() -> None:
    tree = tomllib.loads(uncommented(example_toml(Settings)))
    assert list(keys_in(tree)) == KEYS
    assert Settings.model_validate(tree) == Settings()


@pytest.mark.parametrize(("section", "name"), KEYS)
def test_every_key_is_explained(section: str, name: str) -> None:
    model: type[SettingsModel] = Settings
    for part in section.split("."):
        inner = section_of(model.model_fields[part])
        assert inner is not None
        model = inner
    assert model.model_fields[name].description
    page = reference_markdown(Settings)
    _, _, rest = page.partition(f"\n## [{section}]\n")
    table = rest.partition("\n## ")[0]
    assert f"| `{name}` |" in table
    assert f"SQE_{section.upper().replace('.', '__')}__{name.upper()}" in table


def test_the_page_tells_of_embedded_defaults_and_aliases() -> None:
    page = reference_markdown(Settings)
    assert "| `timeout_secs` | `300` | `0` |" in page
    assert "`SQE_ENGINE__MEMORY_LIMIT`, `SQE_MEMORY_LIMIT`" in page


def test_lines_are_not_too_long() -> None:
    assert max(len(line) for line in example_toml(Settings).splitlines()) <= 110


class Inner(SettingsModel):
    """A section in a section."""

    password: SecretStr = Field(default=SecretStr("hunter2"), description="A | secret.")
    odd: Size = Field(default=1_000_000_007, description="No round size.")
    names: dict[str, str] = Field(default={"a b": "c"}, description="A table.")
    items: list[int] = Field(default=[1], description="A list.", json_schema_extra=embedded([2]))


class Outer(SettingsModel):
    """Only sections."""

    inner: Inner = Field(default_factory=Inner)


class Root(SettingsModel):
    """Keys without a section."""

    strict: bool = Field(default=True, description="A key.")
    outer: Outer = Field(default_factory=Outer)


def test_other_shapes_of_models() -> None:
    example, page = example_toml(Root), reference_markdown(Root)
    assert tomllib.loads(uncommented(example)) == {
        "strict": True,
        "outer": {"inner": {"password": "", "odd": 1_000_000_007, "names": {"a b": "c"}, "items": [1]}},
    }
    assert "hunter2" not in example + page
    assert r"A \| secret." in page
    assert "## Without a section" in page
    assert "`SQE_STRICT`" in page
    assert "`SQE_OUTER__INNER__NAMES__<NAME>`" in page
    assert "`SQE_OUTER__INNER__ITEMS__<NUMBER>`" in page
    assert "| `items` | `[1]` | `[2]` |" in page


def test_check_finds_what_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", str(tmp_path)]) == 1
    assert "sqe.example.toml is stale" in capsys.readouterr().err
    assert main(["--write", str(tmp_path)]) == 0
    assert main(["--check", str(tmp_path)]) == 0
    with (tmp_path / "docs" / "configuration.md").open("a") as page:
        page.write("by hand\n")
    assert stale_files(tmp_path) == ["docs/configuration.md"]
    write_files(tmp_path)
    assert stale_files(tmp_path) == []


def test_runs_as_a_module() -> None:
    command = [sys.executable, "-W", "error", "-m", "sqe.settings.reference", "--check", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_tables_with_names_of_ones_own() -> None:
    page, example = reference_markdown(Settings), example_toml(Settings)
    assert "## [catalogs.<name>]" in page
    assert "SQE_CATALOGS__<NAME>__CATALOG_URL" in page
    assert "# [catalogs.<name>.auth]\n" in example
