"""Very many random games: what is cheap is checked in every state, what is dear in one of each.

In every state: the ruleset's own invariant, and that somebody may act until play is over. Of every
game: that it ends, that draws are numbered without gaps and lie within their bounds, that its
events alone lead to its end again, and what `check_score` says of the end. In one state of it,
chosen at random: all laws.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from service.rules.chance import Draw, FreeChance
from service.rules.described import Event
from service.rules.ruleset import AnyRuleset, run, start
from workers.bots import random_level

from . import laws
from .laws import Step

MANY = 10_000
CHUNK = 250
FEW = 40
MAX_MOVES = 5_000
LOOK = 200
"""The one state is one of the first so many, or else the last."""

CHUNKS = [
    pytest.param(range(FEW), id=f"{FEW}", marks=pytest.mark.broad),
    *(
        pytest.param(
            range(first, first + CHUNK),
            id=f"{first}-{first + CHUNK - 1}",
            marks=pytest.mark.long,
        )
        for first in range(0, MANY, CHUNK)
    ),
]
"""The seeds of a test's games: a few, and all in pieces that processes can share."""


def numbers(seats: Sequence[int]) -> list[Any]:
    """Numbers of seats for games with all laws: the least, and the others as broad tests."""
    least, *others = seats
    return [least, *(pytest.param(number, marks=pytest.mark.broad) for number in others)]


def check_many(
    ruleset: AnyRuleset,
    variants: Sequence[Any],
    seeds: Iterable[int],
    invariant: Callable[[Any], None],
) -> Counter[str]:
    """Plays a game for each seed, for all numbers of seats and all options in turn.

    Returns how often each type of event came up.
    """
    happened: Counter[str] = Counter()
    for seed in seeds:
        seats = ruleset.seats[seed % len(ruleset.seats)]
        options = variants[seed // len(ruleset.seats) % len(variants)]
        happened.update(_check_one(ruleset, seats, options, random.Random(seed), invariant))
    return happened


def _check_one(
    ruleset: AnyRuleset,
    seats: int,
    options: Any,
    generator: random.Random,
    invariant: Callable[[Any], None],
) -> list[str]:
    chance = FreeChance(generator)
    state, outcome = start(ruleset, seats, options, chance)
    events: list[Event] = list(outcome.events)
    draws: list[Draw] = list(outcome.draws)
    look = generator.randrange(LOOK)
    moves = 0
    while not ruleset.over(state):
        invariant(state)
        seat = generator.choice(ruleset.to_act(state))
        command = random_level.choose(ruleset, state, seat, generator)
        before = ruleset.clone(state) if moves == look else None
        outcome = run(ruleset, state, seat, command, chance)
        events += outcome.events
        draws += outcome.draws
        if before is not None:
            step = Step(before, seat, command, outcome, ruleset.clone(state))
            _check_everything(ruleset, step, generator)
        moves += 1
        assert moves < MAX_MOVES, "it does not end"
    invariant(state)
    assert [draw.number for draw in draws] == list(range(len(draws)))
    assert all(0 <= draw.value < draw.bound for draw in draws)
    replayed = ruleset.initial(seats, options)
    for event in events:
        ruleset.evolve(replayed, event)
    assert replayed == state, "its events lead elsewhere"
    laws.check_score(ruleset, state)
    assert ruleset.to_act(state) == ()
    return [event.type for event in events]


def _check_everything(ruleset: AnyRuleset, step: Step, generator: random.Random) -> None:
    state = step.after
    for event in step.outcome.events:
        laws.stored(ruleset, event)
    laws.check_legal_is_decide(ruleset, state, generator)
    for seat in ruleset.to_act(state):
        laws.check_canonical_order(ruleset, ruleset.legal(state, seat))
    laws.check_view(ruleset, state)
    laws.check_score(ruleset, state)
    laws.check_stopping(ruleset, step)
    laws.check_clone(ruleset, step)
    laws.check_ending(ruleset, state)
