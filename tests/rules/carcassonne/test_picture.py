"""Carcassonne as a picture: what stands in the view stands in the landscape."""

from __future__ import annotations

from typing import Any

import pytest

from service.render.carcassonne import tile as tiles
from service.rules.carcassonne import RULESET
from service.rules.carcassonne.tiles import TILES
from tests.render.pictures import SVG, drawn, positions, those, words

NAME = RULESET.id
VIEW: dict[str, Any] = {
    "step": "place_tile",
    "seat": 1,
    "drawn": "U",
    "pile": {"size": 2, "kinds": {"A": 1, "C": 1}},
    "discarded": ["C"],
    "scores": [0, 0],
    "reserves": [7, 0],
    "tiles": [{"x": 0, "y": 0, "kind": "D", "rotation": 0, "seat": None}],
    "followers": [],
    "open_cells": [[0, -1], [-1, 0], [1, 0], [0, 1]],
}


@pytest.mark.broad
def test_what_the_view_tells_is_in_the_picture() -> None:
    for view, moves in positions(RULESET, 5, 3, every=9):
        root = drawn(NAME, view, (), moves)
        assert len(those(root, "tile")) == len(view["tiles"])
        for tile in view["tiles"]:
            facts = {key: tile[key] for key in ("x", "y", "kind", "rotation")}
            assert len(those(root, "tile", **facts)) == 1
        assert len(those(root, "follower")) == len(view["followers"])
        for follower in view["followers"]:
            facts = {key: follower[key] for key in ("x", "y", "seat")}
            (found,) = those(root, "follower", **facts)
            slot = follower["slot"]
            assert found.attrib.get("data-slot") == (None if slot is None else str(slot))
            assert str(follower["seat"]) in words(found)
        assert len(those(root, "cell")) == len(view["open_cells"])
        for seat, score in enumerate(view["scores"]):
            (line,) = those(root, "seat", seat=seat)
            assert str(score) in words(line)
            assert (
                len([each for each in line if each.tag == f"{SVG}path"])
                - bool(score and score == max(view["scores"]))
                == view["reserves"][seat]
            )
        for kind, count in view["pile"]["kinds"].items():
            assert len(those(root, "kind", kind=kind, count=count)) == 1
        assert [each.attrib["data-kind"] for each in those(root, "drawn")] == (
            [] if view["drawn"] is None else [view["drawn"]]
        )
        places = {
            (str(move["command"]["x"]), str(move["command"]["y"]))
            for move in moves
            if move["command"]["type"] == "place_tile"
        }
        marked = [each for each in those(root, "cell") if "may" in each.attrib["class"].split()]
        assert {(each.attrib["data-x"], each.attrib["data-y"]) for each in marked} == places
        choices = [move for move in moves if move["command"]["type"] == "place_follower"]
        assert len(those(root, "choice")) == len(choices)


def test_the_last_tile_is_marked() -> None:
    assert those(drawn(NAME, VIEW), "last") == []
    more = {"x": 1, "y": 0, "kind": "U", "rotation": 0, "seat": 0}
    (mark,) = those(drawn(NAME, {**VIEW, "tiles": [*VIEW["tiles"], more]}), "last")
    assert (mark.attrib["data-x"], mark.attrib["data-y"]) == ("1", "0")


def test_rotations_that_fit_are_told() -> None:
    moves = [
        {"seat": 1, "command": {"type": "place_tile", "x": 1, "y": 0, "rotation": rotation}}
        for rotation in (0, 2)
    ]
    (cell,) = those(drawn(NAME, VIEW, (), moves), "may")
    assert cell.attrib["data-rotations"] == "0 2"
    assert those(drawn(NAME, VIEW), "may") == []


def test_the_end_of_the_pile() -> None:
    over = {**VIEW, "step": None, "drawn": None, "pile": {"size": 0, "kinds": {}}, "discarded": []}
    said = words(drawn(NAME, over))
    assert "0 tiles in the pile" in said
    assert "No tile is to be placed" in said
    assert "2 tiles in the pile; 1 could not be placed" in words(drawn(NAME, VIEW))


@pytest.mark.parametrize(("wide", "high"), [(72, 1), (1, 72), (72, 72)])
def test_long_lines_of_tiles_fit_the_sheet(wide: int, high: int) -> None:
    line = [
        {
            "x": x if wide > 1 else 0,
            "y": x if high > 1 else 0,
            "kind": "U",
            "rotation": 0,
            "seat": 0,
        }
        for x in range(72)
    ]
    root = drawn(NAME, {**VIEW, "tiles": line, "open_cells": [[-1, 0]]})
    assert len(those(root, "tile")) == 72
    assert float(root.attrib["viewBox"].split()[3]) < 1_200


@pytest.mark.parametrize("kind", [tile["id"] for tile in TILES])
def test_features_are_apart_and_turn_with_the_tile(kind: str) -> None:
    """A follower's place lies on the tile, another for each feature, and turns as the tile does."""
    tile = tiles.BY_ID[kind]
    features = [*tile["cities"], *tile["roads"], *tile["fields"]]
    places = [tiles.standing(kind, 0, feature["slots"][0]) for feature in features]
    if tile["monastery"]:
        places.append(tiles.standing(kind, 0, None))
    for place, (x, y) in enumerate(places):
        assert abs(x) <= 50
        assert abs(y) <= 50
        for ox, oy in places[:place]:
            assert (x - ox) ** 2 + (y - oy) ** 2 > 13**2, "two features' followers would lie there"
    for rotation in range(4):
        for feature in features:
            slot = feature["slots"][0]
            turned = tiles.standing(kind, rotation, (slot + 3 * rotation) % 12)
            assert turned == tiles.turned(tiles.standing(kind, 0, slot), rotation)


@pytest.mark.parametrize("kind", [tile["id"] for tile in TILES])
def test_a_tile_shows_its_data(kind: str) -> None:
    tile = tiles.BY_ID[kind]
    art = tiles.drawn(kind)
    roads = len(tile["roads"])
    assert art.count('class="road"') == roads
    assert art.count('class="hub"') == (roads > 2)
    walls = sum({1: 1, 2: 1, 3: 1, 4: 0}[len(tiles.sides(city))] for city in tile["cities"])
    across = [city for city in tile["cities"] if len(tiles.sides(city)) == 2 and kind in "FG"]
    assert art.count('class="teeth"') == walls + len(across)
    assert len(tiles.shields(kind)) == sum(city["shields"] for city in tile["cities"])
    gate = roads == 1 and len(tiles.sides(tile["roads"][0])) == 1 and not tile["monastery"]
    assert art.count('class="door"') == gate
