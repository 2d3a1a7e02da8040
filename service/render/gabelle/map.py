"""The map of Gabelle as drawn: where everything is on a map of some regions.

Positions on the rules' map are converted to the picture's units. A region is the part of the land
that is nearer to one of its cities than to any other (so it is drawn as one polygon per city).
Tolls and names are placed where they cover least: each takes the best of a few positions, one after
the other. All this depends on the regions alone and is cached.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...rules.data import read
from ...rules.gabelle.tables import MAP
from ..drawing import WIDTH, number, points
from ..map_layout import Box, Place, around, beside, covered, curve

COAST: Final[list[Place]] = read(__package__, "coast.json")["coast"]
CITIES: Final[dict[str, dict[str, Any]]] = {city["id"]: city for city in MAP["cities"]}

MAP_REGIONS: Final = [each["id"] for each in MAP["regions"]]

AROUND: Final = 60
"""How much of the land beyond the outermost cities is shown, in the map's own units."""
LARGEST: Final = 0.85
HIGHEST: Final = 620
CITY: Final = 8.5
TOLL: Final = 7.5
BOW: Final = 0.09
"""How far a river swerves, of its length."""
NEAR: Final = 45
"""How far about a city there is to be room for its name."""
FAR: Final = 400
"""How far beyond the map's box the outermost cells go."""
ALONG: Final = (0.5, 0.43, 0.57, 0.36, 0.64, 0.3, 0.7)
ASIDE: Final = (0, 11, -11)
"""How far beside its way a toll may stand where there is no room on it."""
ASTRAY: Final = 30
"""What standing beside the way costs, in units covered."""


@dataclass(frozen=True, slots=True)
class Way:
    """A route as drawn: its path, where its toll stands."""

    path: str
    toll: Place


@dataclass(frozen=True, slots=True)
class Land:
    """A map of some regions: size; cities; ways by their two cities; names with their class."""

    scale: float
    shift: Place
    height: float
    cities: dict[str, Place]
    ways: dict[tuple[str, str], Way]
    names: dict[str, tuple[float, float, str]]
    titles: dict[str, Place]


@functools.cache
def land(regions: tuple[str, ...]) -> Land:
    """Returns the map of these regions."""
    shown = [city for city in MAP["cities"] if city["region"] in regions]
    left, right = min(c["x"] for c in shown) - AROUND, max(c["x"] for c in shown) + AROUND
    top, bottom = min(c["y"] for c in shown) - AROUND, max(c["y"] for c in shown) + AROUND
    scale = min(WIDTH / (right - left), HIGHEST / (bottom - top), LARGEST)
    shift = (WIDTH - (left + right) * scale) / 2, -top * scale
    cities = {c["id"]: (c["x"] * scale + shift[0], c["y"] * scale + shift[1]) for c in shown}
    taken = [around(place, CITY + 1) for place in cities.values()]
    taken += [(x - 8, y - 23, x + 8, y - 8) for x, y in cities.values()]
    ways = {}
    inside = [each for each in MAP["routes"] if each["a"] in cities and each["b"] in cities]
    for route in sorted(inside, key=lambda each: math.dist(cities[each["a"]], cities[each["b"]])):
        way = _way(cities[route["a"]], cities[route["b"]], route["kind"] == "river", taken)
        ways[route["a"], route["b"]] = way
        taken.append(around(way.toll, TOLL))
    taken += [(x - 18, y - 23, x + 18, y - 8) for x, y in cities.values()]
    names = dict.fromkeys(cities, (0.0, 0.0, ""))
    for city in sorted(shown, key=lambda each: -_crowd(cities[each["id"]], taken)):
        names[city["id"]], box = beside(city["name"], cities[city["id"]], taken)
        taken.append(box)
    titles = {
        region: (
            sum(cities[c["id"]][0] for c in own) / len(own),
            sum(cities[c["id"]][1] for c in own) / len(own),
        )
        for region in regions
        if (own := [c for c in shown if c["region"] == region])
    }
    return Land(scale, shift, (bottom - top) * scale, cities, ways, names, titles)


