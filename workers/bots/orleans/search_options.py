"""What a search looks at in Orléans: whole plans, not followers put down singly.

A plan is a line of commands up to the end of the seat's planning. Other plans than the planner's
own come from tastes: each place's worth is changed by chance and the planner plans by that.
Simulations are played on by planners for some rounds; what comes after these is guessed.
"""

from __future__ import annotations

import random
from typing import Final, cast

from service.rules.chance import NoChance
from service.rules.described import Command
from service.rules.orleans import RULESET
from service.rules.orleans.commands import END_PLANNING, PASS, UsePlace
from service.rules.orleans.scoring import status, totals
from service.rules.orleans.state import ACTIONS, OVER, PLANNING, State
from service.rules.orleans.tables import DRAWS, KNIGHT, PLACES
from service.rules.ruleset import run

from ..hints import Option
from .easy_choice import choose
from .plans import Taste, placings
from .worth import FOLLOWER, TECHNOLOGY, Outlook

HABIT: Final = 1.0
"""The points that the planner's own choice promises more than any other."""

TASTES: Final = 10
"""How many tastes plans are made by."""

VARIETY: Final = 0.7
"""How much tastes differ: the standard deviation of the logarithm of a place's factor."""

LONGEST: Final = 40
"""No plan has more commands; a longer one is cut off there and planned on later."""


def options(state: State, seat: int, generator: random.Random) -> list[Option]:
    """Returns the choices worth a search: plans, ways to use a place, or just what `easy` does."""
    if state.step == PLANNING:
        return _plans(state, seat, generator)
    own = choose(state, seat, generator)
    if state.step != ACTIONS or state.bath:
        return [Option((own,), 0.0)]
    outlook = Outlook(state, seat)
    found: dict[Command, float] = {}
    for command in RULESET.legal(state, seat):
        if isinstance(command, UsePlace):
            found[command] = outlook.of(command)
        elif command is PASS:
            found[command] = 0.0
    found[own] = max([*found.values(), 0.0]) + HABIT
    return [Option((command,), promise) for command, promise in found.items()]


def _plans(state: State, seat: int, generator: random.Random) -> list[Option]:
    own = plan(state, seat)
    found: dict[frozenset[Command], Option] = {frozenset(own): Option(own, HABIT)}
    for _ in range(TASTES):
        taste = [generator.lognormvariate(0, VARIETY) for _ in PLACES]
        other = plan(state, seat, taste)
        found.setdefault(frozenset(other), Option(other, 0.0))
    return list(found.values())


def plan(state: State, seat: int, taste: Taste | None = None) -> tuple[Command, ...]:
    """Returns all that the planner does until the seat's planning ends; nothing is drawn in it."""
    trial = state.clone()
    commands: list[Command] = []
    while len(commands) < LONGEST:
        placed = placings(trial, seat, taste)
        commands += placed
        if placed[-1] is END_PLANNING:
            break
        for command in placed:
            run(RULESET, trial, seat, command, NoChance())
    return tuple(commands)


def evaluate(state: State) -> list[float]:
    """Returns the points each seat may hope for at the end."""
    sums = totals(state)
    if state.step == OVER:
        return [float(total) for total in sums]
    return [total + _to_come(state, seat) for seat, total in enumerate(sums)]


def _to_come(state: State, number: int) -> float:
    """Returns what the rounds to come may bring a seat."""
    outlook = Outlook(state, number)
    me = outlook.me
    counted = (me.built + me.citizens) * status(state, me)
    product = outlook.counted * max(outlook.status, status(state, me)) - counted
    useful = min(outlook.crowd, DRAWS[me.tracks[KNIGHT]])
    each = FOLLOWER * useful + TECHNOLOGY * me.technology_spaces.bit_count()
    return cast(float, product + outlook.left * each)


def policy(state: State, seat: int, generator: random.Random) -> tuple[Command, ...]:
    """Returns what `easy` does, in planning all that it would put down in a row."""
    if state.step == PLANNING:
        return placings(state, seat)
    return (choose(state, seat, generator),)


def moment(state: State) -> int:
    """Returns the number of the round."""
    return state.round
