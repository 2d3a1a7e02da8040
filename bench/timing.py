"""Timing in turns, and the calibration loop."""

from __future__ import annotations

import argparse
import hashlib
import random
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

Work = Callable[[], int]
"""Does something some times and returns how often."""


def calibration() -> float:
    """Returns the time (ms) of a fixed loop of plain Python and hashing on this machine."""
    begun = time.perf_counter()
    digest = b""
    total = 0
    for number in range(100_000):
        total += number * number % 7
        if number % 100 == 0:
            digest = hashlib.sha256(digest + total.to_bytes(8, "big")).digest()
    return (time.perf_counter() - begun) * 1000


def rates(works: Mapping[str, Work], rounds: int) -> dict[str, list[float]]:
    """Returns, for each work, how often a second it was done in each round, all works in turns.

    One round before the first is not counted.
    """
    found: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            begun = time.perf_counter()
            done = work()
            rate = done / (time.perf_counter() - begun)
            if number:
                found[name].append(rate)
    return found


def ratio(found: Mapping[str, list[float]], one: str, other: str) -> float:
    """Returns the median over the rounds of one work's rate to another's."""
    pairs = zip(found[one], found[other], strict=True)
    return statistics.median(mine / theirs for mine, theirs in pairs)


def middle(values: Sequence[float]) -> tuple[float, float, float]:
    """Returns the median and its interval (95 %, by resampling the rounds)."""
    generator = random.Random(1)
    medians = sorted(
        statistics.median(generator.choices(values, k=len(values))) for _ in range(1_000)
    )
    return statistics.median(values), medians[24], medians[974]


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Returns a median with its interval, as text."""
    median, low, high = middle(values)
    return f"{median:,.{digits}f} ({low:,.{digits}f} – {high:,.{digits}f})"


def milliseconds(work: Callable[[], object], times: int) -> list[float]:
    """Returns how long each of so many calls took (ms)."""
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        spent.append((time.perf_counter() - begun) * 1000)
    return spent


def show(section: Callable[[bool], str], about: str | None) -> None:
    """Prints a section for the command line, which may ask for a quick one (--quick)."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    print(f"calibration loop: {calibration():.1f} ms")
    print(section(asked.quick))


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table for the page of results."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table(found: Mapping[str, list[float]], unit: str = "a second") -> str:
    """Returns the medians with the lowest and highest round, a line each."""
    width = max(map(len, found))
    return "\n".join(
        f"{name:{width}}  {statistics.median(values):10,.1f} {unit}"
        f"  ({min(values):,.1f} … {max(values):,.1f})"
        for name, values in found.items()
    )
