"""Positions of Gabelle made to measure, and a table that sends plain commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from service.rules import described
from service.rules.chance import ArrangedChance
from service.rules.described import Command, Event
from service.rules.gabelle import RULESET, Options
from service.rules.gabelle.events import PhaseBegan
from service.rules.gabelle.evolve import evolve
from service.rules.gabelle.state import State
from service.rules.gabelle.stock import Stock
from service.rules.gabelle.tables import CITY, EVENT_IDS, HIGH, LOW, REGIONS
from service.rules.ruleset import Outcome, RuleViolation, advance, run

ROW = (3, 4, 5, 6)


class Table:
    """A state in play: `send` plays for the seat that may act; `outcomes` are what is drawn."""

    def __init__(self, state: State, outcomes: Sequence[str | int] = ()) -> None:
        self.state = state
        self.chance = ArrangedChance(outcomes)
        self.last: Outcome = advance(RULESET, state, self.chance)

    def send(self, type_name: str, seat: int | None = None, **members: Any) -> Outcome:
        """Carries a command out, with all that follows."""
        sent = {"type": type_name, **members}
        command: Command = described.parse_command(RULESET.commands, sent)
        acting = self.seat if seat is None else seat
        assert command in RULESET.legal(self.state, acting), f"{command} is not listed"
        self.last = run(RULESET, self.state, acting, command, self.chance)
        return self.last

    def refused(self, type_name: str, seat: int | None = None, **members: Any) -> tuple[str, str]:
        """Returns the rule and the code by which a command is refused."""
        sent = {"type": type_name, **members}
        command: Command = described.parse_command(RULESET.commands, sent)
        acting = self.seat if seat is None else seat
        assert command not in RULESET.legal(self.state, acting)
        with pytest.raises(RuleViolation) as caught:
            RULESET.decide(self.state, acting, command)
        return caught.value.rule, caught.value.code

    @property
    def seat(self) -> int:
        """The first seat that may act."""
        return RULESET.to_act(self.state)[0]

    @property
    def view(self) -> dict[str, Any]:
        """What may be seen."""
        return RULESET.view(self.state)

    def listed(self, type_name: str, seat: int | None = None) -> list[dict[str, Any]]:
        """Returns the fields of all legal commands of a type."""
        acting = self.seat if seat is None else seat
        return [
            described.dump(command)
            for command in RULESET.legal(self.state, acting)
            if command.type == type_name
        ]

    def told(self, type_name: str) -> list[dict[str, Any]]:
        """Returns the last events of a type as plain data."""
        return [described.dump(event) for event in self.last.events if event.type == type_name]

    def types(self) -> list[str]:
        """Returns the types of the last events, in order."""
        return [event.type for event in self.last.events]


def at(
    phase: str,
    *,
    guilds: int = 2,
    round: int = 3,
    stage: int = 1,
    event: str | None = None,
    quarantine: str | None = None,
    regions: tuple[str, ...] = REGIONS,
    order: Sequence[int] | None = None,
    row: Sequence[int] = ROW,
    deck: int = 10,
    money: Sequence[int] | int = 50,
    shops: Mapping[int, Sequence[int]] | None = None,
    stock: Mapping[int, Stock] | None = None,
    cities: Mapping[int, Sequence[str]] | None = None,
    shelves: Sequence[int] | None = None,
    options: Options | None = None,
) -> State:
    """Returns the state as it is when a phase has begun, all of it being possible in a game.

    Cards that are neither in the row nor a guild's are in the deck: as many of the high tier as
    `deck` says, and none of the low one. Posts are laid seat by seat.
    """
    chosen = options or Options(regions=regions)
    state = RULESET.initial(guilds, chosen)
    if not state.regions:
        state.set_regions(tuple(sorted(map(REGIONS.index, regions))))
    state.order = tuple(order if order is not None else range(guilds))
    state.money = [money] * guilds if isinstance(money, int) else list(money)
    for seat, numbers in (shops or {}).items():
        state.shops[seat] = tuple(sorted(numbers))
    for seat, units in (stock or {}).items():
        state.stock[seat] = units
    for seat, names in (cities or {}).items():
        for name in names:
            state.network[seat] |= 1 << CITY[name]
            state.posts[CITY[name]] = (*state.posts[CITY[name]], seat)
    if shelves is not None:
        state.shelves = list(shelves)
    state.row = tuple(sorted(row))
    drawn = {*state.row, *(number for numbers in state.shops for number in numbers)}
    state.low = state.low_left = 0
    state.gone = tuple(number for number in LOW if number not in drawn)
    state.high = sum(1 << place for place, number in enumerate(HIGH) if number not in drawn)
    state.high_left = deck
    state.stage = stage
    state.round = round
    state.event = -1 if event is None else EVENT_IDS.index(event)
    state.quarantine = -1 if quarantine is None else REGIONS.index(quarantine)
    state.set_fees()
    state.set_reach()
    evolve(state, PhaseBegan(round, phase))
    return state


def table(phase: str, *outcomes: str | int, **position: Any) -> Table:
    """Returns a table at a position; see `at`."""
    return Table(at(phase, **position), outcomes)


def run_of(workshop: int, wood: int = 0, iron: int = 0, wool: int = 0, salt: int = 0) -> Any:
    """Returns a run as plain data."""
    return {"workshop": workshop, "wood": wood, "iron": iron, "wool": wool, "salt": salt}


def events_of(outcome: Outcome, cls: type[Event]) -> list[Any]:
    """Returns the events of a class."""
    return [event for event in outcome.events if isinstance(event, cls)]
