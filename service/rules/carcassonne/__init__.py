"""Carcassonne, the base game for 2 to 5 seats. Rules C-1 … C-5."""

from __future__ import annotations

from ..described import Component
from ..ruleset import Ruleset, readings_of, rule_book
from . import law, scoring
from .commands import COMMANDS
from .events import EVENTS
from .options import SEATS, Options, check, pile
from .state import OVER, State, initial
from .tiles import TILES
from .view import view


class Carcassonne(Ruleset[State]):
    """The ruleset: what each function promises stands in the protocol."""

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
    readings = readings_of(__package__)

    def initial(self, seats: int, options: Options) -> State:
        check(seats, options)
        return initial(seats, options, pile(options))

    decide = staticmethod(law.decide)
    proceed = staticmethod(law.proceed)
    evolve = staticmethod(law.evolve)
    to_act = staticmethod(law.to_act)
    legal = staticmethod(law.legal)
    sample = staticmethod(law.sample)

    def over(self, state: State) -> bool:
        return state.step == OVER

    view = staticmethod(view)
    score = staticmethod(scoring.score)
    totals = staticmethod(scoring.totals)

    def clone(self, state: State) -> State:
        return state.clone()


RULESET = Carcassonne()
