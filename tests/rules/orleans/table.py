"""A table for tests: chance that brings what is wanted, and hands that put things anywhere."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from service.rules import described
from service.rules.chance import Chance
from service.rules.described import Command, Event
from service.rules.orleans import RULESET, Options
from service.rules.orleans.state import (
    ACTIONS,
    EMPTY,
    EVENT,
    FOLLOWERS,
    PLANNING,
    TECHNOLOGY,
    Seat,
    State,
)
from service.rules.orleans.tables import (
    CODE,
    EVENTS,
    FIRST,
    GOOD,
    KIND,
    PLACE,
    PLACE_ASKS,
    STARTING,
    TOWN,
)
from service.rules.ruleset import Outcome, RuleViolation, run, start

NONE: dict[str, Any] = {
    "recruit": None, "tile": None, "link": None, "good": None, "deliveries": None, "coins": None,
}  # fmt: skip


class Wanted(Chance):
    """Brings the ids wanted, in order; anything once they are used up."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self.wanted: list[str] = []
        self._generator = random.Random(seed)

    def pick(self, ids: Sequence[str], counts: Sequence[int]) -> int:
        if not self.wanted:
            return super().pick(ids, counts)
        index = list(ids).index(self.wanted.pop(0))
        assert counts[index], f"no {ids[index]} can come"
        self._record(sum(counts), sum(counts[:index]))
        return index

    def _value(self, bound: int) -> int:
        return self._generator.randrange(bound)


