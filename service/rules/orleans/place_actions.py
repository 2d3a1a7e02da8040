"""What places do (O-4, O-5): one object for each place that can be used.

`able` tells whether an activated place can be used at all, `commands` lists the ways in canonical
order, `judge` returns the events of one way or raises `RuleViolation`. All three ask the same
predicates.
"""

from __future__ import annotations

from typing import Any, Final

from ..described import Command, Event
from ..plain import Detail
from ..ruleset import RuleViolation
from .action_events import (
    CoinsGained,
    CoinsSpent,
    GoodGained,
    MerchantMoved,
    PlaceUsed,
    StationBuilt,
    TechnologyGained,
    TileTaken,
)
from .commands import USE, UsePlace, expanding, paying, recruiting, travelling
from .conditions import Bar, recruit_bar, refuse, station_bar, tiles_allowed
from .options import ALLOWED, Options
from .rewards import TILE_OF, develop, recruited
from .state import Seat, State
from .tables import (
    GOOD,
    GOODS,
    HORSE_WAGON,
    JOURNEYS,
    KIND,
    KINDS,
    LINK,
    LINK_SPACES,
    LINKS,
    PLACE,
    PLACE_MASK,
    PLACES,
    RULES,
    STATUS,
    TOWNS,
    TRADER,
    bits,
)

FIELDS: Final = ("recruit", "tile", "link", "good", "deliveries", "coins")


class Use:
    """What a place does; this one has one way only and nothing that forbids it.

    `needs` names the command's fields that must be stated, `may` those that can be.
    """

    needs: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    spends = True
    """Whether the place's followers go back to the bag at once."""

    def __init__(self, place: int, use: dict[str, Any]) -> None:
        self.place = place
        self.name = PLACES[place]
        self.rule = RULES[place]
        self.use = use
        self.simple: list[Command] = [USE[place]]

    def check_form(self, command: UsePlace, options: Options) -> None:
        """Raises `RuleViolation` where the command's fields are not those of the place."""
        stated = {field for field in FIELDS if getattr(command, field) is not None}
        if not self.needs <= stated or not stated <= self.needs | self.may:
            names = ", ".join(sorted(self.needs)) or Detail("no field")
            raise RuleViolation(
                "wrong_fields", self.rule, "The {place} asks for: {names}.",
                place=self.name, names=names,
            )  # fmt: skip

    def active(self, me: Seat) -> bool:
        """Returns whether all of the place's spaces are filled (O-2.5)."""
        return not me.empty & PLACE_MASK[self.place]

    def bar(self, state: State, number: int) -> Bar | None:
        """Returns what forbids the use, if anything does."""
        return None

    def able(self, state: State, number: int) -> bool:
        """Returns whether the activated place can be used."""
        return self.bar(state, number) is None

    def commands(self, state: State, number: int) -> list[Command]:
        """Returns the ways to use the activated place, in canonical order."""
        return self.simple if self.bar(state, number) is None else []

    def judge(self, state: State, number: int, command: UsePlace) -> list[Event]:
        """Returns the events of a use of the activated place, or raises `RuleViolation`."""
        bar = self.bar(state, number)
        if bar is not None:
            raise refuse(bar)
        return [self.used(state, number), *self.effects(state, number)]

    def effects(self, state: State, number: int) -> list[Event]:
        """Returns what the use brings."""
        return []

    def used(self, state: State, number: int) -> Event:
        """Returns the event that the place was used."""
        if not self.spends:
            return PlaceUsed(number, self.name, ())
        men = state.seats[number].men_on(self.place)
        return PlaceUsed(number, self.name, tuple([TILE_OF[code] for code in men]))

    def refusal(self, code: str, text: str) -> RuleViolation:
        """Returns a refusal under the place's own rule."""
        return RuleViolation(code, self.rule, text)


class Gain(Use):
    """Coins, development points or both (O-4.9, O-5.2)."""

    def effects(self, state: State, number: int) -> list[Event]:
        me = state.seats[number]
        events: list[Event] = []
        per = self.use.get("coins_per")
        if per is not None:
            count = STATUS[me.development] if per == "status" else me.built
            events.append(CoinsGained(number, self.name, count, 1, count))
        coins = self.use.get("coins", 0)
        if coins:
            events.append(CoinsGained(number, self.name, 1, coins, coins))
        points = self.use.get("development", 0)
        if points:
            events += develop(state, number, me.development, points)
        return events


class Produce(Use):
    """A good from the goods market (O-5.1)."""

    def __init__(self, place: int, use: dict[str, Any]) -> None:
        super().__init__(place, use)
        self.good = GOOD[use["good"]]
        self.lacking = ("no_good_left", self.rule, "The goods market has none of that good.")

    def bar(self, state: State, number: int) -> Bar | None:
        return None if state.goods[self.good] else self.lacking

    def effects(self, state: State, number: int) -> list[Event]:
        return [GoodGained(number, GOODS[self.good])]


class Invent(Use):
    """A technology tile (O-5.4)."""

    def __init__(self, place: int, use: dict[str, Any]) -> None:
        super().__init__(place, use)
        self.lacking = ("no_technology_left", self.rule, "No technology tile is left.")

    def bar(self, state: State, number: int) -> Bar | None:
        return None if state.technology else self.lacking

    def effects(self, state: State, number: int) -> list[Event]:
        return [TechnologyGained(number)]


