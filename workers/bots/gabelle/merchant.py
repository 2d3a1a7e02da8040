"""How `easy` plays Gabelle: a sensible merchant, with the ruleset's own tables and lists.

What single commands bring is seen much later in this game, so each phase has a way of its own. All
of them rest on `worth`: what a set of workshops will earn until the end, at the prices of now.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Mapping
from operator import add, mul, sub
from typing import Final, NamedTuple

from service.rules.gabelle import RULESET
from service.rules.gabelle.commands import (
    BUILDS,
    BUYS,
    DECLINE,
    DISCARDS,
    DROP,
    END_BUILDING,
    END_BUYING,
    KeepStock,
    Produce,
    namings,
    raises,
)
from service.rules.gabelle.decide import may_decline, produced
from service.rules.gabelle.state import (
    BID,
    BUILD,
    BUY,
    DISCARD,
    NAME,
    PRODUCE,
    SETTLE,
    State,
)
from service.rules.gabelle.stock import Plan, Shops, Stock, consumes, keeps, productions, storage
from service.rules.gabelle.tables import (
    BY_GUILDS,
    CARD,
    CITIES,
    COSTS,
    GABELLE,
    GABELLE_COSTS,
    IRON,
    MOST_WORKSHOPS,
    OCTROI,
    SALT,
    WOOD,
    WOOL,
    payment,
)
from service.rules.gabelle.turns import purchases
from service.rules.plain import Command

LAST_CITY: Final = 12
"""What it is worth (L) at the end of play to be able to supply one city more."""

PACE: Final = 2
"""How many cities a guild is expected to add to its network in a round."""

CHEAP: Final = 3
"""Up to this price (L) a unit is bought to be stored for later."""

EASE: Final = 25
"""Money (L) from which a guild builds ahead of what it can supply, and stores material."""


REMEMBERED: Final = 1 << 15

Prices = tuple[int, int, int, int]
"""What a unit of each material costs, in L."""

PRICES: Final = tuple(
    (costs[1][1] + 1, *(costs[stock][1] for stock in range(1, len(costs)))) for costs in COSTS
)
"""By material and stock: the price of the next unit, and somewhat more where there is none."""

NOTHING_RUN: Final = Produce(())


def choose(state: State, seat: int, generator: random.Random) -> Command:
    """Returns what a seat that may act does; leaves the state as it is."""
    return _WAYS[state.step](state, seat, generator)


def target(state: State) -> int:
    """Returns how many cities end the game (G-9.1)."""
    cities: int = BY_GUILDS[state.guilds]["end_cities"]
    return cities


def rounds_left(state: State) -> int:
    """Returns a guess of how many productions are to come, this round's included."""
    largest = max(map(state.cities, range(state.guilds)))
    return 1 + max(0, target(state) - largest + PACE - 1) // PACE


def capacity_of(shops: Shops) -> int:
    """Returns how many cities the workshops supply when all of them run."""
    cities: int = sum(CARD[shop]["cities"] for shop in shops)
    return cities


def upkeep(state: State, shops: Shops) -> int:
    """Returns what it costs to run all the workshops once, in L at the shelves' prices."""
    return _upkeep(shops, _prices(state))


class Outlook(NamedTuple):
    """What the worth of workshops depends on beside themselves."""

    prices: Prices
    cities: int
    most: int
    rounds: int


def outlook(state: State, seat: int) -> Outlook:
    """Returns a guild's outlook: prices, own cities, the target, productions to come."""
    return Outlook(_prices(state), state.cities(seat), target(state), rounds_left(state))


@functools.lru_cache(REMEMBERED)
def worth(shops: Shops, seen: Outlook) -> int:
    """Returns what a guild's workshops are worth to it until the end of play, in L.

    In each round to come they earn what they supply of a growing network, less what they burn; at
    the end each city that can be supplied counts once more.
    """
    capacity, cost, cities = capacity_of(shops), _upkeep(shops, seen.prices), seen.cities
    earned = 0
    for _ in range(seen.rounds):
        cities = min(cities + PACE, seen.most)
        share = min(cities, capacity)
        burnt = cost * share // max(1, capacity)
        earned += max(0, payment(share) - payment(0) - burnt)
    return earned + LAST_CITY * min(capacity, seen.most)


