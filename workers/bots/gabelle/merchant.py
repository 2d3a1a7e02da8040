"""How `easy` plays Gabelle: a sensible merchant, with the ruleset's own tables and lists.

What single commands bring is seen much later in this game, so each phase has a way of its own. All
of them rest on `worth`: what a set of workshops will earn until the end, at the prices of now.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from service.rules.chance import NoChance
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
    namings,
    raises,
)
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
    MOST_WORKSHOPS,
    OCTROI,
    payment,
)
from service.rules.gabelle.turns import purchases
from service.rules.plain import Command
from service.rules.ruleset import run

LAST_CITY: Final = 12
"""What it is worth (L) at the end of play to be able to supply one city more."""

PACE: Final = 2
"""How many cities a guild is expected to add to its network in a round."""

CHEAP: Final = 3
"""Up to this price (L) a unit is bought to be stored for later."""

EASE: Final = 25
"""Money (L) from which a guild builds ahead of what it can supply, and stores material."""


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
    cost: int = sum(_price(state, shop) * CARD[shop]["amount"] for shop in shops)
    return cost


def worth(state: State, seat: int, shops: Shops) -> int:
    """Returns what a guild's workshops are worth to it until the end of play, in L.

    In each round to come they earn what they supply of a growing network, less what they burn; at
    the end each city that can be supplied counts once more.
    """
    cost, most = upkeep(state, shops), target(state)
    return _worth(capacity_of(shops), cost, state.cities(seat), most, rounds_left(state))


@functools.lru_cache(1 << 14)
def _worth(capacity: int, cost: int, cities: int, most: int, rounds: int) -> int:
    """Returns the worth of workshops that supply `capacity` cities for `cost` L a round."""
    earned = 0
    for _ in range(rounds):
        cities = min(cities + PACE, most)
        share = min(cities, capacity)
        burnt = cost * share // max(1, capacity)
        earned += max(0, payment(share) - payment(0) - burnt)
    return earned + LAST_CITY * min(capacity, most)


def best_of(state: State, seat: int, shops: Iterable[int]) -> Shops:
    """Returns the workshops a guild keeps of as many as it may have or one more (G-4.4)."""
    held = tuple(sorted(shops))
    if len(held) <= MOST_WORKSHOPS:
        return held
    ways = (held[:place] + held[place + 1 :] for place in range(len(held)))
    return max(ways, key=lambda kept: worth(state, seat, kept))


def gain(state: State, seat: int, card: int) -> int:
    """Returns what a card adds to what a guild's workshops are worth, in L."""
    shops = state.shops[seat]
    more = best_of(state, seat, (*shops, card))
    return worth(state, seat, more) - worth(state, seat, shops)


def reserve(state: State, seat: int) -> int:
    """Returns the money (L) a guild wants to have after an auction, to run and to build."""
    return min(upkeep(state, state.shops[seat]), state.money[seat] // 2) + OCTROI[0]


def _name(state: State, seat: int, generator: random.Random) -> Command:
    spare = state.money[seat] - reserve(state, seat)
    listed = RULESET.legal(state, seat)
    surplus = {
        card: gain(state, seat, card) - state.lowest(card)
        for card in state.on_sale
        if state.lowest(card) <= spare
    }
    wanted = _best(surplus, generator)
    if wanted is not None and (surplus[wanted] > 0 or listed[-1] != DECLINE):
        lowest = state.lowest(wanted)
        return namings(wanted, lowest, lowest)[0]
    return DECLINE if listed[-1] == DECLINE else listed[0]


def _bid(state: State, seat: int, generator: random.Random) -> Command:
    bid = state.bid + 1
    if bid > state.money[seat] - reserve(state, seat):
        return DROP
    others = (
        gain(state, seat, card) - state.lowest(card)
        for card in state.on_sale
        if card != state.card and state.lowest(card) <= state.money[seat]
    )
    if gain(state, seat, state.card) - bid <= max(others, default=0):
        return DROP
    return raises(bid, bid)[0]


def _discard(state: State, seat: int, generator: random.Random) -> Command:
    shops = state.shops[seat]
    kept = best_of(state, seat, shops)
    return DISCARDS[next(shop for shop in shops if shop not in kept)]


def _settle(state: State, seat: int, generator: random.Random) -> Command:
    def value(kept: Stock) -> int:
        return sum(_unit(state, material) * units for material, units in enumerate(kept))

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
    shops, stock, money = state.shops[seat], state.stock[seat], state.money[seat]
    costs, cities = _costs(state), state.cities(seat)
    cheapest = min(map(int.__add__, state.reach[seat], state.fees))
    room = storage(shops)
    full: Stock = (room.wood + room.hybrid, room.iron + room.hybrid, room.wool, room.salt)
    best, best_value = Plan((0, 0, 0, 0), 0), -1
    for plan in productions(shops, full).values():
        needs = [max(0, burns - held) for burns, held in zip(plan.burns, stock, strict=True)]
        if any(map(int.__gt__, needs, most)):
            continue
        paid = sum(costs[m][state.shelves[m]][units] for m, units in enumerate(needs) if units)
        if paid > money:
            continue
        network = min(target(state), cities + (money - paid) // cheapest)
        supplied = min(plan.capacity, network)
        value = payment(supplied) - paid + (LAST_CITY * supplied if _last(state) else 0)
        if value > best_value:
            best, best_value = plan, value
    return best


def _build(state: State, seat: int, generator: random.Random) -> Command:
    prices = list(map(int.__add__, state.reach[seat], state.fees))
    cheapest = min(prices)
    cities, money = state.cities(seat), state.money[seat]
    fed = max(plan.capacity for plan in productions(state.shops[seat], state.stock[seat]).values())
    capacity = capacity_of(state.shops[seat])
    ends = cities + 1 >= target(state) and not _last(state)
    if _last(state):
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
    def value(way: Command) -> int:
        after = RULESET.clone(state)
        run(RULESET, after, seat, way, NoChance())
        last = LAST_CITY * after.supplied[seat] if _last(state) else 0
        stored = sum(_unit(state, m) * units for m, units in enumerate(after.stock[seat]))
        return 2 * (after.money[seat] + last) + stored

    return max(RULESET.legal(state, seat), key=value)


def _last(state: State) -> bool:
    """Returns whether this is the last round, as far as can be seen (G-9.1)."""
    return max(map(state.cities, range(state.guilds))) >= target(state)


def _most_fed(state: State, seat: int) -> int:
    """Returns how many cities another guild can supply at most with what it holds now."""
    return max(
        min(
            state.cities(other) + PACE,
            max(p.capacity for p in productions(state.shops[other], state.stock[other]).values()),
        )
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


def _unit(state: State, material: int) -> int:
    """Returns about what a unit of a material costs now, in L."""
    costs = COSTS[material]
    stock = max(1, min(state.shelves[material], len(costs) - 1))
    return costs[stock][1] + (0 if state.shelves[material] else 1)


def _price(state: State, shop: int) -> int:
    """Returns about what a unit for a workshop costs now, in L; 0 for a mill."""
    return min((_unit(state, material) for material in consumes(shop)), default=0)


_WAYS: Final[dict[int, Callable[[State, int, random.Random], Command]]] = {
    NAME: _name,
    BID: _bid,
    DISCARD: _discard,
    SETTLE: _settle,
    BUY: _buy,
    BUILD: _build,
    PRODUCE: _produce,
}