class Bathe(Use):
    """Draws followers and places some at once (O-5.6)."""

    spends = False

    def __init__(self, place: int, use: dict[str, Any]) -> None:
        super().__init__(place, use)
        self.lacking = ("empty_bag", self.rule, "The bag is empty.")

    def bar(self, state: State, number: int) -> Bar | None:
        return None if state.seats[number].bag_size else self.lacking


class Build(Use):
    """A trading station where the merchant stands (O-4.8)."""

    def bar(self, state: State, number: int) -> Bar | None:
        return station_bar(state, number)

    def effects(self, state: State, number: int) -> list[Event]:
        return [StationBuilt(number, TOWNS[state.seats[number].merchant])]


class Recruit(Use):
    """A follower of the one kind that the place knows (O-4.1, O-4.3 … O-4.5)."""

    def __init__(self, place: int, use: dict[str, Any]) -> None:
        super().__init__(place, use)
        self.kinds = [KIND[name] for name in use["recruits"]]

    def bar(self, state: State, number: int) -> Bar | None:
        return recruit_bar(state, state.seats[number], self.kinds[0])

    def effects(self, state: State, number: int) -> list[Event]:
        return recruited(state, number, self.kinds[0])


class Settle(Recruit):
    """A follower of one of several kinds; a trader brings a place tile (O-4.2)."""

    needs = frozenset({"recruit"})
    may = frozenset({"tile"})

    def check_form(self, command: UsePlace, options: Options) -> None:
        super().check_form(command, options)
        trader, tile = command.recruit == KINDS[TRADER], command.tile is not None
        bare = trader and options.recruit_without_reward == ALLOWED
        if trader != tile and not bare:
            raise self.refusal("wrong_fields", "A trader, and nobody else, brings a place tile.")

    def able(self, state: State, number: int) -> bool:
        me = state.seats[number]
        return any(recruit_bar(state, me, kind) is None for kind in self.kinds)

    def commands(self, state: State, number: int) -> list[Command]:
        me = state.seats[number]
        listed: list[Command] = []
        for kind in self.kinds:
            if recruit_bar(state, me, kind) is not None:
                continue
            tiles = bits(tiles_allowed(state, me)) if kind == TRADER else ()
            if tiles:
                listed += [expanding(self.place, kind, tile) for tile in tiles]
            else:
                listed.append(recruiting(self.place, kind))
        return listed

    def judge(self, state: State, number: int, command: UsePlace) -> list[Event]:
        me = state.seats[number]
        kind = KIND[str(command.recruit)]
        bar = recruit_bar(state, me, kind)
        if bar is not None:
            raise refuse(bar)
        events = [self.used(state, number), *recruited(state, number, kind)]
        tiles = tiles_allowed(state, me) if kind == TRADER else 0
        if command.tile is None:
            if tiles:
                raise self.refusal("tile_to_take", "A place tile is left that must be taken.")
        else:
            if not tiles >> PLACE[command.tile] & 1:
                raise self.refusal("tile_not_there", "That place tile cannot be taken now.")
            events.append(TileTaken(number, command.tile))
        return events


class Travel(Use):
    """A journey along one link, and a good of it (O-4.6, O-4.7, O-5.5)."""

    needs = frozenset({"link"})
    may = frozenset({"good"})

    def __init__(self, place: int, use: dict[str, Any]) -> None:
        super().__init__(place, use)
        self.ways = JOURNEYS[use["travels"]]

    def able(self, state: State, number: int) -> bool:
        return bool(self.ways[state.seats[number].merchant])

    def _takes_goods(self, state: State) -> bool:
        """O-5.5: whether a good of the link may come along."""
        return self.place != HORSE_WAGON or state.options.horse_wagon_good

    def commands(self, state: State, number: int) -> list[Command]:
        listed: list[Command] = []
        for link, _ in self.ways[state.seats[number].merchant]:
            listed.append(travelling(self.place, link, -1))
            if not self._takes_goods(state):
                continue
            goods = {state.laid[space] for space in LINK_SPACES[link]}
            listed += [travelling(self.place, link, good) for good in sorted(goods) if good >= 0]
        return listed

    def judge(self, state: State, number: int, command: UsePlace) -> list[Event]:
        link = LINK[str(command.link)]
        to = dict(self.ways[state.seats[number].merchant]).get(link)
        if to is None:
            raise self.refusal("no_such_way", "No such way leads from where the merchant stands.")
        space = None
        if command.good is not None:
            if not self._takes_goods(state):
                raise self.refusal("no_goods", "No good comes along here.")
            good = GOOD[command.good]
            lying = [state.laid[at] for at in LINK_SPACES[link]]
            if good not in lying:
                raise self.refusal("good_not_there", "That good does not lie there.")
            space = lying.index(good)
        return [
            self.used(state, number),
            MerchantMoved(number, LINKS[link], TOWNS[to], command.good, space),
        ]


class Pay(Use):
    """Coins for development points (O-5.3)."""

    needs = frozenset({"coins"})

    def able(self, state: State, number: int) -> bool:
        return state.seats[number].coins > 0

    def commands(self, state: State, number: int) -> list[Command]:
        most = min(self.use["coins_for_development"], state.seats[number].coins)
        return [paying(self.place, coins) for coins in range(1, most + 1)]

    def judge(self, state: State, number: int, command: UsePlace) -> list[Event]:
        me = state.seats[number]
        coins = command.coins or 0
        if coins > me.coins:
            raise self.refusal("too_few_coins", "The seat has fewer coins than that.")
        return [
            self.used(state, number),
            CoinsSpent(number, self.name, coins),
            *develop(state, number, me.development, coins),
        ]
