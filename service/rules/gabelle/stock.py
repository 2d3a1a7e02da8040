"""What workshops store and burn: room, what may be kept, what may be run.

A guild's stock is one pool: (wood, iron, wool, salt). It is legal if it can be laid out on the
workshops: each stores up to twice its consumption, hybrids wood and iron in any mixture (G-5.2).
Everything here follows from workshops and stock alone and is remembered.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .commands import Produce, Run
from .tables import CARD, IRON, MATERIAL, MATERIALS, SALT, STORAGE_FACTOR, WOOD, WOOL

Stock = tuple[int, int, int, int]
Shops = tuple[int, ...]

NOTHING: Stock = (0, 0, 0, 0)
REMEMBERED = 1 << 13


class Storage(NamedTuple):
    """How much fits: of each material alone, and of wood and iron together on hybrids."""

    wood: int
    iron: int
    wool: int
    salt: int
    hybrid: int


class Plan(NamedTuple):
    """What a production burns, and how many cities its workshops can supply."""

    burns: Stock
    capacity: int


@functools.cache
def consumes(workshop: int) -> tuple[int, ...]:
    """Returns the materials that a workshop consumes; two of a hybrid, none of a mill."""
    return tuple(MATERIAL[name] for name in CARD[workshop]["uses"])


@functools.lru_cache(REMEMBERED)
def storage(shops: Shops) -> Storage:
    """Returns what the workshops can store (G-5.2)."""
    room = [0] * 5
    for workshop in shops:
        uses = consumes(workshop)
        if uses:
            room[uses[0] if len(uses) == 1 else 4] += STORAGE_FACTOR * CARD[workshop]["amount"]
    return Storage(*room)


def fits(shops: Shops, stock: Stock) -> bool:
    """Returns whether the stock can be laid out on the workshops (G-5.2)."""
    most = storage(shops)
    over = max(0, stock[WOOD] - most.wood) + max(0, stock[IRON] - most.iron)
    return over <= most.hybrid and stock[WOOL] <= most.wool and stock[SALT] <= most.salt


@functools.lru_cache(REMEMBERED)
def room(shops: Shops, stock: Stock) -> Stock:
    """Returns how many more units of each material fit, each taken by itself (G-5.2)."""
    most = storage(shops)
    wood, iron, wool, salt = stock
    return (
        most.wood + most.hybrid - max(0, iron - most.iron) - wood,
        most.iron + most.hybrid - max(0, wood - most.wood) - iron,
        most.wool - wool,
        most.salt - salt,
    )


@functools.lru_cache(REMEMBERED)
def keeps(shops: Shops, stock: Stock) -> tuple[Stock, ...]:
    """Returns each way to keep as much as fits, ascending (G-4.4).

    No way keeps more of one material and as much of the others. A stock that fits has one way.
    """
    most = storage(shops)
    wood, iron, wool, salt = stock
    ways: list[Stock] = []
    for kept in range(min(wood, most.wood + most.hybrid), -1, -1):
        beside = min(iron, most.iron + most.hybrid - max(0, kept - most.wood))
        if not ways or beside > ways[-1][IRON]:
            ways.append((kept, beside, min(wool, most.wool), min(salt, most.salt)))
    return tuple(reversed(ways))


@functools.cache
def runs_of(workshop: int) -> tuple[Run, ...]:
    """Returns each way to run a workshop: it consumes exactly its amount (G-7.1)."""
    uses, amount = consumes(workshop), CARD[workshop]["amount"]
    if len(uses) == 2:
        return tuple(Run(workshop, wood, amount - wood, 0, 0) for wood in range(amount + 1))
    burns = [amount if material in uses else 0 for material in range(len(MATERIALS))]
    return (Run(workshop, *burns),)


def burnt(runs: tuple[Run, ...]) -> Stock:
    """Returns what runs consume together."""
    wood = iron = wool = salt = 0
    for run in runs:
        wood += run.wood
        iron += run.iron
        wool += run.wool
        salt += run.salt
    return wood, iron, wool, salt


@functools.lru_cache(REMEMBERED)
def productions(shops: Shops, stock: Stock) -> Mapping[Produce, Plan]:
    """Returns every production that workshops and stock allow, in canonical order (G-7.1)."""
    return dict(_productions(shops, stock, ()))


def _productions(
    shops: Shops, stock: Stock, runs: tuple[Run, ...]
) -> Iterator[tuple[Produce, Plan]]:
    burns = burnt(runs)
    if any(map(int.__gt__, burns, stock)):
        return
    yield Produce(runs), Plan(burns, sum(CARD[run.workshop]["cities"] for run in runs))
    for place, workshop in enumerate(shops):
        for run in runs_of(workshop):
            yield from _productions(shops[place + 1 :], stock, (*runs, run))


def can_run(shops: Shops, stock: Stock) -> bool:
    """Returns whether there is any production but the empty one (G-7.1)."""
    return next(itertools.islice(productions(shops, stock), 1, None), None) is not None