class Table:
    """A game after its set-up: the Planning of round 1, a Pilgrimage."""

    def __init__(self, seats: int = 2, wanted: Sequence[str] = (), **options: Any) -> None:
        self.chance = Wanted()
        self.chance.wanted = list(wanted)
        self.state: State
        self.state, self.last = start(RULESET, seats, Options(**options), self.chance)

    def seat(self, number: int = 0) -> Seat:
        return self.state.seats[number]

    # What seats send

    def send(self, seat: int, type: str, /, **fields: Any) -> Outcome:
        self.last = run(RULESET, self.state, seat, self.command(type, **fields), self.chance)
        assert self.last.stopped is None
        return self.last

    def command(self, type: str, /, **fields: Any) -> Command:
        return described.parse_command(RULESET.commands, {"type": type, **fields})

    def refused(self, seat: int, type: str, /, **fields: Any) -> tuple[str, str]:
        """Returns the rule and the code of a refusal."""
        command = self.command(type, **fields)
        assert command not in RULESET.legal(self.state, seat)
        with pytest.raises(RuleViolation) as caught:
            RULESET.decide(self.state, seat, command)
        assert caught.value.rule in {rule.id for rule in RULESET.rules}
        return caught.value.rule, caught.value.code

    def use(self, place: str, seat: int = 0, **fields: Any) -> Outcome:
        return self.send(seat, "use_place", place=place, **fields)

    def ways(self, place: str, seat: int = 0) -> list[dict[str, Any]]:
        """Returns the legal uses of a place, each with the fields that it states."""
        return [
            {name: value for name, value in described.dump(command).items() if value is not None}
            for command in RULESET.legal(self.state, seat)
            if command.type == "use_place" and getattr(command, "place", "") == place
        ]

    def listed(self, type: str, seat: int = 0) -> list[dict[str, Any]]:
        """Returns the legal commands of a type, as plain data."""
        return [
            described.dump(command)
            for command in RULESET.legal(self.state, seat)
            if command.type == type
        ]

    def to_act(self) -> tuple[int, ...]:
        return RULESET.to_act(self.state)

    def told(self, type: str) -> list[dict[str, Any]]:
        """Returns the last step's events of a type, as plain data."""
        return [described.dump(event) for event in self.last.events if event.type == type]

    def types(self) -> list[str]:
        return [event.type for event in self.last.events]

    def events(self) -> tuple[Event, ...]:
        return self.last.events

    def view(self, seat: int = 0) -> Any:
        return RULESET.view(self.state)["seats"][seat]

    # Hands

    def tile(self, *tiles: str, seat: int = 0) -> None:
        """Gives place tiles out of the stacks."""
        for tile in tiles:
            place = PLACE[tile]
            assert self.state.tiles >> place & 1
            self.state.tiles &= ~(1 << place)
            self.seat(seat).gain_tile(place, self.state.options.monks_on_deeds)

    def man(self, place: str, *followers: str, seat: int = 0) -> None:
        """Fills a place: with the followers named (out of the supply), or those it asks for."""
        me, at = self.seat(seat), PLACE[place]
        for number, follower in enumerate(followers or PLACE_ASKS[at]):
            code = CODE["farmer" if follower == "any" else follower]
            me.put(FIRST[at] + number, code)
            if code < STARTING:
                self.state.supply[code] -= 1

    def bag(self, *followers: str, seat: int = 0) -> None:
        """Puts neutral followers out of the supply into a bag."""
        for follower in followers:
            self.seat(seat).to_bag(KIND[follower])
            self.state.supply[KIND[follower]] -= 1

    def market(self, *followers: str, seat: int = 0) -> None:
        """Puts neutral followers out of the supply onto a market."""
        for follower in followers:
            self.seat(seat).to_market(KIND[follower])
            self.state.supply[KIND[follower]] -= 1

    def clear(self, seat: int = 0) -> None:
        """Moves a seat's market into its bag."""
        me = self.seat(seat)
        for code, count in enumerate(me.market):
            for _ in range(count):
                me.to_bag(code)
            me.market[code] = 0
        me.market_size = 0

    def goods(self, seat: int = 0, **counts: int) -> None:
        """Gives goods out of the goods market."""
        for good, count in counts.items():
            self.state.goods[GOOD[good]] -= count
            self.seat(seat).goods[GOOD[good]] += count

    def no_good(self, good: str, seat: int = 1) -> None:
        """Gives a seat all of a good that the market has."""
        self.goods(seat, **{good: self.state.goods[GOOD[good]]})

    def technology(self, place: str, space: int, seat: int = 0) -> None:
        """Puts a technology tile out of the supply on a space."""
        me, at = self.seat(seat), FIRST[PLACE[place]] + space
        assert me.spaces[at] == EMPTY
        self.state.technology -= 1
        me.spaces[at] = TECHNOLOGY
        me.empty &= ~(1 << at)
        me.technology_spaces |= 1 << at
        me.technology_placed = True

    def stations(self, *towns: str, seat: int = 0) -> None:
        """Builds trading stations."""
        for town in towns:
            self.state.stations[TOWN[town]] |= 1 << seat
            self.seat(seat).built += 1
            self.seat(seat).reserve -= 1

    def event(self, name: str) -> None:
        """Makes this round's event another one."""
        self.state.hourglass[self.state.event] += 1
        self.state.event = EVENTS.index(name)
        self.state.hourglass[self.state.event] -= 1

    # Phases

    def planning(self) -> None:
        """Lets every seat that may draw draw nothing: on to Planning."""
        while self.state.step == FOLLOWERS:
            self.send(self.to_act()[0], "draw", count=0)
        assert self.state.step == PLANNING

    def plan(self) -> Outcome:
        """Lets every seat that is not done end planning: on to the actions."""
        self.planning()
        for seat in self.to_act():
            self.send(seat, "end_planning")
        return self.last

    def act(self, event: str | None = None) -> None:
        """Goes on to the actions of seat 0, whose turn it must then be."""
        if event is not None:
            self.event(event)
        self.plan()
        assert self.state.step == ACTIONS
        assert self.state.seat == 0

    def resolve(self, event: str) -> Outcome:
        """Goes on to an event; whoever could act passes."""
        self.event(event)
        self.plan()
        while self.state.step == ACTIONS:
            self.send(self.state.seat, "pass")
        return self.last

    def next_round(self, event: str = "income") -> None:
        """Goes on to the Followers phase of the next round, or beyond if nobody may draw."""
        self.chance.wanted = [event]
        if self.state.step != ACTIONS:
            self.plan()
        while self.state.step == ACTIONS:
            self.send(self.state.seat, "pass")

    def in_event(self) -> bool:
        return self.state.step == EVENT
