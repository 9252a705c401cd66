"""Timing of interleaved rounds: wall time of each contender in turn, so that noise hits all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Times:
    """Seconds of several rounds."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The round with the least noise."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The usual round."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"min {self.best:.3f} s, median {self.median:.3f} s, max {max(self.seconds):.3f} s"


@dataclass(frozen=True)
class Comparison:
    """One measurement: ours, the peer's, and the ratio of the medians that we hold ourselves to."""

    name: str
    ours: Times
    peer: Times
    peer_name: str
    target: float

    @property
    def ratio(self) -> float:
        """How many times the peer's median ours is."""
        return self.ours.median / self.peer.median

    def report(self) -> str:
        """Three lines for a person."""
        verdict = "within" if self.ratio <= self.target else "OVER"
        return (
            f"{self.name}: {self.ratio:.2f} times {self.peer_name} ({verdict} the target of {self.target})\n"
            f"    sqe        {self.ours}\n"
            f"    {self.peer_name:<10} {self.peer}"
        )


def interleave(contenders: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, Times]:
    """Run all contenders once per round; each answers the seconds it took."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            seconds[name].append(run())
    return {name: Times(tuple(values)) for name, values in seconds.items()}


def timed(action: Callable[[], object]) -> float:
    """The seconds that an action takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin
