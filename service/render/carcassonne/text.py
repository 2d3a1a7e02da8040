"""A game of Carcassonne as text.

A tile is five columns by three rows: its twelve edge slots around what is in the middle. A
follower is the number of its seat, at the slot that names its feature (a monk in the middle).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...rules.carcassonne.tiles import TILES
from ...rules.plain import Plain

WIDTH: Final = 5
HEIGHT: Final = 3
CITY: Final = "#"
FIELD: Final = "·"
MONASTERY: Final = "M"
CROSSING: Final = "┼"
LEGEND: Final = "# city   ─ road   · field   M monastery   0 … 4 a seat's follower"

SLOTS: Final = (
    *((0, 1), (0, 2), (0, 3)),
    *((0, 4), (1, 4), (2, 4)),
    *((2, 3), (2, 2), (2, 1)),
    *((2, 0), (1, 0), (0, 0)),
)
"""Row and column of each edge slot, clockwise from the left of the north side."""

ROADS: Final = {
    (0,): "╵",
    (1,): "╶",
    (2,): "╷",
    (3,): "╴",
    (0, 1): "└",
    (0, 2): "│",
    (0, 3): "┘",
    (1, 2): "┌",
    (1, 3): "─",
    (2, 3): "┐",
}
"""What a road that touches these sides looks like in the middle."""

_TILES: Final = {tile["id"]: tile for tile in TILES}


def text(view: Plain) -> str:
    """Returns board, seats and pile as lines of text."""
    return "\n".join([*board(view), "", LEGEND, *seats(view), pile(view)])


def board(view: Plain) -> list[str]:
    """Returns the tiles as lines, columns and rows numbered as commands do."""
    cells = {
        (tile["x"], tile["y"]): picture(tile["kind"], tile["rotation"]) for tile in view["tiles"]
    }
    for follower in view["followers"]:
        row, column = (1, 2) if follower["slot"] is None else SLOTS[follower["slot"]]
        cells[follower["x"], follower["y"]][row][column] = str(follower["seat"])
    columns = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
    rows = range(min(y for _, y in cells), max(y for _, y in cells) + 1)
    lines = [_line("", [f"{x:^{WIDTH}}" for x in columns])]
    for y in rows:
        for row in range(HEIGHT):
            parts = ["".join(cells[x, y][row]) if (x, y) in cells else " " * WIDTH for x in columns]
            lines.append(_line(str(y) if row == 1 else "", parts))
    return lines


def picture(kind: str, rotation: int) -> list[list[str]]:
    """Returns a tile's characters, row by row."""
    tile = _TILES[kind]
    edges = [tile["edges"][(side - rotation) % 4] for side in range(4)]
    roads = [_sides(road, rotation) for road in tile["roads"]]
    rows = [[FIELD] * WIDTH for _ in range(HEIGHT)]
    for slot, (row, column) in enumerate(SLOTS):
        side, place = divmod(slot, 3)
        if edges[side] == "C":
            rows[row][column] = CITY
        elif edges[side] == "R" and place == 1:
            rows[row][column] = "─" if side % 2 else "│"
    wide = any(len(_sides(city, rotation)) > 1 for city in tile["cities"])
    if wide:
        rows[1][1] = rows[1][2] = rows[1][3] = CITY
    if tile["monastery"]:
        rows[1][2] = MONASTERY
    elif roads:
        rows[1][2] = ROADS[roads[0]] if len(roads) == 1 else CROSSING
    if roads:
        for side, column in ((1, 3), (3, 1)):
            if edges[side] == "R":
                rows[1][column] = "─"
    return rows


def seats(view: Plain) -> list[str]:
    """Returns a line for each seat."""
    return [
        f"seat {seat}: {score} points, {reserve} followers in reserve"
        for seat, (score, reserve) in enumerate(zip(view["scores"], view["reserves"], strict=True))
    ]


def pile(view: Plain) -> str:
    """Returns the line about the tiles to come."""
    drawn = "" if view["drawn"] is None else f"; tile {view['drawn']} is to be placed"
    return f"{view['pile']['size']} tiles in the pile{drawn}"


def _sides(feature: Plain, rotation: int) -> tuple[int, ...]:
    """The sides that a feature touches on the turned tile, ascending."""
    return tuple(sorted({(slot // 3 + rotation) % 4 for slot in feature["slots"]}))


def _line(label: str, parts: Sequence[str]) -> str:
    return f"{label:>4} {''.join(parts)}".rstrip()
