"""The tile kinds as integer tables, one row for each kind and rotation.

A *face* is a kind in a rotation: `face = 4 * kind + rotation`. Sides are N E S W (0 … 3), edge
slots 0 … 11 clockwise from the left of N, three a side. Positions are packed into one integer,
`PACK * (x + MIDDLE) + y + MIDDLE`, so that they sort by x, then y.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ..data import read

CITY: Final = 0
ROAD: Final = 1
FIELD: Final = 2
MONASTERY: Final = 3
FEATURES: Final = ("city", "road", "field", "monastery")

PACK: Final = 1024
MIDDLE: Final = 512
STEPS: Final = (-1, PACK, 1, -PACK)
"""What a step N, E, S, W adds to a packed position (y grows to the south)."""
AROUND: Final = (
    *(-PACK - 1, -1, PACK - 1),
    *(-PACK, PACK),
    *(-PACK + 1, 1, PACK + 1),
)
"""The 8 cells around a position."""

_EDGES: Final = {"F": 1, "R": 2, "C": 3}


class Node(NamedTuple):
    """A feature of one face. `near` is a mask over the tile's features: cities a field borders."""

    feature: int
    open: int
    shields: int
    near: int
    slot: int | None


class Link(NamedTuple):
    """How a feature goes on across a side: own feature, and the slot met on the neighbour."""

    node: int
    slot: int


class Face(NamedTuple):
    """A tile kind in a rotation, its features in data order; `features` … `near` by feature."""

    kind: int
    rotation: int
    nodes: tuple[Node, ...]
    features: tuple[int, ...]
    open: tuple[int, ...]
    shields: tuple[int, ...]
    near: tuple[int, ...]
    closing: tuple[int, ...]
    """The cities and roads: what edges alone complete."""
    slots: tuple[int, ...]
    """The feature at each slot."""
    links: tuple[tuple[Link, ...], ...]
    """What goes on across each side."""
    edges: tuple[int, ...]
    """1 field, 2 road, 3 city, by side."""
    asks: tuple[int, ...]
    """What the tile adds to the signature of the open cell across each side."""
    monastery: int | None


EDGE_WEIGHTS: Final = (1, 4, 16, 64)
"""An open cell's signature is the sum, over its sides, of the weight times the edge asked there

(0: no neighbour)."""

_DATA: Final = read(__package__, "tiles.json")
TILES: Final = _DATA["tiles"]
KINDS: Final[tuple[str, ...]] = tuple(tile["id"] for tile in TILES)
NUMBERS: Final = {kind: number for number, kind in enumerate(KINDS)}
START: Final[int] = KINDS.index(_DATA["start"])
COUNTS: Final[tuple[int, ...]] = tuple(tile["count"] for tile in TILES)


def pack(x: int, y: int) -> int:
    """Returns the packed position of a column and a row (-500 … 500)."""
    return PACK * (x + MIDDLE) + y + MIDDLE


def unpack(position: int) -> tuple[int, int]:
    """Returns the column and row of a packed position."""
    return position // PACK - MIDDLE, position % PACK - MIDDLE


def turned(slots: list[int], rotation: int) -> list[int]:
    """Returns the slots after so many quarter turns clockwise, ascending."""
    return sorted((slot + 3 * rotation) % 12 for slot in slots)


def _face(kind: int, rotation: int) -> Face:
    tile = TILES[kind]
    nodes: list[Node] = []
    at = [-1] * 12
    for feature, name in ((CITY, "cities"), (ROAD, "roads"), (FIELD, "fields")):
        for part in tile[name]:
            slots = turned(part["slots"], rotation)
            for slot in slots:
                at[slot] = len(nodes)
            middles = sum(slot % 3 == 1 for slot in slots)
            near = sum(1 << city for city in part.get("cities", ()))
            nodes.append(Node(feature, middles, part.get("shields", 0), near, slots[0]))
    monastery = None
    if tile["monastery"]:
        monastery = len(nodes)
        nodes.append(Node(MONASTERY, 8, 0, 0, None))
    edges = [_EDGES[tile["edges"][(side - rotation) % 4]] for side in range(4)]
    links = []
    for side, edge in enumerate(edges):
        left, middle, right = 3 * side, 3 * side + 1, 3 * side + 2
        opposite = 3 * ((side + 2) % 4)
        crossing = [Link(at[middle], opposite + 1)]
        if edge == _EDGES["R"]:
            crossing += [Link(at[left], opposite + 2), Link(at[right], opposite)]
        links.append(tuple(crossing))
    return Face(
        kind=kind,
        rotation=rotation,
        nodes=tuple(nodes),
        features=tuple(node.feature for node in nodes),
        open=tuple(node.open for node in nodes),
        shields=tuple(node.shields for node in nodes),
        near=tuple(node.near for node in nodes),
        closing=tuple(n for n, node in enumerate(nodes) if node.feature in (CITY, ROAD)),
        slots=tuple(at),
        links=tuple(links),
        edges=tuple(edges),
        asks=tuple(EDGE_WEIGHTS[(side + 2) % 4] * edge for side, edge in enumerate(edges)),
        monastery=monastery,
    )


FACES: Final = tuple(_face(kind, rotation) for kind in range(len(KINDS)) for rotation in range(4))


def _fits(face: Face, signature: int) -> bool:
    asked = [signature // weight % 4 for weight in EDGE_WEIGHTS]
    return all(want in (0, have) for want, have in zip(asked, face.edges, strict=True))


FITS: Final = tuple(
    tuple(
        tuple(rotation for rotation in range(4) if _fits(FACES[4 * kind + rotation], signature))
        for signature in range(256)
    )
    for kind in range(len(KINDS))
)
"""FITS[kind][signature]: the rotations in which a kind fits an open cell, ascending."""
