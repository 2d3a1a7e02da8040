"""What things are worth in Orléans: points to come, as a seat may hope for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from service.rules.described import Command, Event
from service.rules.orleans.action_events import (
    CitizenTaken,
    CoinsGained,
    CoinsSpent,
    DevelopmentAdvanced,
    FollowerDelivered,
    FollowerRecruited,
    GoodGained,
    MerchantMoved,
    PlaceUsed,
    StationBuilt,
    TechnologyGained,
    TileTaken,
)
from service.rules.orleans.actions import ACTIONS as USES_OF
from service.rules.orleans.commands import POINT_ITEM, TECHNOLOGY_ITEM, Give, PayHarvest, UsePlace
from service.rules.orleans.place_actions import Use
from service.rules.orleans.state import EMPTY, State
from service.rules.orleans.tables import (
    BATHHOUSE,
    CODES,
    DEED,
    DEED_SLOTS,
    DRAWS,
    FARMER,
    GOOD,
    GOODS_POINTS,
    INCOME,
    JOURNEYS,
    KIND,
    KIND_OF,
    KINDS,
    KNIGHT,
    LAST_SPACE,
    LINK_SPACES,
    MONK,
    ORLEANS,
    PLACE,
    PLACE_MASK,
    PLACES,
    ROUNDS,
    SIZE,
    STATUS,
    TOWN,
    TRADING_DAY,
    bits,
)

GUILDHALL: Final = PLACE["guildhall"]
POINTS_OF: Final[list[int]] = GOODS_POINTS

# Figures found by playing: points, or points for each round to come.
FOLLOWER: Final = 0.8
"""One more follower on a space, a round."""
TECHNOLOGY: Final = 0.6
COUNTED_A_ROUND: Final = 0.45
"""How many stations and citizens a round brings."""
STATUS_A_ROUND: Final = 0.2
BATH: Final = 1.8
"""A use of the Bathhouse."""
LASTING_TILES: Final = {
    PLACE["herb_garden"]: 0.5,
    PLACE["school"]: 0.5,
    PLACE["bathhouse"]: 0.9,
    PLACE["gunpowder_tower"]: 0.3,
    PLACE["sacristy"]: 0.3,
}
"""The tiles that bring no goods, coins or points: each round to come."""
_WANTED: Final = {"farmer": 0.9, "boatman": 0.6, "craftsman": 0.6, "trader": 0.6, "knight": 1.0,
                  "scholar": 0.4, "monk": 0.5}  # fmt: skip
WANTED: Final = [_WANTED[kind] for kind in KINDS]
"""How much a follower of each kind is asked for; the more there are, the less it counts."""


class Outlook:
    """What things are worth to a seat as the game stands. Keeps what it has found out."""

    def __init__(self, state: State, number: int) -> None:
        me = state.seats[number]
        self.state, self.number, self.me = state, number, me
        self.left: int = ROUNDS - state.round
        """Rounds to come after this one."""
        self.lasting: float = min(1.0, self.left / 4)
        self.building = not me.empty & PLACE_MASK[GUILDHALL]
        """Whether a station can be built in this round."""
        self.counted: float = me.built + me.citizens + COUNTED_A_ROUND * self.left
        """Stations and citizens at the end."""
        self.levels: list[float] = LEVELS[self.left]
        self.status: float = min(6.0, self.levels[me.development] + STATUS_A_ROUND * self.left)
        self.held = self._held()
        self.crowd = sum(self.held)
        self._tiles: dict[int, float] = {}
        self._near: dict[int, float] = {}

    def _held(self) -> list[int]:
        """Returns the seat's followers by kind, wherever they are."""
        me = self.me
        held = [0] * len(KINDS)
        for code in range(CODES):
            held[KIND_OF[code]] += me.bag[code] + me.market[code]
            if self.state.bath:
                held[KIND_OF[code]] += self.state.bathing[code]
        for space in bits(me.men):
            held[KIND_OF[me.spaces[space]]] += 1
        return held

    def worth(self, events: Sequence[Event]) -> float:
        """Returns what events are worth that the seat's use of a place brings."""
        total = 0.0
        for event in events:
            known = _WORTH.get(type(event))
            if known is not None:
                total += known(self, event)
        return total

    def of(self, command: UsePlace) -> float:
        """Returns what a way to use a place is worth."""
        action = cast(Use, USES_OF[PLACE[command.place]])
        return self.worth(action.judge(self.state, self.number, command))

    def best(self, place: int) -> float:
        """Returns what the best way to use a place is worth, whoever stands there; 0 if none is."""
        action = USES_OF[place]
        if action is None:
            return 0.0
        ways = action.commands(self.state, self.number)
        return max((self.of(cast(UsePlace, way)) for way in ways), default=0.0)

    def station(self) -> float:
        """Returns what a trading station is worth."""
        return self.status + self.state.hourglass[TRADING_DAY]

    def points(self, before: int, after: int) -> float:
        """Returns what development points are worth, coins and citizens on the way excepted."""
        each = self.counted + self.state.hourglass[INCOME]
        return (self.levels[after] - self.levels[before]) * each

    def follower(self, kind: int, more: int = 1) -> float:
        """Returns what one more follower is worth; with `more` 0, what the last one is."""
        spare = self.crowd + more - 1 - DRAWS[self.me.tracks[KNIGHT]]
        useful = FOLLOWER if spare < 0 else max(0.05, 0.6 - 0.12 * spare)
        wanted = WANTED[kind] / (self.held[kind] + more)
        return self.left * 0.7 * (useful + wanted + (0.3 if kind == MONK else 0.0))

    def near(self, town: int) -> float:
        """Returns what standing in a town is worth: a free site there, goods and sites around."""
        found = self._near.get(town)
        if found is None:
            found = self._near[town] = self._around(town)
        return found

    def _around(self, town: int) -> float:
        state, me = self.state, self.me
        here = 0.0
        if me.reserve and not self._built(town):
            here = self.station() * (0.9 if self.building else 0.6 * self.lasting)
        ahead = 0.0
        for ways in JOURNEYS.values():
            for link, to in ways[town]:
                good = max([state.laid[space] for space in LINK_SPACES[link]])
                if good != EMPTY:
                    ahead += 0.1 * POINTS_OF[good]
                if not self._built(to):
                    ahead += 0.25
        return here + ahead * self.lasting

    def _built(self, town: int) -> int:
        stations = self.state.stations[town]
        return stations >> self.number & 1 if town == ORLEANS else stations

    def tile(self, place: int) -> float:
        """Returns what a place tile is worth over the rounds to come."""
        found = self._tiles.get(place)
        if found is None:
            each = LASTING_TILES.get(place)
            if each is None:
                each = 0.4 * max(0.0, self.best(place) - 0.7 * SIZE[place])
            found = self._tiles[place] = each * self.left
        return found

    def price(self, command: Command) -> float:
        """Returns what it costs to give something: food in a harvest, an item in a torture."""
        if isinstance(command, PayHarvest):
            return float(POINTS_OF[GOOD[command.good]])
        me, item = self.me, cast(Give, command)
        if item.good is not None:
            return float(POINTS_OF[GOOD[item.good]])
        if item.from_ in TOWN:
            return self.station()
        if item.from_ is not None:
            return 0.5 if me.reserve > min(5, self.left) else 3.0
        if item.tile is not None:
            return self.tile(PLACE[item.tile])
        if item.item == POINT_ITEM:
            return self.points(me.development - 1, me.development)
        if item.item == TECHNOLOGY_ITEM:
            return TECHNOLOGY * self.left
        return 0.6 * self.left  # a follower, any


