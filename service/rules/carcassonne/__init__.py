"""Carcassonne, the base game for 2 to 5 seats. Rules C-1 … C-5."""

from __future__ import annotations

import random

from ..chance import Chance
from ..plain import Command, Component, Event, Plain
from ..ruleset import Ruleset, Scoring, rule_book
from . import law, scoring
from .commands import COMMANDS
from .events import EVENTS
from .options import SEATS, Options, check, pile
from .state import OVER, State, initial
from .tiles import TILES
from .view import view


class Carcassonne(Ruleset[State]):
    """The ruleset: what each method promises stands in the protocol."""

    id = "carcassonne"
    title = "Carcassonne"
    version = 1
    seats = SEATS
    options = Options
    commands = COMMANDS
    events = EVENTS
    components = tuple(
        Component(
            "tile",
            tile["id"],
            tile["names"],
            {name: tile[name] for name in tile if name not in ("id", "names")},
        )
        for tile in TILES
    )
    rules = rule_book(__package__)

    def initial(self, seats: int, options: Options) -> State:
        check(seats, options)
        return initial(seats, options, pile(options))

    def decide(self, state: State, seat: int, command: Command) -> list[Event]:
        return law.decide(state, seat, command)

    def proceed(self, state: State, chance: Chance) -> list[Event]:
        return law.proceed(state, chance)

    def evolve(self, state: State, event: Event) -> None:
        law.evolve(state, event)

    def to_act(self, state: State) -> tuple[int, ...]:
        return law.to_act(state)

    def legal(self, state: State, seat: int) -> list[Command]:
        return law.legal(state, seat)

    def sample(self, state: State, seat: int, generator: random.Random) -> Command:
        """Returns some legal command of a seat that may act, quicker than the whole list."""
        return law.sample(state, seat, generator)

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


RULESET = Carcassonne()
