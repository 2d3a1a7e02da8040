"""What looks equal is equal: positions of random games, seen by their views alone."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.rules.ruleset import AnyRuleset, rulesets

from .laws import Looks, any_type, play_random

GAMES, MOVES, EVERY = 4, 240, 3
TOLD_IN_ORDER = "carcassonne"
"""Its views tell tiles in the order placed, so that positions hardly ever look alike."""


def look_around(ruleset: AnyRuleset, seats: int, options: Any, games: range) -> Looks:
    """Looks at positions of games with the same options, and at other orders of what was done."""
    looks = Looks(ruleset)
    for seed in games:
        generator = random.Random(f"looks {seats} {seed}")
        steps = play_random(ruleset, seats, options, generator, most=MOVES, choose=any_type)
        for place, step in enumerate(steps):
            if place % EVERY == 0:
                looks.add(step.after)
                looks.add_other_orders(step.after, generator)
    return looks


@pytest.mark.parametrize("name", rulesets())
def test_positions_that_differ_look_different(name: str) -> None:
    ruleset = rulesets()[name]
    seats = ruleset.seats[0]
    looks = look_around(ruleset, seats, ruleset.options(), range(GAMES))
    assert looks.alike or name == TOLD_IN_ORDER, "no two looked alike: nothing was checked"


@pytest.mark.long
@pytest.mark.no_cover
@pytest.mark.parametrize("name", rulesets())
def test_many_positions_that_differ_look_different(name: str) -> None:
    ruleset = rulesets()[name]
    for seats in ruleset.seats:
        look_around(ruleset, seats, ruleset.options(), range(40))
