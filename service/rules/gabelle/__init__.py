"""Gabelle, for 2 to 8 guilds: towns, workshops and the salt tax. Rules G-1 … G-9."""

from __future__ import annotations

import random

from ..chance import Chance
from ..plain import Command, Component, Event, Plain
from ..ruleset import Ruleset, Scoring, rule_book
from . import decide, evolve, legal, proceed, scoring
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
    """The ruleset: what each method promises stands in the protocol."""

    id = "gabelle"
    title = "Gabelle"
    version = 1
    seats = GUILDS
    options = Options
    commands = COMMANDS
    events = EVENTS
    components = _components()
    rules = rule_book(__package__)
    passes = ("decline", "drop", "end_buying", "end_building")

    def initial(self, seats: int, options: Options) -> State:
        check(seats, options)
        return initial(seats, options)

    def decide(self, state: State, seat: int, command: Command) -> list[Event]:
        return decide.decide(state, seat, command)

    def proceed(self, state: State, chance: Chance) -> list[Event]:
        return proceed.proceed(state, chance)

    def evolve(self, state: State, event: Event) -> None:
        evolve.evolve(state, event)

    def to_act(self, state: State) -> tuple[int, ...]:
        return decide.to_act(state)

    def legal(self, state: State, seat: int) -> list[Command]:
        return legal.legal(state, seat)

    def sample(self, state: State, seat: int, generator: random.Random) -> Command:
        """Returns some legal command of a seat that may act; what to do first, amounts last."""
        return legal.sample(state, seat, generator)

    def over(self, state: State) -> bool:
        return state.step == OVER

    def view(self, state: State) -> dict[str, Plain]:
        return view(state)

    def score(self, state: State) -> Scoring:
        return scoring.score(state)

    def totals(self, state: State) -> list[int]:
        """Returns each seat's provisional total, quicker than the itemised score."""
        return state.supplied.copy()

    def clone(self, state: State) -> State:
        return state.clone()


RULESET = Gabelle()
