"""Orléans, the base game for 2 to 4 seats. Rules O-1 … O-9."""

from __future__ import annotations

import random

from ..chance import Chance
from ..plain import Command, Event, Plain
from ..ruleset import Ruleset, Scoring, rule_book
from . import applying, judging, listing, proceeding, sampling, scoring
from .commands import COMMANDS
from .components import COMPONENTS
from .events import ALL
from .options import Options, check
from .state import OVER, State, initial
from .tables import SEATS
from .view import view


class Orleans(Ruleset[State]):
    """The ruleset: what each method promises stands in the protocol."""

    id = "orleans"
    title = "Orléans"
    version = 1
    seats = SEATS
    options = Options
    commands = COMMANDS
    events = ALL
    components = COMPONENTS
    rules = rule_book(__package__)
    passes = ("pass",)

    def initial(self, seats: int, options: Options) -> State:
        check(seats, options)
        return initial(seats, options)

    def decide(self, state: State, seat: int, command: Command) -> list[Event]:
        return judging.decide(state, seat, command)

    def proceed(self, state: State, chance: Chance) -> list[Event]:
        return proceeding.proceed(state, chance)

    def evolve(self, state: State, event: Event) -> None:
        applying.evolve(state, event)

    def to_act(self, state: State) -> tuple[int, ...]:
        return listing.to_act(state)

    def legal(self, state: State, seat: int) -> list[Command]:
        return listing.legal(state, seat)

    def sample(self, state: State, seat: int, generator: random.Random) -> Command:
        """Returns some legal command of a seat that may act, quicker than the whole list."""
        return sampling.sample(state, seat, generator)

    def over(self, state: State) -> bool:
        return state.step == OVER

    def view(self, state: State) -> dict[str, Plain]:
        return view(state)

    def score(self, state: State) -> Scoring:
        return scoring.score(state)

    def totals(self, state: State) -> list[int]:
        """Returns each seat's provisional total, quicker than the itemised score."""
        return scoring.totals(state)

    def clone(self, state: State) -> State:
        return state.clone()


RULESET = Orleans()
