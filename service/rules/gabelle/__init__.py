"""Gabelle, for 2 to 8 guilds: towns, workshops and the salt tax. Rules G-1 … G-9."""

from __future__ import annotations

from ..described import Component
from ..ruleset import Ruleset, readings_of, rule_book
from . import decide as deciding
from . import evolve as evolving
from . import legal as listing
from . import proceed as proceeding
from . import scoring
from .commands import COMMANDS
from .events import EVENTS
from .options import Options, check
from .state import OVER, State, initial
from .tables import EVENT_CARDS, GUILDS, MAP, MARKET, WORKSHOPS
from .view import view


def _components() -> tuple[Component, ...]:
    cities = (
        Component(
            "city",
            city["id"],
            dict.fromkeys(("en", "pt", "fr"), city["name"]),
            {
                "region": city["region"],
                "x": city["x"],
                "y": city["y"],
                "fair": city["id"] in MAP["fairs"],
            },
        )
        for city in MAP["cities"]
    )
    regions = (Component("region", one["id"], one["names"], {}) for one in MAP["regions"])
    workshops = (
        Component(
            "workshop",
            str(card["number"]),
            card["names"],
            {name: card[name] for name in card if name != "names"},
        )
        for card in WORKSHOPS
    )
    materials = (
        Component(
            "material",
            one["id"],
            one["names"],
            {"capacity": one["capacity"], "units_per_step": one["units_per_step"]},
        )
        for one in MARKET["materials"]
    )
    events = (Component("event", one["id"], one["names"], {}) for one in EVENT_CARDS)
    return (*regions, *cities, *workshops, *materials, *events)


class Gabelle(Ruleset[State]):
    """The ruleset: what each function promises stands in the protocol."""

    id = "gabelle"
    title = "Gabelle"
    version = 1
    seats = GUILDS
    options = Options
    commands = COMMANDS
    events = EVENTS
    components = _components()
    rules = rule_book(__package__)
    readings = readings_of(__package__)
    passes = ("decline", "drop", "end_buying", "end_building")

    def initial(self, seats: int, options: Options) -> State:
        check(seats, options)
        return initial(seats, options)

    decide = staticmethod(deciding.decide)
    proceed = staticmethod(proceeding.proceed)
    evolve = staticmethod(evolving.evolve)
    to_act = staticmethod(deciding.to_act)
    legal = staticmethod(listing.legal)
    sample = staticmethod(listing.sample)

    def over(self, state: State) -> bool:
        return state.step == OVER

    view = staticmethod(view)
    score = staticmethod(scoring.score)

    def totals(self, state: State) -> list[int]:
        """Returns each seat's provisional total, quicker than the itemised score."""
        return state.supplied.copy()

    def clone(self, state: State) -> State:
        return state.clone()


RULESET = Gabelle()
