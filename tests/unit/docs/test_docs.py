"""The documentation matches the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from sqe.cli.dot_commands import DotCommands
from sqe.cli.options import _parser
from sqe.cli.run import Outcome, StatementRunner, Status
from sqe.core.errors import SqeError

ROOT = Path(__file__).parents[3]
SRC = ROOT / "src"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MODULES = sorted(SRC.rglob("*.py"))
SOURCES = sorted([*MODULES, *SRC.rglob("*.java")])


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


def code_spans(text: str) -> set[str]:
    """The words of all inline code: `--user NAME` has two."""
    return {word for span in re.findall(r"`([^`\n]+)`", text) for word in span.split()}


def error_classes(root: type[SqeError] = SqeError) -> Iterator[type[SqeError]]:
    yield root
    for child in root.__subclasses__():
        if child.__module__ == root.__module__:
            yield from error_classes(child)


def flags() -> list[str]:
    found = re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", _parser().format_help())
    return sorted(set(found))


def dot_commands() -> list[str]:
    commands = DotCommands(cast("StatementRunner", None), lambda _: Outcome(Status.OK)).commands
    return [name for command in commands for name in command.names]


def make_verbs() -> list[str]:
    return re.findall(r"^([a-z-]+):.*##", text_of("Makefile"), flags=re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings."""
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_readme_is_short() -> None:
    assert len(text_of("README.md").splitlines()) <= 150


def test_every_error_code_is_documented_with_its_kind() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\w+) \|", text_of("docs/errors.md"), flags=re.MULTILINE)
    assert len(rows) == len(dict(rows)), "a code has two rows"
    assert dict(rows) == {error.code: error.kind.value for error in error_classes()}


@pytest.mark.parametrize("flag", flags())
def test_every_flag_is_documented(flag: str) -> None:
    assert flag in code_spans(text_of("docs/shell.md"))


@pytest.mark.parametrize("command", dot_commands())
def test_every_dot_command_is_documented(command: str) -> None:
    assert command in code_spans(text_of("docs/shell.md"))


@pytest.mark.parametrize("verb", make_verbs())
def test_every_make_verb_is_documented(verb: str) -> None:
    assert f"`make {verb}`" in text_of("CONTRIBUTING.md")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{link} has no such heading"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=name_of)
def test_every_page_is_in_the_index(page: Path) -> None:
    assert page.name == "README.md" or f"]({page.name})" in text_of("docs/README.md")


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_every_module_has_a_docstring(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_no_source_file_is_long(source: Path) -> None:
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 500


def test_tests_that_keep_holes_closed_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text_of("docs/known-holes.md"))
    assert len(named) > 20
    for file, test in named:
        assert f"def {test}" in text_of(file)
