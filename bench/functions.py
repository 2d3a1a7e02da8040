"""What each function of a ruleset takes in random games with complete lists, and its share.

python -m bench.functions [--games N]
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service.rules.chance import FreeChance
from service.rules.ruleset import AnyRuleset, rulesets

from .timing import calibration, markdown

HEADING = "Functions"
NOTES = Path(__file__).with_name("functions.md")
"""What the time is spent on, in prose: the end of the section."""
PLAYED = ("legal", "decide", "proceed", "evolve")
BESIDE = ("clone", "view", "to_act")


class Watch:
    """Sums of calls and seconds by function."""

    def __init__(self) -> None:
        self.calls = dict.fromkeys((*PLAYED, *BESIDE), 0)
        self.seconds = dict.fromkeys((*PLAYED, *BESIDE), 0.0)

    def __call__(self, name: str, function: Callable[..., Any], *given: Any) -> Any:
        begun = time.perf_counter()
        result = function(*given)
        self.seconds[name] += time.perf_counter() - begun
        self.calls[name] += 1
        return result

    def microseconds(self, name: str) -> float:
        """Returns the mean of a call."""
        return 1e6 * self.seconds[name] / max(1, self.calls[name])

    def share(self, name: str) -> float:
        """Returns a function's part of what playing takes."""
        return self.seconds[name] / sum(self.seconds[each] for each in PLAYED)


def watched(ruleset: AnyRuleset, seats: int, games: int) -> Watch:
    """Plays random games, each step timed. Every position is cloned and viewed as well."""
    watch = Watch()
    for seed in range(games):
        generator = random.Random(seed)
        chance = FreeChance(generator)
        state = ruleset.initial(seats, ruleset.options())
        _go_on(watch, ruleset, state, chance)
        while acting := watch("to_act", ruleset.to_act, state):
            seat = acting[0]
            command = generator.choice(watch("legal", ruleset.legal, state, seat))
            for event in watch("decide", ruleset.decide, state, seat, command):
                watch("evolve", ruleset.evolve, state, event)
            _go_on(watch, ruleset, state, chance)
            watch("clone", ruleset.clone, state)
            watch("view", ruleset.view, state)
    return watch


def _go_on(watch: Watch, ruleset: AnyRuleset, state: Any, chance: FreeChance) -> None:
    while step := watch("proceed", ruleset.proceed, state, chance):
        for event in step:
            watch("evolve", ruleset.evolve, state, event)


def report(games: int) -> str:
    """Returns the table: microseconds a call, and the part of playing in percent."""
    rows = []
    for name, ruleset in rulesets().items():
        for seats in (ruleset.seats[0], ruleset.seats[-1]):
            watch = watched(ruleset, seats, games)
            played = (f"{watch.microseconds(f):.1f} ({watch.share(f):.0%})" for f in PLAYED)
            beside = (f"{watch.microseconds(f):.1f}" for f in BESIDE)
            rows.append((name, str(seats), *played, *beside))
    return markdown(("ruleset", "seats", *PLAYED, *BESIDE), rows)


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    intro = (
        "Microseconds per call, and in brackets the share of playing time. `evolve` is called for "
        "each event, `proceed`\nuntil nothing more happens automatically."
    )
    return f"{intro}\n\n{report(3 if quick else 20)}\n\n{NOTES.read_text().strip()}"


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    chosen = parser.parse_args()
    print(f"calibration loop: {calibration():.1f} ms")
    print(report(chosen.games))


if __name__ == "__main__":
    main()
