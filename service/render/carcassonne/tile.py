"""A tile as drawn: from its data alone, 100 units wide and high around its middle.

Land lies under cities, cities under walls, walls under roads. What should stand upright however a
tile lies (shields, monasteries, followers) is placed by `turned` and drawn by the board. The
drawings are used by reference, and what is used knows only classes of its own: hence `bailli-art`.
"""

from __future__ import annotations

import functools
import random
from typing import Any, Final

from ...rules.carcassonne.tiles import TILES
from ..drawing import circle, el, group, path, rect

Place = tuple[float, float]

HALF: Final = 50
BY_ID: Final[dict[str, dict[str, Any]]] = {tile["id"]: tile for tile in TILES}
ALL_SIDES: Final = (0, 1, 2, 3)
NEAR: Final = 0.74
"""How far from the middle, of the way to the edge, a farmer in a corner stands."""

WALL: Final = "M-50-50L-38-40C-20-14 20-14 38-40L50-50"
"""The wall around a city that touches the north side only."""
CORNER: Final = "M50-50L42-39C22-4-4 22-39 42L-50 50"
"""The wall around a city in the north-west corner."""
STREETS: Final = {
    (0, 2): "M0-50C-9-18 9 18 0 50",
    (1, 3): "M-50 0C-18-9 18 9 50 0",
    (0, 1): "M0-50Q0 0 50 0",
    (1, 2): "M50 0Q0 0 0 50",
    (2, 3): "M0 50Q0 0-50 0",
    (0, 3): "M-50 0Q0 0 0-50",
}
TOWARD: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))
ROOFS: Final[dict[int, tuple[Place, ...]]] = {
    1: ((-20, -42), (1, -36), (21, -42)),
    2: ((-12, -36), (-37, -13), (11, -41), (-40, 12), (-14, -14)),
    3: ((-38, -14), (-18, -36), (17, -37), (39, -16), (-32, 14), (32, 12), (-10, 6), (12, 8)),
    4: (
        *((-28, -8), (-10, -34), (16, -37), (38, -20), (-38, 20), (-18, 36), (14, 34), (37, 14)),
        *((-14, 14), (18, -12)),
    ),
}
"""Where the houses of a city stand that touches so many sides, turned as the city is."""
BAND_ROOFS: Final = ((-38, 10), (-25, -10), (25, 10), (38, -10), (20, -12), (-20, 12))
CITIZENS: Final[dict[int, Place]] = {1: (0, -37), 2: (-14, -14), 3: (0, -12), 4: (0, 0)}
"""Where a city's knight stands, by the number of sides, turned as the city is."""
MONK: Final = (8, 10)
"""Where a monk stands: beside the church."""
VILLAGE: Final = ((-11, -12), (12, -11), (11, 13), (-12, 12))

STYLE: Final = """\
.bailli-art .land{fill:#a9c66c}
.bailli-art .tuft{fill:#86a94d}
.bailli-art .leaf{fill:#5f8a3c}
.bailli-art .town{fill:#d9b48a}
.bailli-art .moat{fill:none;stroke:#5b4632;stroke-width:7.5}
.bailli-art .wall{fill:none;stroke:#d8cdbb;stroke-width:4.5}
.bailli-art .teeth{fill:none;stroke:#8f8272;stroke-width:4.5;stroke-dasharray:3 4}
.bailli-art .tower{fill:#d8cdbb;stroke:#5b4632;stroke-width:1.6}
.bailli-art .roof{fill:#b5533a}
.bailli-art .lit{fill:#cf7350}
.bailli-art .bank{fill:none;stroke:#7a6445;stroke-width:11;stroke-linecap:butt}
.bailli-art .road{fill:none;stroke:#f4e9cf;stroke-width:8}
.bailli-art .hub{fill:#f4e9cf;stroke:#7a6445;stroke-width:1.5}
.bailli-art .rim{fill:none;stroke:#4c5a2a;stroke-opacity:.55;stroke-width:1}
.bailli-art .arms{fill:#2d5fa8;stroke:#fff;stroke-width:1.6}
.bailli-art .bend{fill:#f5d34c}
.bailli-art .stone{fill:#efe8da;stroke:#5b4632;stroke-width:1.6;stroke-linejoin:round}
.bailli-art .slate{fill:#7b6f9c;stroke:#5b4632;stroke-width:1.6;stroke-linejoin:round}
.bailli-art .door{fill:#5b4632}
.bailli-art .cross{fill:none;stroke:#5b4632;stroke-width:1.8}
.bailli-art .garden{fill:#c3d889;stroke:#5f8a3c;stroke-dasharray:2 2}
@media (prefers-color-scheme:dark){
.bailli-art .land{fill:#6f8b45}
.bailli-art .tuft{fill:#5c7839}
.bailli-art .leaf{fill:#3f6530}
.bailli-art .town{fill:#a9835d}
.bailli-art .road,.bailli-art .hub{fill:#d8ccb0}
.bailli-art .road{fill:none;stroke:#d8ccb0}
.bailli-art .roof{fill:#94412d}
.bailli-art .lit{fill:#b05c3f}
.bailli-art .garden{fill:#8aa65a}}
"""