def _levels(left: int) -> list[float]:
    """Returns each space's status, with part of the way to the next one while there is time."""
    levels = []
    for space in range(LAST_SPACE + 1):
        same = [other for other in range(LAST_SPACE + 1) if STATUS[other] == STATUS[space]]
        part = (space - same[0]) / len(same)
        levels.append(STATUS[space] + part * min(0.95, left / 4))
    return levels


LEVELS: Final = [_levels(left) for left in range(ROUNDS + 1)]


def _recruited(outlook: Outlook, event: FollowerRecruited) -> float:
    kind = KIND[event.follower]
    worth = outlook.follower(kind)
    if kind == KNIGHT and event.space is not None:
        more = DRAWS[event.space] - DRAWS[event.space - 1]
        ready = min(1.0, max(0.3, (outlook.crowd + 2 - DRAWS[event.space]) / 3))
        worth += more * outlook.left * FOLLOWER * ready
    if kind == FARMER and event.space is not None:
        seats = enumerate(outlook.state.seats)
        others = [seat.tracks[FARMER] for number, seat in seats if number != outlook.number]
        if event.space == max(others) + 1:
            worth += 0.4 * outlook.left
    return worth


def _delivered(outlook: Outlook, event: FollowerDelivered) -> float:
    deed = DEED[event.deed]
    done: float = 1 - sum(outlook.state.slots[deed]) / sum(DEED_SLOTS[deed])
    loss = 0.6 * outlook.follower(KIND[event.follower], 0)
    return event.coins + 0.2 * outlook.status * done * outlook.lasting - loss


def _moved(outlook: Outlook, event: MerchantMoved) -> float:
    good = 0 if event.good is None else POINTS_OF[GOOD[event.good]]
    return good + outlook.near(TOWN[event.to]) - outlook.near(outlook.me.merchant)


_WORTH: Final[dict[type[Event], Callable[[Outlook, Any], float]]] = {
    PlaceUsed: lambda outlook, event: BATH if event.place == PLACES[BATHHOUSE] else 0.0,
    CoinsGained: lambda outlook, event: event.coins,
    CoinsSpent: lambda outlook, event: -event.coins,
    GoodGained: lambda outlook, event: POINTS_OF[GOOD[event.good]],
    DevelopmentAdvanced: lambda outlook, event: (
        event.coins + outlook.points(event.before, event.after)
    ),
    CitizenTaken: lambda outlook, event: outlook.status,
    StationBuilt: lambda outlook, event: outlook.station(),
    MerchantMoved: _moved,
    FollowerRecruited: _recruited,
    TechnologyGained: lambda outlook, event: TECHNOLOGY * outlook.left,
    TileTaken: lambda outlook, event: outlook.tile(PLACE[event.tile]),
    FollowerDelivered: _delivered,
}