@functools.cache
def coast() -> str:
    """Returns the outline of the land in the map's own units, smooth."""
    count = len(COAST)
    parts = [f"M{number(COAST[0][0])} {number(COAST[0][1])}"]
    for place in range(count):
        before, start, end, after = (COAST[(place + step) % count] for step in (-1, 0, 1, 2))
        parts.append(
            "C"
            + " ".join(
                f"{number(x)} {number(y)}"
                for x, y in (
                    (start[0] + (end[0] - before[0]) / 6, start[1] + (end[1] - before[1]) / 6),
                    (end[0] - (after[0] - start[0]) / 6, end[1] - (after[1] - start[1]) / 6),
                    end,
                )
            )
        )
    return "".join(parts) + "Z"


@functools.cache
def region(name: str) -> str:
    """Returns the cells of a region's cities as one path, in the map's own units."""
    return "".join(points(*cell) + "Z" for city, cell in _cells() if city == name)


@functools.cache
def border(regions: tuple[str, ...]) -> str:
    """Returns the borders between these regions and others, in the map's own units."""
    lines: dict[tuple[str, str], int] = {}
    for city, cell in _cells():
        if city in regions:
            for start, end in zip(cell, cell[1:] + cell[:1], strict=True):
                ends = sorted((points(start)[1:], points(end)[1:]))
                key = (ends[0], ends[1])
                lines[key] = lines.get(key, 0) ^ (1 << MAP_REGIONS.index(city))
    return "".join(f"M{a}L{b}" for (a, b), sides in lines.items() if sides)


@functools.cache
def _cells() -> list[tuple[str, list[Place]]]:
    """Returns, city by city, its region and all that is nearer to it than to other cities."""
    left, top, right, bottom = MAP["box"]
    found = []
    for city in MAP["cities"]:
        cell: list[Place] = [
            (left - FAR, top - FAR),
            (right + FAR, top - FAR),
            (right + FAR, bottom + FAR),
            (left - FAR, bottom + FAR),
        ]
        for other in MAP["cities"]:
            if other is not city:
                cell = _nearer(cell, (city["x"], city["y"]), (other["x"], other["y"]))
        found.append((city["region"], cell))
    return found


def _nearer(cell: Sequence[Place], own: Place, other: Place) -> list[Place]:
    """Returns the part of a convex polygon that is nearer to one place than to the other."""
    dx, dy = other[0] - own[0], other[1] - own[1]
    edge = (other[0] ** 2 + other[1] ** 2 - own[0] ** 2 - own[1] ** 2) / 2
    beyond = [x * dx + y * dy - edge for x, y in cell]
    kept: list[Place] = []
    for place, (x, y) in enumerate(cell):
        here, there = beyond[place], beyond[(place + 1) % len(cell)]
        if here <= 0:
            kept.append((x, y))
        if here * there < 0:
            nx, ny = cell[(place + 1) % len(cell)]
            part = here / (here - there)
            kept.append((x + part * (nx - x), y + part * (ny - y)))
    return kept


def _crowd(place: Place, taken: Iterable[Box]) -> float:
    """Returns how little room there is for a name about a place."""
    return covered((place[0] - NEAR, place[1] - NEAR, place[0] + NEAR, place[1] + NEAR), taken)


def _way(a: Place, b: Place, river: bool, taken: Iterable[Box]) -> Way:
    """Returns a route as drawn, its toll where it covers least: on it, or just beside it."""
    path, along = curve(a, b, *((BOW, -BOW) if river else (0, 0)))
    long = math.dist(a, b)
    across = (b[1] - a[1]) / long, (a[0] - b[0]) / long
    tried = []
    for aside in ASIDE:
        for part in ALONG:
            x, y = along(part)
            toll = x + aside * across[0], y + aside * across[1]
            tried.append((covered(around(toll, TOLL), taken) + ASTRAY * bool(aside), toll))
    return Way(path, min(tried, key=lambda each: each[0])[1])
