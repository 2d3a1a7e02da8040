"""Cheapest ways over roads and rivers (G-6.1), worked out once for each part of the map.

A *net* is the set of cities in play, as a mask, with war or peace. Its tables are made when they
are first asked for; there are few of them.
"""

from __future__ import annotations

import functools
import heapq
import itertools
from collections.abc import Iterable
from typing import NamedTuple

from .tables import BIG, CITIES, ROUTES


class Way(NamedTuple):
    """A way from a city of the network: cities passed, both ends included; the tolls between."""

    toll: int
    cities: tuple[int, ...]
    tolls: tuple[int, ...]


Label = tuple[int, int, tuple[str, ...], tuple[int, ...]]
"""What ways are compared by: toll, routes, city ids; then the cities themselves."""


@functools.cache
def neighbours(area: int, war: bool) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Returns for each city the cities one route away and the route's present toll.

    Routes with an end out of play are left out. In war roads cost twice their toll (G-3.5).
    """
    near: list[list[tuple[int, int]]] = [[] for _ in CITIES]
    for a, b, road, toll in ROUTES:
        if area >> a & 1 and area >> b & 1:
            now = 2 * toll if war and road else toll
            near[a].append((b, now))
            near[b].append((a, now))
    return tuple(map(tuple, near))


@functools.cache
def _labels(area: int, war: bool, source: int) -> tuple[Label | None, ...]:
    """Returns the best label of each city that can be reached from the source.

    Labels of equal length compare as their beginnings do, so the first label to be taken out of
    the heap for a city is its best.
    """
    near = neighbours(area, war)
    best: list[Label | None] = [None] * len(CITIES)
    heap: list[Label] = [(0, 0, (CITIES[source],), (source,))]
    while heap:
        label = heapq.heappop(heap)
        toll, routes, ids, passed = label
        here = passed[-1]
        if best[here] is None:
            best[here] = label
            for there, step in near[here]:
                if best[there] is None:
                    further = (toll + step, routes + 1, (*ids, CITIES[there]), (*passed, there))
                    heapq.heappush(heap, further)
    return tuple(best)


@functools.cache
def tolls_from(area: int, war: bool, source: int) -> tuple[int, ...]:
    """Returns the cheapest toll from a city to each city, `BIG` where no way leads."""
    return tuple(BIG if label is None else label[0] for label in _labels(area, war, source))


def joined(reach: tuple[int, ...], area: int, war: bool, city: int) -> tuple[int, ...]:
    """Returns what a network reaches, and for what toll, after it has got one more city.

    Cities of the network itself are `BIG`: nothing more can be built there (G-6.1).
    """
    further = list(map(min, reach, tolls_from(area, war, city)))
    further[city] = BIG
    return tuple(BIG if before == BIG else now for before, now in zip(reach, further, strict=True))


def reach_of(area: int, war: bool, cities: Iterable[int]) -> tuple[int, ...]:
    """Returns the cheapest toll from a network to each city that it does not hold.

    An empty network pays no toll at all (G-6.2). Cities out of play or held are `BIG`.
    """
    held = tuple(cities)
    if held:
        rows = [tolls_from(area, war, city) for city in held]
        tolls = list(map(min, *rows)) if len(rows) > 1 else list(rows[0])
    else:
        tolls = [0 if area >> city & 1 else BIG for city in range(len(CITIES))]
    for city in held:
        tolls[city] = BIG
    return tuple(tolls)


def cheapest(area: int, war: bool, held: Iterable[int], city: int) -> Way:
    """Returns the cheapest way from a network to a city that it can reach.

    Of equally cheap ways it is the one with the fewest routes, then the first by city ids (G-6.1).
    An empty network has a way of the city alone (G-6.2).
    """
    found = [label for label in (_labels(area, war, home)[city] for home in held) if label]
    if not found:
        return Way(0, (city,), ())
    toll, _, _, passed = min(found)
    near = neighbours(area, war)
    steps = tuple(dict(near[a])[b] for a, b in itertools.pairwise(passed))
    return Way(toll, passed, steps)
