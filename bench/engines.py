"""Random full games per second, on one core, with complete legal lists and with sampled moves.

python -m bench.engines [RULESET] [--seats N] [--games N] [--rounds N] [--profile]
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import statistics
from collections import Counter
from typing import Any

from service.rules.chance import FreeChance
from service.rules.ruleset import AnyRuleset, rulesets, run, start

from .timing import calibration, markdown, rates, spread, table

HEADING = "Engines"


def play(ruleset: AnyRuleset, seats: int, seed: int, *, complete: bool) -> Counter[str]:
    """Plays a random game; returns how many moves it had and how many commands were listed."""
    generator = random.Random(seed)
    chance = FreeChance(generator)
    sample: Any = None if complete else getattr(ruleset, "sample", None)
    state, _ = start(ruleset, seats, ruleset.options(), chance)
    counts: Counter[str] = Counter(games=1)
    while not ruleset.over(state):
        seat = ruleset.to_act(state)[0]
        if sample is not None:
            command = sample(state, seat, generator)
        else:
            listed = ruleset.legal(state, seat)
            counts["listed"] += len(listed)
            counts["longest"] = max(counts["longest"], len(listed))
            command = listed[int(generator.random() * len(listed))]
        run(ruleset, state, seat, command, chance)
        counts["moves"] += 1
    return counts


def games(ruleset: AnyRuleset, seats: int, number: int, *, complete: bool) -> Counter[str]:
    """Plays games with the seeds 0 … number - 1; returns the sums (of `longest`, the largest)."""
    total: Counter[str] = Counter()
    for seed in range(number):
        counts = play(ruleset, seats, seed, complete=complete)
        longest = max(total["longest"], counts["longest"])
        total += counts
        total["longest"] = longest
    return total


def both(ruleset: AnyRuleset, seats: int, number: int, rounds: int) -> dict[str, list[float]]:
    """Returns the games per second in each round, by how moves are chosen."""
    return rates(
        {
            "complete lists": lambda: games(ruleset, seats, number, complete=True)["games"],
            "sampled moves": lambda: games(ruleset, seats, number, complete=False)["games"],
        },
        rounds,
    )


def report(ruleset: AnyRuleset, seats: int, number: int, rounds: int) -> str:
    """Returns what was measured, as text."""
    found = both(ruleset, seats, number, rounds)
    counts = games(ruleset, seats, number, complete=True)
    listed, moves = counts["listed"] / counts["moves"], counts["moves"] / number
    fast = statistics.median(found["complete lists"]) * moves
    return "\n".join(
        (
            f"{ruleset.title}, {seats} seats: random games per second",
            table(found),
            f"{moves:.0f} moves per game, {fast:,.0f} moves per second with complete lists, "
            f"{listed:.1f} commands listed per move, at most {counts['longest']}",
        )
    )


def section(quick: bool) -> str:
    """Returns the section of the page of results."""
    rows = []
    for name, ruleset in rulesets().items():
        for seats in ruleset.seats:
            number = (10 if quick else 40) // seats + 1
            found = both(ruleset, seats, number, 2 if quick else 5)
            counts = games(ruleset, seats, number, complete=True)
            moves = counts["moves"] / number
            rows.append(
                (
                    name,
                    str(seats),
                    spread(found["complete lists"], 0),
                    spread(found["sampled moves"], 0) if hasattr(ruleset, "sample") else "–",
                    f"{statistics.median(found['complete lists']) * moves:,.0f}",
                    f"{moves:.0f}",
                    f"{counts['listed'] / counts['moves']:.1f}",
                    str(counts["longest"]),
                )
            )
    intro = (
        "Complete random games on one core: every move is chosen from the complete list of legal "
        "commands, or sampled\nwhere a ruleset can do that without the list."
    )
    heads = (
        "ruleset", "seats", "games per second", "sampled", "moves per second", "moves per game",
        "listed per move", "at most",
    )  # fmt: skip
    return f"{intro}\n\n{markdown(heads, rows)}"


def profile(ruleset: AnyRuleset, seats: int, number: int) -> None:
    """Prints where the time of games with complete lists goes."""
    profiler = cProfile.Profile()
    profiler.runcall(games, ruleset, seats, number, complete=True)
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(20)


def main() -> None:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ruleset", nargs="?", choices=[*rulesets()])
    parser.add_argument("--seats", type=int)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    chosen = parser.parse_args()
    print(f"calibration loop: {calibration():.1f} ms")
    for name in [chosen.ruleset] if chosen.ruleset else rulesets():
        ruleset = rulesets()[name]
        for seats in [chosen.seats] if chosen.seats else ruleset.seats:
            if chosen.profile:
                profile(ruleset, seats, chosen.games)
            else:
                print(report(ruleset, seats, chosen.games, chosen.rounds))


if __name__ == "__main__":
    main()