@functools.cache
def drawn(kind: str) -> str:
    """Returns a kind of tile, not turned, named `tile-<kind>`."""
    tile = BY_ID[kind]
    parts = [rect(-HALF, -HALF, 100, 100, "land"), *_growth(tile)]
    parts += [_city(sides(city)) for city in tile["cities"]]
    parts += _roads(tile)
    parts.append(rect(-HALF, -HALF, 100, 100, "rim"))
    return group(*parts, cls="bailli-art", id=f"tile-{kind}")


def sides(feature: dict[str, Any]) -> tuple[int, ...]:
    """Returns the sides (N E S W: 0 … 3) that a feature of a tile touches, ascending."""
    return tuple(sorted({slot // 3 for slot in feature["slots"]}))


def slot_place(slot: int) -> Place:
    """Returns where an edge slot lies."""
    side, place = divmod(slot, 3)
    return turned((30 * (place - 1), -HALF), side)


def turned(place: Place, rotation: int) -> Place:
    """Returns a place after quarter turns clockwise."""
    x, y = place
    for _ in range(rotation % 4):
        x, y = -y, x
    return x, y


def standing(kind: str, rotation: int, slot: int | None) -> Place:
    """Returns where a follower stands on a turned tile: `slot` names its feature there."""
    if slot is None:
        return MONK
    own = (slot - 3 * rotation) % 12
    return turned(_anchor(BY_ID[kind], own), rotation)


def shields(kind: str) -> list[Place]:
    """Returns where the shields of a tile hang."""
    found = []
    for city in BY_ID[kind]["cities"]:
        if city["shields"]:
            touched = sides(city)
            found.append(turned((-31, 0 if _across(touched) else -31), _turns(touched)))
    return found


def _anchor(tile: dict[str, Any], slot: int) -> Place:
    for city in tile["cities"]:
        if slot in city["slots"]:
            touched = sides(city)
            place = (0, 0) if _across(touched) else CITIZENS[len(touched)]
            return turned(place, _turns(touched))
    for road in tile["roads"]:
        if slot in road["slots"]:
            touched = sides(road)
            x = sum(TOWARD[side][0] for side in touched)
            y = sum(TOWARD[side][1] for side in touched)
            away = 34 if len(touched) == 1 else 12.5
            return away * x, away * y
    (field,) = (field for field in tile["fields"] if slot in field["slots"])
    return _meadow(field["slots"], slot)


def _meadow(slots: list[int], slot: int) -> Place:
    """Returns a place in a field: in the middle of a side that is all its own, else a corner."""
    for side in (2, 0, 1, 3):
        if all(3 * side + place in slots for place in range(3)):
            return 32 * TOWARD[side][0], 32 * TOWARD[side][1]
    x, y = slot_place(slot)
    other = slot + 1 if slot % 3 == 2 else slot - 1
    if other % 12 in slots:
        ox, oy = slot_place(other % 12)
        x, y = (x + ox) / 2, (y + oy) / 2
    return x * NEAR, y * NEAR


def _across(touched: tuple[int, ...]) -> bool:
    """Whether a city runs from one side to the other."""
    return touched in ((0, 2), (1, 3))


def _turns(touched: tuple[int, ...]) -> int:
    """Returns how often a city is turned from how it is drawn first.

    That is at the north side; in the north-west corner; from west to east; but for the south.
    """
    if len(touched) == 1:
        return touched[0]
    if len(touched) == 3:
        (free,) = set(ALL_SIDES) - set(touched)
        return (free - 2) % 4
    if len(touched) == 4 or touched == (0, 3):
        return 0
    return int(touched == (0, 2)) if _across(touched) else touched[0] + 1


def _city(touched: tuple[int, ...]) -> str:
    count = len(touched)
    if count == 1:
        line, walls, roofs = WALL, [0], ROOFS[1]
        parts = [path(f"{WALL}Z", "town")]
    elif count == 2 and not _across(touched):
        line, walls, roofs = CORNER, [0], ROOFS[2]
        parts = [path(f"{CORNER}V-50Z", "town")]
    else:
        line = WALL
        walls, roofs = {2: ([0, 2], BAND_ROOFS), 3: ([2], ROOFS[3]), 4: ([], ROOFS[4])}[count]
        parts = [rect(-HALF, -HALF, 100, 100, "town")]
        parts += [path(f"{WALL}Z", "land", transform=_turn(wall)) for wall in walls]
    parts += [_roof(*place) for place in roofs]
    for wall in walls:
        parts += [path(line, cls, transform=_turn(wall)) for cls in ("moat", "wall", "teeth")]
    return group(*parts, transform=_turn(_turns(touched)))


def _turn(turns: int) -> str | None:
    return f"rotate({90 * turns})" if turns else None


def _roof(x: float, y: float) -> str:
    """A house from above; which way its ridge runs follows from where it stands."""
    wide, high = (13, 10) if int(x + y) % 2 else (10, 13)
    lit_wide, lit_high = (wide, high / 2) if wide > high else (wide / 2, high)
    x, y = x - wide / 2, y - high / 2
    return rect(x, y, wide, high, "roof") + rect(x, y, lit_wide, lit_high, "lit")


def _roads(tile: dict[str, Any]) -> list[str]:
    lines = []
    for road in tile["roads"]:
        touched = sides(road)
        if len(touched) == 2:
            lines.append(STREETS[touched])
        else:
            x, y = TOWARD[touched[0]]
            end = 24 if _gate(tile) else 0
            lines.append(f"M{50 * x} {50 * y}L{end * x} {end * y}")
    parts = [path(line, cls) for cls in ("bank", "road") for line in lines]
    if len(lines) > 2:
        parts += [_roof(*place) for place in VILLAGE]
        parts.append(circle(0, 0, 7, "hub"))
    if _gate(tile):
        x, y = TOWARD[sides(tile["roads"][0])[0]]
        parts.append(rect(22 * x - 7, 22 * y - 7, 14, 14, "tower", 2))
        parts.append(rect(24 * x - 3.5, 24 * y - 3.5, 7, 7, "door", 1))
    return parts


def _gate(tile: dict[str, Any]) -> bool:
    """Whether the tile's one road ends at a city's wall."""
    return len(tile["roads"]) == 1 and not tile["monastery"] and len(sides(tile["roads"][0])) == 1


def _growth(tile: dict[str, Any]) -> list[str]:
    """Tufts and bushes, scattered anew for each kind but always the same for one.

    They come first: whatever is built covers those in its way.
    """
    generator = random.Random(tile["id"])
    parts = []
    for place in range(12):
        x, y = generator.randint(-45, 45), generator.randint(-45, 45)
        if place % 4:
            parts.append(el("ellipse", cx=x, cy=y, rx=3.4, ry=1.5, cls="tuft"))
        else:
            parts.append(circle(x, y, 3.2, "leaf") + circle(x + 3.5, y + 1.5, 2.4, "leaf"))
    return parts


SHIELD: Final = group(
    path("M-8-9h16v9c0 5-4 8-8 10c-4-2-8-5-8-10z", "arms"),
    path("M-7-8l14 10v-5l-9-5z", "bend"),
    cls="bailli-art",
    id="arms",
)
MONASTERY: Final = group(
    circle(0, 2, 25, "garden"),
    path("M-15 16v-16h22v16z", "stone"),
    path("M-18 0l4-10h18l6 10z", "slate"),
    path("M5 16v-26h10v26z", "stone"),
    path("M3-10l7-14l7 14z", "slate"),
    path("M10-31v8M7-28h6", "cross"),
    path("M-8 16v-6a3 3 0 0 1 6 0v6z", "door"),
    cls="bailli-art",
    id="monastery",
)
