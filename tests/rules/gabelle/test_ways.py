"""Cheapest ways, against all ways there are on random parts of the map."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from service.rules.gabelle.routes import cheapest, joined, neighbours, reach_of, tolls_from
from service.rules.gabelle.state import cities_of
from service.rules.gabelle.tables import BIG, CITIES, CITY, IN_REGION, REGION_SETS, ROUTES

ALL = (1 << len(CITIES)) - 1
Graph = dict[int, list[tuple[int, int]]]


def graph_of(area: int, war: bool) -> Graph:
    """Returns the routes of a part of the map, worked out from the data alone."""
    graph: Graph = {city: [] for city in cities_of(area)}
    for a, b, road, toll in ROUTES:
        if a in graph and b in graph:
            now = toll + toll if road and war else toll
            graph[a].append((b, now))
            graph[b].append((a, now))
    return graph


def all_ways(graph: Graph, home: int, goal: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yields every way without a circle: toll, routes, ids of its cities."""

    def onward(passed: tuple[int, ...], toll: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        if passed[-1] == goal:
            yield toll, len(passed) - 1, tuple(CITIES[city] for city in passed)
            return
        for city, step in graph[passed[-1]]:
            if city not in passed:
                yield from onward((*passed, city), toll + step)

    yield from onward((home,), 0)


def random_area(generator: random.Random, size: int) -> int:
    """Returns a part of the map that hangs together."""
    near = neighbours(ALL, False)
    area = {generator.randrange(len(CITIES))}
    while len(area) < size:
        rim = sorted({city for home in area for city, _ in near[home]} - area)
        area.add(generator.choice(rim))
    return sum(1 << city for city in area)


def check(seed: int) -> None:
    """Compares each city's cheapest way from a random network with all ways there are."""
    generator = random.Random(seed)
    area, war = random_area(generator, generator.randint(6, 11)), generator.random() < 0.5
    graph = graph_of(area, war)
    cities = cities_of(area)
    held = sorted(generator.sample(cities, generator.randint(1, 3)))
    reach = reach_of(area, war, held)
    for goal in cities:
        if goal in held:
            assert reach[goal] == BIG
            continue
        toll, _, ids = min(way for home in held for way in all_ways(graph, home, goal))
        way = cheapest(area, war, held, goal)
        assert reach[goal] == way.toll == toll == sum(way.tolls)
        assert tuple(CITIES[city] for city in way.cities) == ids
        assert len(way.tolls) == len(way.cities) - 1
        assert not set(way.cities[1:]) & set(held), "no toll is paid between own cities"
    assert {reach[city] for city in range(len(CITIES)) if city not in cities} == {BIG}


@pytest.mark.parametrize("seed", range(25))
def test_cheapest_is_the_best_of_all(seed: int) -> None:
    """G-6.1: the cheapest toll, then the fewest routes, then the first by city ids."""
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_cheapest_is_the_best_of_all_on_many_maps(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize("war", [False, True])
def test_reach_grows_city_by_city(war: bool) -> None:
    """G-6.1: a network that grows reaches what a network made at once does."""
    generator = random.Random(war)
    for _ in range(40):
        regions = generator.choice([one for sets in REGION_SETS.values() for one in sets])
        area = sum(IN_REGION[region] for region in regions)
        held = generator.sample(cities_of(area), 5)
        reach = reach_of(area, war, held[:1])
        for place in range(1, len(held)):
            reach = joined(reach, area, war, held[place])
            assert reach == reach_of(area, war, held[: place + 1])


def test_regions_hang_together() -> None:
    """G-1.1: every set of regions that touch can be crossed from end to end."""
    for sets in REGION_SETS.values():
        for regions in sets:
            area = sum(IN_REGION[region] for region in regions)
            cities = cities_of(area)
            assert all(tolls_from(area, False, cities[0])[city] < BIG for city in cities)


def test_first_post_pays_no_toll() -> None:
    """G-6.2: without a network every city in play can be reached for nothing, in war too."""
    area = IN_REGION[0]
    for war in (False, True):
        reach = reach_of(area, war, ())
        assert {reach[city] for city in cities_of(area)} == {0}
        assert {reach[city] for city in cities_of(ALL & ~area)} == {BIG}
        way = cheapest(area, war, (), CITY["paris"])
        assert (way.toll, way.cities, way.tolls) == (0, (CITY["paris"],), ())


def test_war_changes_the_way() -> None:
    """G-3.5: with doubled roads the rivers win: Orléans to Le Mans by Tours and Angers."""
    home, goal = CITY["orleans"], CITY["le_mans"]
    peace = cheapest(ALL, False, (home,), goal)
    war = cheapest(ALL, True, (home,), goal)
    assert ([CITIES[city] for city in peace.cities], peace.tolls) == (["orleans", "le_mans"], (12,))
    assert [CITIES[city] for city in war.cities] == ["orleans", "tours", "angers", "le_mans"]
    assert war.tolls == (6, 5, 5)


def test_equal_tolls() -> None:
    """G-6.1: fewest routes first (Bruges–Calais–Arras 18 against Bruges–Lille–Arras 6: cheaper)."""
    found = cheapest(ALL, False, (CITY["bruges"],), CITY["arras"])
    assert [CITIES[city] for city in found.cities] == ["bruges", "lille", "arras"]
    # Calais–Amiens costs 11 at once; by Arras 9 + 5 = 14
    found = cheapest(ALL, False, (CITY["calais"],), CITY["amiens"])
    assert found.tolls == (11,)
    # Montpellier and Aigues-Mortes are a free route apart: from both Avignon costs 4
    found = cheapest(ALL, False, (CITY["montpellier"], CITY["aigues_mortes"]), CITY["avignon"])
    assert [CITIES[city] for city in found.cities] == ["aigues_mortes", "avignon"]