def best_of(shops: Shops, seen: Outlook) -> Shops:
    """Returns the workshops a guild keeps of as many as it may have or one more (G-4.4)."""
    held = tuple(sorted(shops))
    if len(held) <= MOST_WORKSHOPS:
        return held
    ways = (held[:place] + held[place + 1 :] for place in range(len(held)))
    return max(ways, key=lambda kept: worth(kept, seen))


@functools.lru_cache(REMEMBERED)
def gain(shops: Shops, seen: Outlook, card: int) -> int:
    """Returns what a card adds to what a guild's workshops are worth, in L."""
    return worth(best_of((*shops, card), seen), seen) - worth(shops, seen)


@functools.lru_cache(REMEMBERED)
def most_fed(shops: Shops, stock: Stock) -> int:
    """Returns how many cities workshops can supply at most with what is in stock."""
    return max(plan.capacity for plan in productions(shops, stock).values())


def reserve(state: State, seat: int) -> int:
    """Returns the money (L) a guild wants to have after an auction, to run and to build."""
    return min(upkeep(state, state.shops[seat]), state.money[seat] // 2) + OCTROI[0]


def _name(state: State, seat: int, generator: random.Random) -> Command:
    spare = state.money[seat] - reserve(state, seat)
    shops, seen = state.shops[seat], outlook(state, seat)
    passes = may_decline(state)
    surplus = {
        card: gain(shops, seen, card) - state.lowest(card)
        for card in state.on_sale
        if state.lowest(card) <= spare
    }
    wanted = _best(surplus, generator)
    if wanted is not None and (surplus[wanted] > 0 or not passes):
        lowest = state.lowest(wanted)
        return namings(wanted, lowest, lowest)[0]
    return DECLINE if passes else RULESET.legal(state, seat)[0]


def _bid(state: State, seat: int, generator: random.Random) -> Command:
    bid = state.bid + 1
    if bid > state.money[seat] - reserve(state, seat):
        return DROP
    shops, seen = state.shops[seat], outlook(state, seat)
    others = (
        gain(shops, seen, card) - state.lowest(card)
        for card in state.on_sale
        if card != state.card and state.lowest(card) <= state.money[seat]
    )
    if gain(shops, seen, state.card) - bid <= max(others, default=0):
        return DROP
    return raises(bid, bid)[0]


def _discard(state: State, seat: int, generator: random.Random) -> Command:
    shops = state.shops[seat]
    kept = best_of(shops, outlook(state, seat))
    return DISCARDS[next(shop for shop in shops if shop not in kept)]


def _settle(state: State, seat: int, generator: random.Random) -> Command:
    prices = _prices(state)

    def value(kept: Stock) -> int:
        return sum(map(mul, prices, kept))

    return KeepStock(*max(keeps(state.shops[seat], state.stock[seat]), key=value))


def _buy(state: State, seat: int, generator: random.Random) -> Command:
    most = purchases(state, seat)
    stock = state.stock[seat]
    plan = _planned(state, seat, most)
    for material, burns in enumerate(plan.burns):
        needed = min(burns - stock[material], most[material])
        if needed > 0:
            return BUYS[material][needed - 1]
    if state.money[seat] > EASE + OCTROI[state.stage - 1]:
        for material, units in enumerate(most):
            if units and _costs(state)[material][state.shelves[material]][1] <= CHEAP:
                return BUYS[material][0]
    return END_BUYING


def _planned(state: State, seat: int, most: list[int]) -> Plan:
    """Returns the production of this round that earns most, what must be bought for it paid."""
    stock, money, shelves = state.stock[seat], state.money[seat], state.shelves
    costs, cities, wanted = _costs(state), state.cities(seat), target(state)
    a_city = LAST_CITY if _last(state) else 0
    cheapest = min(map(add, state.reach[seat], state.fees))
    best, best_value = Plan((0, 0, 0, 0), 0), -1
    for plan in _plans(state.shops[seat]):
        paid = 0
        for cost, burns, held, left, at_most in zip(
            costs, plan.burns, stock, shelves, most, strict=True
        ):
            if burns > held:
                if burns - held > at_most:
                    break
                paid += cost[left][burns - held]
        else:
            if paid <= money:
                network = min(wanted, cities + (money - paid) // cheapest)
                supplied = min(plan.capacity, network)
                value = payment(supplied) - paid + a_city * supplied
                if value > best_value:
                    best, best_value = plan, value
    return best


@functools.lru_cache(REMEMBERED)
def _plans(shops: Shops) -> tuple[Plan, ...]:
    """Returns what workshops with full stores may burn and supply, each once."""
    room = storage(shops)
    full: Stock = (room.wood + room.hybrid, room.iron + room.hybrid, room.wool, room.salt)
    return tuple(dict.fromkeys(productions(shops, full).values()))


def _build(state: State, seat: int, generator: random.Random) -> Command:
    prices = list(map(add, state.reach[seat], state.fees))
    cheapest = min(prices)
    cities, money = state.cities(seat), state.money[seat]
    fed = most_fed(state.shops[seat], state.stock[seat])
    capacity = capacity_of(state.shops[seat])
    last = _last(state)
    ends = cities + 1 >= target(state) and not last
    if last:
        wanted = cities < fed
    elif ends:
        wanted = fed > cities and fed >= _most_fed(state, seat)
    elif cities < fed:
        wanted = True
    elif cities < capacity:
        wanted = money - cheapest >= upkeep(state, state.shops[seat])
    else:
        wanted = money - cheapest >= 2 * EASE and cities < capacity + PACE
    if not wanted:
        return END_BUILDING
    return BUILDS[generator.choice([c for c in range(len(CITIES)) if prices[c] == cheapest])]


def _produce(state: State, seat: int, generator: random.Random) -> Command:
    prices, last = _prices(state), _last(state)
    stock = state.stock[seat]
    earned: dict[int, int] = {}
    best: Command = NOTHING_RUN
    most = -1
    for way, plan in productions(state.shops[seat], stock).items():
        capacity = plan.capacity
        if capacity not in earned:  # what is earned is the same whatever runs
            event = produced(state, seat, way.runs, capacity)
            earned[capacity] = event.income + (LAST_CITY * event.supplied if last else 0)
        left = map(sub, stock, plan.burns)
        value = 2 * earned[capacity] + sum(map(mul, prices, left))
        if value > most:
            best, most = way, value
    return best


def _last(state: State) -> bool:
    """Returns whether this is the last round, as far as can be seen (G-9.1)."""
    return max(map(state.cities, range(state.guilds))) >= target(state)


def _most_fed(state: State, seat: int) -> int:
    """Returns how many cities another guild can supply at most with what it holds now."""
    return max(
        min(state.cities(other) + PACE, most_fed(state.shops[other], state.stock[other]))
        for other in range(state.guilds)
        if other != seat
    )


def _best(values: Mapping[int, int], generator: random.Random) -> int | None:
    """Returns the key with the highest value, ties by the generator."""
    if not values:
        return None
    most = max(values.values())
    return generator.choice([key for key, value in values.items() if value == most])


def _costs(state: State) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return GABELLE_COSTS if state.event == GABELLE else COSTS


def _prices(state: State) -> Prices:
    """Returns about what a unit of each material costs now, in L."""
    wood, iron, wool, salt = state.shelves
    return PRICES[WOOD][wood], PRICES[IRON][iron], PRICES[WOOL][wool], PRICES[SALT][salt]


@functools.lru_cache(REMEMBERED)
def _upkeep(shops: Shops, prices: Prices) -> int:
    """Returns what it costs to run all the workshops once, at so much a unit; mills cost 0."""
    return sum(
        CARD[shop]["amount"] * min((prices[material] for material in consumes(shop)), default=0)
        for shop in shops
    )


_WAYS: Final[dict[int, Callable[[State, int, random.Random], Command]]] = {
    NAME: _name,
    BID: _bid,
    DISCARD: _discard,
    SETTLE: _settle,
    BUY: _buy,
    BUILD: _build,
    PRODUCE: _produce,
}
