"""Pictures drawn a second, on one core: each ruleset at its start, in mid game and at its end.

python -m bench.pictures [RULESET] [--seats N] [--rounds N]
"""

from __future__ import annotations

import argparse
import random
import statistics
from typing import Any

from service import render
from service.rules.chance import FreeChance
from service.rules.ruleset import AnyRuleset, rulesets, run, start

from .timing import calibration, markdown, rates, spread, table

HEADING = "Pictures"
TIMES = 20
"""How often a picture is drawn in a round."""


def views(ruleset: AnyRuleset, seats: int, seed: int = 1) -> dict[str, Any]:
    """Returns the views at the start, in the middle and at the end of a random game."""
    generator = random.Random(seed)
    chance = FreeChance(generator)
    state, _ = start(ruleset, seats, ruleset.options(), chance)
    seen = [ruleset.view(state)]
    while acting := ruleset.to_act(state):
        run(ruleset, state, acting[0], generator.choice(ruleset.legal(state, acting[0])), chance)
        seen.append(ruleset.view(state))
    return {"start": seen[0], "middle": seen[len(seen) // 2], "end": seen[-1]}


def drawing(name: str, view: Any) -> int:
    """Draws a view some times; returns how often."""
    for _ in range(TIMES):
        render.svg(name, view)
    return TIMES


def drawn(name: str, shown: dict[str, Any], rounds: int) -> dict[str, list[float]]:
    """Returns the pictures a second in each round, by position."""
    return rates(
        {place: lambda view=view: drawing(name, view) for place, view in shown.items()}, rounds
    )


def report(ruleset: AnyRuleset, seats: int, rounds: int) -> str:
    """Returns what was measured, as text."""
    shown = views(ruleset, seats)
    found = drawn(ruleset.id, shown, rounds)
    lines = [f"{ruleset.title}, {seats} seats: pictures a second", table(found)]
    for place, view in shown.items():
        size = len(render.svg(ruleset.id, view).encode())
        slow = 1000 / statistics.median(found[place])
        lines.append(f"{place}: {slow:.1f} ms, {size / 1000:.0f} kB")
    return "\n".join(lines)


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    rows = []
    for name, ruleset in rulesets().items():
        shown = views(ruleset, ruleset.seats[-1])
        found = drawn(name, shown, 2 if quick else 5)
        for place, view in shown.items():
            size = len(render.svg(name, view).encode()) / 1000
            slow = [1000 / rate for rate in found[place]]
            rows.append((name, place, spread(slow, 1), f"{size:.0f}"))
    heads = ("ruleset, most seats", "position", "ms per picture", "kB")
    return markdown(heads, rows)


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ruleset", nargs="?", choices=[*rulesets()])
    parser.add_argument("--seats", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    print(f"calibration loop: {calibration():.1f} ms")
    for name in [chosen.ruleset] if chosen.ruleset else rulesets():
        ruleset = rulesets()[name]
        print(report(ruleset, chosen.seats or ruleset.seats[-1], chosen.rounds))


if __name__ == "__main__":
    main()
