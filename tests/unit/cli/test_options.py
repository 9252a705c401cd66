from __future__ import annotations

from pathlib import Path

import pytest

from sqe.cli.options import parse_options


def test_catalogs_from_both_flags() -> None:
    options = parse_options(["--embedded", "--warehouse", "/a", "--catalog", "crm=/b=c"])
    assert options.catalogs == {"iceberg": Path("/a"), "crm": Path("/b=c")}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--nonsense"], "--nonsense"),
        (["--embed"], "--embed"),
        (["-f", "xml"], "xml"),
        (["-p", "0"], "port"),
        (["-p", "http"], "port"),
        (["--embedded", "--memory", "--warehouse", "/a"], "--memory cannot be combined"),
        (["--embedded", "--catalog", "a"], "NAME=PATH"),
        (["--embedded", "--catalog", "=a"], "NAME=PATH"),
        (["--embedded", "--catalog", "a="], "NAME=PATH"),
        (["--embedded", "--catalog", "a.b=/x"], "dot"),
        (["--embedded", "--catalog", "a=/x", "--catalog", "a=/y"], "twice"),
        (["--embedded", "--warehouse", "/x", "--catalog", "iceberg=/y"], "twice"),
        (["--embedded", "--catalog", "Default=/x"], "reserved"),
        (["--memory"], "--memory needs --embedded"),
        (["--no-daemon"], "--no-daemon needs --embedded"),
        (["--memory-limit", "1GB"], "--memory-limit needs --embedded"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_options(arguments)
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert complaint in lines[0]
