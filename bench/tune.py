"""Tunes the figures of a ruleset's evaluation by self-play: better figures beat the ones before.

python -m bench.tune RULESET [--pairs N] [--rounds N] [--step S] [--seed N] [--only NAME …]

Each round tries every figure somewhat larger and somewhat smaller. A trial plays pairs of games
against the best figures so far, seats swapped and with the same draws, until it is clear (by the
mean lead and its standard error) that it is no better, or all pairs are played; it takes their
place if it leads by more than its standard error. The figures found are printed as JSON, to be put
into the ruleset's data file of weights. Games are of two seats.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections.abc import Callable, Mapping
from typing import Any

from service.rules.chance import FreeChance
from service.rules.ruleset import AnyRuleset, rulesets, run, start
from workers.bots import hints

Figures = Mapping[str, float]

FEWEST = 10
"""No trial is given up before so many pairs."""


def lead(ruleset: AnyRuleset, policies: tuple[hints.Policy, hints.Policy], seed: int) -> int:
    """Returns by how much the first seat's total is larger after a game."""
    generator = random.Random(seed)
    chance = FreeChance(random.Random(f"draws {seed}"))
    state, _ = start(ruleset, 2, ruleset.options(), chance)
    while acting := ruleset.to_act(state):
        for command in policies[acting[0]](state, acting[0], generator):
            run(ruleset, state, acting[0], command, chance)
    first, second = (seat.total for seat in ruleset.score(state).seats)
    return first - second


def trial(
    ruleset: AnyRuleset, one: hints.Policy, other: hints.Policy, pairs: int, seed: int
) -> tuple[float, float]:
    """Returns the mean lead of one policy over another and its standard error, over pairs."""
    leads: list[float] = []
    for number in range(seed, seed + pairs):
        there, back = lead(ruleset, (one, other), number), lead(ruleset, (other, one), number)
        leads.append((there - back) / 2)
        if len(leads) >= FEWEST and statistics.mean(leads) < -_error(leads) / 2:
            break
    return statistics.mean(leads), _error(leads)


def _error(leads: list[float]) -> float:
    return statistics.stdev(leads) / len(leads) ** 0.5


def tune(
    ruleset: AnyRuleset,
    figures: Figures,
    tuned: Callable[[Figures], hints.Policy],
    asked: argparse.Namespace,
) -> Figures:
    """Returns the best figures found; tells each trial on the way."""
    best, seed, step = dict(figures), asked.seed, asked.step
    for number in range(asked.rounds):
        for name in asked.only or figures:
            for factor in (1 + step, 1 / (1 + step)):
                changed = {**best, name: round(best[name] * factor, 4)}
                mean, error = trial(ruleset, tuned(changed), tuned(best), asked.pairs, seed)
                seed += asked.pairs
                better = mean > error
                print(
                    f"round {number + 1}, {name} {best[name]:g} → {changed[name]:g}: "
                    f"{mean:+.2f} ± {error:.2f}{' taken' if better else ''}",
                    flush=True,
                )
                if better:
                    best = changed
                    break
        step = step * 2 / 3
    return best


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ruleset", choices=[name for name in rulesets() if hints.tunable(name)])
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--step", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*")
    asked = parser.parse_args()
    tunable: Any = hints.tunable(asked.ruleset)
    figures, tuned = tunable
    print(json.dumps(tune(rulesets()[asked.ruleset], figures, tuned, asked), indent=2))


if __name__ == "__main__":
    main()
