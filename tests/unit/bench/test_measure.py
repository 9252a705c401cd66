from __future__ import annotations

from sqe.bench.measure import Comparison, Times, interleave


def test_rounds_take_turns() -> None:
    calls: list[str] = []

    def contender(name: str, seconds: float) -> float:
        calls.append(name)
        return seconds

    times = interleave({"a": lambda: contender("a", 1.0), "b": lambda: contender("b", 2.0)}, 2)
    assert calls == ["a", "b", "a", "b"]
    assert times["b"].seconds == (2.0, 2.0)


def test_report_names_ratio_and_target() -> None:
    comparison = Comparison("x", Times((1.0, 3.0, 2.0)), Times((4.0,)), "peer", 0.4)
    assert comparison.ratio == 0.5
    assert "0.50 times peer (OVER the target of 0.4)" in comparison.report()
