"""The map, the workshops and the market as tables of integers.

Cities, routes, regions, materials and events are numbered in data order, stages from 1; workshops
go by the number on their card. Sets of seats, cities, workshops of a tier and events are bit masks.
"""

from __future__ import annotations

import itertools
from typing import Final

from ..data import read

MAP: Final = read(__package__, "map.json")
WORKSHOPS: Final = read(__package__, "workshops.json")["workshops"]
MARKET: Final = read(__package__, "market.json")
EVENT_CARDS: Final = read(__package__, "events.json")["events"]

BIG: Final = 1 << 20
"""A toll or fee that nobody can pay."""

# The map (G-1.1, G-6)
REGIONS: Final = tuple(region["id"] for region in MAP["regions"])
CITIES: Final = tuple(city["id"] for city in MAP["cities"])
CITY: Final = {name: number for number, name in enumerate(CITIES)}
REGION_OF: Final = tuple(REGIONS.index(city["region"]) for city in MAP["cities"])
IN_REGION: Final = tuple(
    sum(1 << city for city, where in enumerate(REGION_OF) if where == region)
    for region in range(len(REGIONS))
)
FAIR_TOWNS: Final = sum(1 << CITY[name] for name in MAP["fairs"])
ROUTES: Final = tuple(
    (CITY[route["a"]], CITY[route["b"]], route["kind"] == "road", route["toll"])
    for route in MAP["routes"]
)
"""Each route: its two cities, whether it is a road, its toll in peace."""

# Materials and the market (G-1.3, G-5, G-8.1)
MATERIALS: Final = tuple(material["id"] for material in MARKET["materials"])
MATERIAL: Final = {name: number for number, name in enumerate(MATERIALS)}
WOOD, IRON, WOOL, SALT = range(4)
CAPACITY: Final = tuple(material["capacity"] for material in MARKET["materials"])
START_STOCK: Final = tuple(material["start"] for material in MARKET["materials"])
START_MONEY: Final[int] = MARKET["start_money"]
SALT_SURCHARGE: Final[int] = MARKET["salt_surcharge"]
GABELLE_SURCHARGE: Final[int] = MARKET["gabelle_surcharge"]
GABELLE_UNITS: Final[int] = MARKET["gabelle_units"]

# Workshops (G-1.2, G-4)
NUMBERS: Final = tuple(card["number"] for card in WORKSHOPS)
CARD: Final = {card["number"]: card for card in WORKSHOPS}
LOW: Final = tuple(card["number"] for card in WORKSHOPS if card["tier"] == "low")
HIGH: Final = tuple(card["number"] for card in WORKSHOPS if card["tier"] == "high")
LOW_IDS: Final = tuple(map(str, LOW))
HIGH_IDS: Final = tuple(map(str, HIGH))
OPEN_CARDS: Final[int] = MARKET["open_cards"]
MAX_WORKSHOPS: Final[int] = MARKET["most_workshops"]
STORAGE_FACTOR: Final[int] = MARKET["storage_factor"]

# Events (G-3)
EVENT_IDS: Final = tuple(event["id"] for event in EVENT_CARDS)
GABELLE, BLACK_DEATH, FAIRS, WAR, FAMINE, DECREE = range(6)
NO_EVENT: Final = -1
ALL_EVENTS: Final = (1 << len(EVENT_IDS)) - 1

# By the number of guilds; by stage
GUILDS: Final = tuple(row["guilds"] for row in MARKET["guilds"])
BY_GUILDS: Final = {row["guilds"]: row for row in MARKET["guilds"]}
OCTROI: Final[tuple[int, ...]] = tuple(MARKET["octroi"])
PAYMENT: Final = tuple(MARKET["payment"])
LAST_ROUND: Final[int] = MARKET["last_round"]


def unit_price(material: int, stock: int) -> int:
    """Returns the price of the next unit of a shelf that holds `stock` ≥ 1, without surcharge."""
    steps = MARKET["materials"][material]["units_per_step"]
    return int(MARKET["highest_price"]) + 1 + -stock // int(steps)  # G-1.3


UNIT_PRICES: Final = tuple(
    (0, *(unit_price(material, stock) for stock in range(1, capacity + 1)))
    for material, capacity in enumerate(CAPACITY)
)
"""By material and stock: the price of the next unit."""


def _costs(material: int, surcharge: int) -> tuple[tuple[int, ...], ...]:
    prices = UNIT_PRICES[material]
    return tuple(
        tuple(
            itertools.accumulate(
                (prices[left] + surcharge for left in range(stock, 0, -1)), initial=0
            )
        )
        for stock in range(len(prices))
    )


_PLAIN_COSTS: Final = tuple(_costs(material, 0) for material in (WOOD, IRON, WOOL))
COSTS: Final = (*_PLAIN_COSTS, _costs(SALT, SALT_SURCHARGE))
"""By material, stock and units: what buying that many units costs in all (G-1.3, G-5.1)."""
GABELLE_COSTS: Final = (*_PLAIN_COSTS, _costs(SALT, SALT_SURCHARGE + GABELLE_SURCHARGE))
"""The same while the Gabelle is in force (G-3.2)."""


def replenishment(guilds: int, stage: int, material: int) -> int:
    """Returns how many units are due to a shelf at the end of a round (G-8.1), famine aside."""
    base: int = MARKET["materials"][material]["replenish"][stage - 1]
    tenths: int = BY_GUILDS[guilds]["replenish_tenths"]
    return (base * tenths + 5) // 10  # half up, in whole numbers only


def famine(material: int, units: int) -> int:
    """Returns what the Great Famine leaves of units due (G-3.6)."""
    return units // 2 if MARKET["materials"][material]["famine"] else units


def payment(supplied: int) -> int:
    """Returns the income for cities supplied (G-7.1)."""
    return int(PAYMENT[min(supplied, len(PAYMENT) - 1)])


def fair_bonus(supplied: int, fairs: int) -> int:
    """Returns what the Fairs of Champagne add for `fairs` of the cities supplied (G-3.4)."""
    if supplied == 0:
        return 0
    return (fairs * payment(supplied) + supplied) // (2 * supplied)


_BORDERS: Final = {
    pair
    for a, b, _, _ in ROUTES
    for pair in ((REGION_OF[a], REGION_OF[b]), (REGION_OF[b], REGION_OF[a]))
}


def touching(regions: tuple[int, ...]) -> bool:
    """Returns whether regions form one piece: a route joins each to the others (G-1.1)."""
    reached, left = {regions[0]}, set(regions[1:])
    while near := {one for one in left if any((one, other) in _BORDERS for other in reached)}:
        reached |= near
        left -= near
    return not left


REGION_SETS: Final = {
    size: tuple(
        regions
        for regions in itertools.combinations(range(len(REGIONS)), size)
        if touching(regions)
    )
    for size in range(1, len(REGIONS) + 1)
}
"""By size: the sets of regions that touch, in data order."""

SEATS_OF: Final = tuple(
    tuple(seat for seat in range(8) if seats >> seat & 1) for seats in range(256)
)
"""By mask of seats: the seats, ascending."""

NEXT_SEAT: Final = tuple(
    tuple(
        next((s % 8 for s in range(seat + 1, seat + 9) if seats >> s % 8 & 1), -1)
        for seats in range(256)
    )
    for seat in range(8)
)
"""By seat and mask of seats: the first of them clockwise after the seat; -1 of none."""
