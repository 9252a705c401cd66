from __future__ import annotations

from pathlib import Path

import pytest

from sqe.spark.java import Java
from sqe.spark.jvm_flags import JvmPlan

_MB = 1 << 20


def _plan(limit: int, *, one_shot: bool = False) -> JvmPlan:
    return JvmPlan(Java(Path("java"), "17.0.1", "test"), [Path("a.jar")], limit, Path("logs"), one_shot=one_shot)


@pytest.mark.parametrize("limit", [64 * _MB, 1024 * _MB, 16 * 1024 * _MB])
def test_sparks_pool_is_as_large_as_the_limit(limit: int) -> None:
    plan = _plan(limit)
    pool = (plan.heap - 300 * _MB) * plan.memory_fraction
    assert pool == pytest.approx(limit, rel=0.01)
    assert 0 < plan.memory_fraction < 1
    # Spark refuses to start on less.
    assert plan.heap >= 450 * _MB


def test_only_a_process_for_one_statement_does_without_the_optimizing_compiler() -> None:
    assert "-XX:TieredStopAtLevel=1" in _plan(64 * _MB, one_shot=True).command()
    assert "-XX:TieredStopAtLevel=1" not in _plan(64 * _MB).command()
