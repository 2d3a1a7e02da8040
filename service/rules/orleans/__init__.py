"""Orléans, the base game for 2 to 4 seats. Rules O-1 … O-9."""

from __future__ import annotations

from ..ruleset import Ruleset, readings_of, rule_book
from . import decide as deciding
from . import evolve as evolving
from . import legal as listing
from . import move_texts, sampling, scoring
from . import proceed as proceeding
from .commands import COMMANDS
from .components import COMPONENTS
from .events import ALL
from .options import EARLIER, Options, check
from .state import OVER, State, initial
from .tables import SEATS
from .view import view


class Orleans(Ruleset[State]):
    """The ruleset: what each function promises stands in the protocol."""

    id = "orleans"
    title = "Orléans"
    version = 2
    seats = SEATS
    options = Options
    commands = COMMANDS
    events = ALL
    components = COMPONENTS
    rules = rule_book(__package__)
    readings = readings_of(__package__)
    passes = ("pass",)
    earlier = EARLIER

    def initial(self, seats: int, options: Options) -> State:
        check(seats, options)
        return initial(seats, options)

    decide = staticmethod(deciding.decide)
    proceed = staticmethod(proceeding.proceed)
    evolve = staticmethod(evolving.evolve)
    to_act = staticmethod(listing.to_act)
    legal = staticmethod(listing.legal)
    sample = staticmethod(sampling.sample)
    describe_command = staticmethod(move_texts.describe_command)

    def over(self, state: State) -> bool:
        return state.step == OVER

    view = staticmethod(view)
    score = staticmethod(scoring.score)
    totals = staticmethod(scoring.totals)

    def clone(self, state: State) -> State:
        return state.clone()


RULESET = Orleans()
