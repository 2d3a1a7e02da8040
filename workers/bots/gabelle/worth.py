"""The worth of workshops and materials to a guild of Gabelle, by the habits of its merchant.

All of it follows from a few figures that occur again and again, so it is cached.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Final, NamedTuple

from service.rules.data import read
from service.rules.gabelle.routes import tolls_from
from service.rules.gabelle.state import State
from service.rules.gabelle.stock import Plan, Shops, Stock, consumes, productions, storage
from service.rules.gabelle.tables import (
    BIG,
    BY_GUILDS,
    CARD,
    COSTS,
    GABELLE,
    GABELLE_COSTS,
    IRON,
    MAX_WORKSHOPS,
    SALT,
    WOOD,
    WOOL,
    payment,
)

CACHE_SIZE: Final = 1 << 15

Prices = tuple[int, int, int, int]
"""What a unit of each material costs, in L."""


@dataclasses.dataclass(frozen=True, slots=True)
class Habits:
    """The figures of a merchant; the shrewd one's are found by self-play (`bench/tune.py`)."""

    last_city: float
    """The worth (L) of being able to supply one more city at the end of play."""
    pace: float
    """How many cities a guild is expected to add to its network in a round."""
    cheap: float
    """Up to this price (L) a unit is bought to be stored for later."""
    ease: float
    """Money (L) from which a guild builds ahead of what it can supply, and stores material."""
    bid: float
    """The share of a card's gain that is bid at most."""
    posts: float
    """The posts whose octroi is kept back in an auction,"""
    keep: float
    """and the part of the upkeep of the workshops."""
    ahead: float
    """The part of the upkeep that is kept back by who builds more than is fed."""
    near: float
    """The part of the mean toll from a city to those near it that counts in its price."""


HABITS: Final[dict[str, dict[str, float]]] = read(__package__, "habits.json")
PLAIN: Final = Habits(**HABITS["plain"])
FIGURES: Final = HABITS["shrewd"]

PRICES: Final = tuple(
    (costs[1][1] + 1, *(costs[stock][1] for stock in range(1, len(costs)))) for costs in COSTS
)
"""By material and stock: the price of the next unit, and somewhat more where there is none."""

NEIGHBOURS: Final = 6
"""How many cities count as near a city."""


class Outlook(NamedTuple):
    """What the worth of workshops depends on beside themselves."""

    prices: Prices
    cities: int
    most: int
    rounds: int
    habits: Habits


def target(state: State) -> int:
    """Returns how many cities end the game (G-9.1)."""
    cities: int = BY_GUILDS[state.guilds]["end_cities"]
    return cities


def largest(state: State) -> int:
    """Returns how many cities the largest network has."""
    return max(network.bit_count() for network in state.network)


def rounds_left(state: State, pace: float) -> int:
    """Returns an estimate of how many productions are left, this round's included."""
    return 1 + max(0, math.ceil((target(state) - largest(state)) / pace))


def outlook(state: State, seat: int, habits: Habits) -> Outlook:
    """Returns a guild's outlook: prices, own cities, the target, productions to come."""
    rounds = rounds_left(state, habits.pace)
    return Outlook(prices(state), state.cities(seat), target(state), rounds, habits)


def prices(state: State) -> Prices:
    """Returns about what a unit of each material costs now, in L."""
    wood, iron, wool, salt = state.shelves
    return PRICES[WOOD][wood], PRICES[IRON][iron], PRICES[WOOL][wool], PRICES[SALT][salt]


def costs_of(state: State) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Returns the costs of buying now, by material, stock and units."""
    return GABELLE_COSTS if state.event == GABELLE else COSTS


@functools.lru_cache(CACHE_SIZE)
def capacity_of(shops: Shops) -> int:
    """Returns how many cities the workshops supply when all of them run."""
    cities: int = sum(CARD[shop]["cities"] for shop in shops)
    return cities


@functools.lru_cache(CACHE_SIZE)
def upkeep(shops: Shops, paid: Prices) -> int:
    """Returns what it costs to run all the workshops once, at so much a unit; mills cost 0."""
    return sum(
        CARD[shop]["amount"] * min((paid[material] for material in consumes(shop)), default=0)
        for shop in shops
    )


@functools.lru_cache(CACHE_SIZE)
def worth(shops: Shops, seen: Outlook) -> float:
    """Returns what a guild's workshops are worth to it until the end of play, in L.

    In each round to come they earn what they supply of a growing network, less what they burn; at
    the end each city that can be supplied counts once more.
    """
    capacity, cost, cities = capacity_of(shops), upkeep(shops, seen.prices), float(seen.cities)
    habits = seen.habits
    earned = 0.0
    for _ in range(seen.rounds):
        cities = min(cities + habits.pace, seen.most)
        share = min(cities, capacity)
        burnt = cost * share // max(1, capacity)
        earned += max(0, payment(int(share)) - payment(0) - burnt)
    return earned + habits.last_city * min(capacity, seen.most)


def best_of(shops: Shops, seen: Outlook) -> Shops:
    """Returns the workshops a guild keeps of as many as it may have or one more (G-4.4)."""
    held = tuple(sorted(shops))
    if len(held) <= MAX_WORKSHOPS:
        return held
    ways = (held[:place] + held[place + 1 :] for place in range(len(held)))
    return max(ways, key=lambda kept: worth(kept, seen))


@functools.lru_cache(CACHE_SIZE)
def gain(shops: Shops, seen: Outlook, card: int) -> float:
    """Returns what a card adds to what a guild's workshops are worth, in L."""
    return worth(best_of((*shops, card), seen), seen) - worth(shops, seen)


@functools.lru_cache(CACHE_SIZE)
def most_fed(shops: Shops, stock: Stock) -> int:
    """Returns how many cities workshops can supply at most with what is in stock."""
    return max(plan.capacity for plan in productions(shops, stock).values())


@functools.lru_cache(CACHE_SIZE)
def plans(shops: Shops) -> tuple[Plan, ...]:
    """Returns what workshops with full stores may burn and supply, each once."""
    room = storage(shops)
    full: Stock = (room.wood + room.hybrid, room.iron + room.hybrid, room.wool, room.salt)
    return tuple(dict.fromkeys(productions(shops, full).values()))


@functools.cache
def remoteness(area: int, war: bool, city: int) -> float:
    """Returns the mean toll from a city to those nearest to it."""
    tolls = sorted(toll for toll in tolls_from(area, war, city) if toll < BIG)
    nearest = tolls[1 : NEIGHBOURS + 1]
    return sum(nearest) / len(nearest)
