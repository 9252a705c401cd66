"""Load the settings: the command line wins over the environment, that over the file, that over the defaults.

Everything that is wrong is reported at once, before anything starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from sqe.core.errors import ConfigError
from sqe.observe.model import SettingsModel, embedded_defaults
from sqe.settings.environment import from_text, read_environment, resolve
from sqe.settings.file import read_file
from sqe.settings.problems import Problem, problems_of_layer, problems_of_whole
from sqe.settings.root import Settings
from sqe.settings.tree import KeyPath, Tree, existing, merge, put, without

Model = TypeVar("Model", bound=SettingsModel)


@dataclass(frozen=True)
class Loaded(Generic[Model]):
    """Settings, the file they came from (None: there was none), and warnings for the log."""

    settings: Model
    source: Path | None
    warnings: list[str] = field(default_factory=list)


LoadedSettings = Loaded[Settings]


@dataclass(frozen=True)
class _Layer:
    """The keys that one source sets."""

    name: str
    tree: Tree


def load(
    *,
    config_path: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, Any],
    embedded: bool,
    cwd: Path,
) -> LoadedSettings:
    """Load the settings of this process.

    Args:
        config_path: The file to read; None: `SQE_CONFIG`, then `sqe.toml` in `cwd` if there is one.
        environ: The environment variables.
        overrides: Values of flags by dotted key (`query.timeout_secs`); None counts as not given.
        embedded: Whether this is the embedded engine, which has some defaults of its own.
        cwd: The folder that relative paths start from.

    Raises:
        ConfigError: The file cannot be read, or something is wrong with keys or values: one line for each.
    """
    return load_as(Settings, config_path=config_path, environ=environ, overrides=overrides, embedded=embedded, cwd=cwd)


def embedded_settings() -> Settings:
    """The settings of an embedded engine for which nothing was set."""
    return Settings.model_validate(embedded_defaults(Settings))


def load_as(
    model: type[Model],
    *,
    config_path: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, Any],
    embedded: bool,
    cwd: Path,
) -> Loaded[Model]:
    """`load` for any root model."""
    file = read_file(config_path, environ, cwd)
    from_environment = read_environment(model, environ, file.tree)
    layers = [
        _Layer("embedded defaults", embedded_defaults(model) if embedded else {}),
        _Layer(file.name, file.tree),
        _Layer("environment", from_environment.tree),
        _Layer("command line", _from_command_line(model, overrides)),
    ]
    return Loaded(model.model_validate(_merged(model, layers)), file.path, from_environment.warnings)


def _from_command_line(model: type[SettingsModel], overrides: Mapping[str, Any]) -> Tree:
    tree: Tree = {}
    for key, value in overrides.items():
        if value is None:
            continue
        parts = key.split(".")
        target = resolve(model, parts, {})
        kinds = target[1] if target else ()
        alone: Tree = {}
        put(alone, tuple(parts), from_text(kinds, value) if isinstance(value, str) else value)
        tree = merge(tree, alone)
    return tree


def _merged(model: type[SettingsModel], layers: list[_Layer]) -> Tree:
    """All layers in one tree that `model` accepts. Raises `ConfigError` with everything that is wrong."""
    lines: list[str] = []
    bad: set[KeyPath] = set()
    tree: Tree = {}
    for layer in layers:
        problems = problems_of_layer(model, merge({}, layer.tree))
        lines.extend(problem.line(layer.name) for problem in problems)
        bad.update(problem.path for problem in problems)
        tree = merge(tree, without(layer.tree, [problem.path for problem in problems]))
    lines.extend(
        problem.line(_blamed(problem, layers))
        for problem in problems_of_whole(model, tree)
        # A bad value is reported already; what its default collides with is of no interest.
        if bad.isdisjoint((problem.path, *problem.others))
    )
    if lines:
        raise ConfigError("\n".join(lines))
    return tree


def _blamed(problem: Problem, layers: list[_Layer]) -> str:
    """The strongest layer that had a part in a conflict."""
    paths = (problem.path, *problem.others)
    names = [layer.name for layer in layers if any(existing(layer.tree, path) == path for path in paths)]
    return names[-1] if names else "settings"
