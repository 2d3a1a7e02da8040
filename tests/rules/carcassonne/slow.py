"""Carcassonne computed slowly, from the tiles on the table alone: a second opinion for tests.

Features are flood-filled over edge slots; nothing is kept between calls. Written apart from the
ruleset, from the tile data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

DATA = json.loads((files("service.rules.carcassonne") / "data" / "tiles.json").read_text("utf-8"))
TILES = {tile["id"]: tile for tile in DATA["tiles"]}
SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))

Cell = tuple[int, int]
Board = Mapping[Cell, tuple[str, int]]
"""Where tiles lie: kind and rotation."""


def edge(kind: str, rotation: int, side: int) -> str:
    """Returns F, R or C."""
    return str(TILES[kind]["edges"][(side - rotation) % 4])


def placements(board: Board, kind: str) -> list[tuple[int, int, int]]:
    """Returns all (x, y, rotation) where a tile may be placed, sorted."""
    cells = {(x + dx, y + dy) for x, y in board for dx, dy in SIDES} - set(board)
    return sorted(
        (x, y, rotation)
        for x, y in cells
        for rotation in range(4)
        if fits(board, x, y, kind, rotation)
    )


def fits(board: Board, x: int, y: int, kind: str, rotation: int) -> bool:
    """Returns whether all touching edges match."""
    for side, (dx, dy) in enumerate(SIDES):
        other = board.get((x + dx, y + dy))
        if other and edge(kind, rotation, side) != edge(*other, (side + 2) % 4):
            return False
    return True


def parts(kind: str, rotation: int) -> list[dict[str, Any]]:
    """Returns the features of a turned tile: feature, slots, shields, cities (as indexes)."""
    tile = TILES[kind]
    found: list[dict[str, Any]] = []
    for feature, name in (("city", "cities"), ("road", "roads"), ("field", "fields")):
        found += [
            {
                "feature": feature,
                "slots": {(slot + 3 * rotation) % 12 for slot in part["slots"]},
                "shields": part.get("shields", 0),
                "cities": part.get("cities", []),
            }
            for part in tile[name]
        ]
    return found


class Features:
    """The connected features of a board. A feature is a frozenset of (cell, slot)."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.of: dict[tuple[Cell, int], tuple[Cell, int]] = {}
        self.known: dict[tuple[Cell, int], dict[str, Any]] = {}
        for cell, tile in board.items():
            for number, part in enumerate(parts(*tile)):
                self.known[cell, number] = part
                for slot in part["slots"]:
                    self.of[cell, slot] = (cell, number)

    def whole(self, cell: Cell, number: int) -> set[tuple[Cell, int]]:
        """Returns all parts connected with a part."""
        seen = {(cell, number)}
        todo = [(cell, number)]
        while todo:
            for other in self._across(*todo.pop()):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen

    def _across(self, cell: Cell, number: int) -> Iterator[tuple[Cell, int]]:
        for slot in self.known[cell, number]["slots"]:
            side, place = divmod(slot, 3)
            dx, dy = SIDES[side]
            other = (cell[0] + dx, cell[1] + dy)
            if other in self.board:
                yield self.of[other, 3 * ((side + 2) % 4) + 2 - place]

    def complete(self, whole: set[tuple[Cell, int]]) -> bool:
        """Returns whether no slot of a city or road leads to an empty cell."""
        return all(
            (cell[0] + SIDES[slot // 3][0], cell[1] + SIDES[slot // 3][1]) in self.board
            for cell, number in whole
            for slot in self.known[cell, number]["slots"]
        )


def board_of(view: Mapping[str, Any]) -> Board:
    """Returns the tiles of a view by cell."""
    return {(tile["x"], tile["y"]): (tile["kind"], tile["rotation"]) for tile in view["tiles"]}


def spots(view: Mapping[str, Any]) -> set[tuple[str, int | None]]:
    """Returns (feature, slot) of all features of the last tile that hold no follower."""
    features = Features(board_of(view))
    last = view["tiles"][-1]
    cell = (last["x"], last["y"])
    held = {
        features.of[(one["x"], one["y"]), one["slot"]]
        for one in view["followers"]
        if one["feature"] != "monastery"
    }
    free: set[tuple[str, int | None]] = set()
    for number, part in enumerate(parts(last["kind"], last["rotation"])):
        if not features.whole(cell, number) & held:
            free.add((part["feature"], min(part["slots"])))
    if TILES[last["kind"]]["monastery"]:
        free.add(("monastery", None))
    return free


Whole = tuple[str, bool, int, int]
"""A connected feature: its kind, whether complete (a field never is), tiles, shields."""


def wholes(view: Mapping[str, Any]) -> dict[frozenset[tuple[Cell, int]], Whole]:
    """Returns all connected cities, roads and fields by their parts."""
    features = Features(board_of(view))
    found: dict[frozenset[tuple[Cell, int]], Whole] = {}
    for start in features.known:
        whole = features.whole(*start)
        feature = features.known[start]["feature"]
        found[frozenset(whole)] = (
            feature,
            feature != "field" and features.complete(whole),
            len({cell for cell, _ in whole}),
            sum(features.known[part]["shields"] for part in whole),
        )
    return found


def neighbours(board: Board, cell: Cell) -> int:
    """Returns how many of the 8 cells around are filled."""
    x, y = cell
    return sum((x + dx, y + dy) in board for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)


def final(
    view: Mapping[str, Any], two_tile_city: int = 4, first_edition: bool = False
) -> list[int]:
    """Returns the totals if play ended now, from the view alone."""
    features = Features(board_of(view))
    totals = list(view["scores"])
    claims: dict[frozenset[Any], tuple[str, list[int]]] = {}
    for follower in view["followers"]:
        cell = (follower["x"], follower["y"])
        if follower["feature"] == "monastery":
            key: frozenset[Any] = frozenset([(cell, -1)])
        else:
            key = frozenset(features.whole(*features.of[cell, follower["slot"]]))
        claims.setdefault(key, (follower["feature"], [0] * len(totals)))[1][follower["seat"]] += 1
    farmers: dict[frozenset[Any], list[int]] = {}
    for whole, (feature, counts) in claims.items():
        points = _points(features, feature, set(whole), two_tile_city)
        if feature == "field":
            cities = complete_cities(features, set(whole))
            points = 0 if first_edition else 3 * len(cities)
            for city in cities:
                pooled = farmers.setdefault(city, [0] * len(totals))
                farmers[city] = [a + b for a, b in zip(pooled, counts, strict=True)]
        _pay(totals, counts, points)
    for counts in farmers.values() if first_edition else ():
        _pay(totals, counts, 4)
    return totals


def _pay(totals: list[int], counts: list[int], points: int) -> None:
    for seat, count in enumerate(counts):
        if count == max(counts):
            totals[seat] += points


def _points(
    features: Features, feature: str, whole: set[tuple[Cell, int]], two_tile_city: int
) -> int:
    tiles = len({cell for cell, _ in whole})
    if feature == "monastery":
        return 1 + neighbours(features.board, next(iter(whole))[0])
    if feature == "road":
        return tiles
    if feature == "field":
        return 0
    shields: int = sum(features.known[part]["shields"] for part in whole)
    if not features.complete(whole):
        return tiles + shields
    return (two_tile_city if tiles == 2 else 2 * tiles) + 2 * shields


def complete_cities(features: Features, field: set[tuple[Cell, int]]) -> set[frozenset[Any]]:
    """Returns the complete cities that border a field."""
    found = set()
    for cell, number in field:
        for city in features.known[cell, number]["cities"]:
            whole = features.whole(cell, city)
            if features.complete(whole):
                found.add(frozenset(whole))
    return found
