"""A game of Carcassonne as a picture: the landscape, the seats, the tiles to come.

What a page can attach to:

    .tile    data-x data-y data-kind data-rotation    a tile of the landscape; `last` marks the
                                                      one placed last
    .cell    data-x data-y                            an open cell; with `may`, the tile drawn fits
                                                      there, turned as data-rotations says
    .man     data-x data-y data-slot data-seat        a follower (no slot: a monk)
    .choice  data-x data-y data-slot data-feature     a place for a follower now
    .drawn   data-kind                                the tile that is to be placed
    .seat    data-seat                                a seat's line; `acts` is who is to act
    .kind    data-kind data-count                     a kind of tile in the pile
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...rules.carcassonne.tiles import KINDS
from ...rules.plain import Plain
from .. import drawing
from ..drawing import (
    FIGURE,
    MARGIN,
    WIDTH,
    circle,
    defs,
    el,
    group,
    man,
    path,
    rect,
    section,
    sheet,
    spot,
    text,
    use,
)
from ..look import Look, phrase
from . import tile as tiles

SIDE: Final = 100
LARGEST: Final = 0.9
"""The scale of a board of few tiles."""
TOP: Final = 46
ROW: Final = 30
COLUMNS: Final = 12
RULER: Final = 14
STEPS: Final = {
    "place_tile": phrase("{name} places a tile"),
    "place_follower": phrase("{name} may place a follower"),
}

STYLE: Final = (
    tiles.STYLE
    + """\
.bailli .cell rect{fill:var(--panel);fill-opacity:.45;stroke:var(--soft);stroke-opacity:.6;
stroke-width:1.5;stroke-dasharray:5 6}
.bailli .cell.may rect{fill:var(--mark);fill-opacity:.3;stroke:var(--mark);stroke-opacity:1;
stroke-width:4}
.bailli .cell.may,.bailli .choice{fill-opacity:1;stroke:none}
.bailli .sign{fill:none;stroke:var(--mark);stroke-width:6;stroke-linecap:round}
.bailli .frame{fill:none;stroke:#fff3c4;stroke-width:8}
.bailli .glow{fill:none;stroke:#e07b00;stroke-width:4}
.bailli .choice circle{fill:#fff3c4;fill-opacity:.92;stroke:#e07b00;stroke-width:3}
.bailli .ghost{fill:var(--soft)}
.bailli .crown{fill:#e0a81e;stroke:#6b4d0a}
"""
)


def svg(view: Plain, look: Look) -> str:
    """Returns landscape, seats and pile as an SVG document. The tile placed last follows from the

    view.
    """
    board, height = _landscape(view, look)
    seats, below = _seats(view, look, height + TOP + 12)
    pile, end = _pile(view, look, below + 10)
    kinds = {tile["kind"] for tile in view["tiles"]} | set(view["pile"]["kinds"])
    if view["drawn"] is not None:
        kinds.add(view["drawn"])
    shapes = [tiles.drawn(kind) for kind in KINDS if kind in kinds]
    return sheet(
        look.language,
        end + MARGIN,
        "Carcassonne",
        _told(view, look),
        STYLE,
        defs(*shapes, tiles.SHIELD, tiles.MONASTERY),
        *_headline(view, look),
        board,
        seats,
        pile,
    )


def _told(view: Plain, look: Look) -> str:
    scores = look.listed(
        look.say("{name}: {points} points", name=look.named(seat), points=points)
        for seat, points in enumerate(view["scores"])
    )
    lie, come = len(view["tiles"]), view["pile"]["size"]
    return look.say(
        "{lie} tiles lie, {come} are to come. {scores}.", lie=lie, come=come, scores=scores
    )


def _headline(view: Plain, look: Look) -> list[str]:
    step = STEPS.get(view["step"])
    caption = (
        look.say("No tile is to be placed")
        if step is None
        else look.say(step, name=look.named(view["seat"]))
    )
    parts = [
        text(MARGIN, 24, "Carcassonne", 17, "head"),
        text(MARGIN, 40, caption, 11, "soft"),
    ]
    if view["drawn"] is not None:
        parts.append(
            spot(
                look.say("Tile {kind} is to be placed", kind=view["drawn"]),
                rect(-52, -52, 104, 104, "frame"),
                *_face(view["drawn"], 0),
                cls="drawn",
                data_kind=view["drawn"],
                transform=drawing.at(WIDTH - MARGIN - 18, 24, 0.36),
            )
        )
    return parts


def _landscape(view: Plain, look: Look) -> tuple[str, float]:
    """Returns the board, scaled to the sheet's width, and its height."""
    cells = [(tile["x"], tile["y"]) for tile in view["tiles"]]
    cells += [(x, y) for x, y in view["open_cells"]]
    left, right = min(x for x, _ in cells), max(x for x, _ in cells)
    top, bottom = min(y for _, y in cells), max(y for _, y in cells)
    columns, rows = right - left + 1, bottom - top + 1
    room = WIDTH - 2 * MARGIN - RULER
    scale = min(LARGEST, room / (columns * SIDE), 1.6 * room / (rows * SIDE))
    side = SIDE * scale
    start = RULER + MARGIN + (room - columns * side) / 2
    fits = [move["command"] for move in look.may("place_tile")]
    parts = [_cell(x, y, fits, look) for x, y in view["open_cells"]]
    parts += [_tile(tile, look) for tile in view["tiles"]]
    if len(view["tiles"]) > 1:
        parts.append(_last(view["tiles"][-1]))
    parts += [_follower(view, follower, look) for follower in view["followers"]]
    parts += [
        _choice(view["tiles"][-1], move["command"], look) for move in look.may("place_follower")
    ]
    board = group(
        *parts,
        transform=drawing.at(start - (left - 0.5) * side, RULER - (top - 0.5) * side, scale),
    )
    step = max(1, -int(-14 // side))
    ruler = [
        text(start + (x - left + 0.5) * side, 9, x, drawing.SMALLEST, "soft mid")
        for x in range(left, right + 1)
        if x % step == 0
    ]
    ruler += [
        text(start - 5, RULER + (y - top + 0.5) * side + 3, y, drawing.SMALLEST, "soft end")
        for y in range(top, bottom + 1)
        if y % step == 0
    ]
    return section(look.say("Landscape"), TOP, *ruler, board), rows * side + RULER


def _face(kind: str, rotation: int) -> list[str]:
    """Returns a tile's picture around the origin, what stands on it upright."""
    turn = f"rotate({90 * rotation})" if rotation else None
    parts = [el("use", href=f"#tile-{kind}", transform=turn)]
    if tiles.BY_ID[kind]["monastery"]:
        parts.append(el("use", href="#monastery"))
    parts += [use("arms", *tiles.turned(place, rotation)) for place in tiles.shields(kind)]
    return parts


def _tile(tile: Plain, look: Look) -> str:
    name = look.called(tiles.BY_ID[tile["kind"]]["names"])
    return spot(
        look.say("{kind} at {x}, {y}: {name}", **_where(tile), kind=tile["kind"], name=name),
        *_face(tile["kind"], tile["rotation"]),
        cls="tile",
        data_x=tile["x"],
        data_y=tile["y"],
        data_kind=tile["kind"],
        data_rotation=tile["rotation"],
        transform=drawing.at(SIDE * tile["x"], SIDE * tile["y"]),
    )


def _where(thing: Plain) -> dict[str, int]:
    return {"x": thing["x"], "y": thing["y"]}


def _last(tile: Plain) -> str:
    return group(
        rect(-51, -51, 102, 102, "frame", 4),
        rect(-51, -51, 102, 102, "glow", 4),
        cls="last",
        data_x=tile["x"],
        data_y=tile["y"],
        transform=drawing.at(SIDE * tile["x"], SIDE * tile["y"]),
    )


def _cell(x: int, y: int, moves: Sequence[Plain], look: Look) -> str:
    fits = [move["rotation"] for move in moves if (move["x"], move["y"]) == (x, y)]
    attributes: dict[str, Any] = {"cls": "cell", "data_x": x, "data_y": y}
    inside = [rect(-44, -44, 88, 88, "free", 8)]
    title = look.say("Open cell at {x}, {y}", x=x, y=y)
    if fits:
        attributes = {
            **attributes,
            "cls": "cell may",
            "data_rotations": " ".join(map(str, fits)),
        }
        inside.append(path("M-16 0h32M0-16v32", "sign"))
        title = look.say("The tile fits at {x}, {y}", x=x, y=y)
    return spot(title, *inside, **attributes, transform=drawing.at(SIDE * x, SIDE * y))


def _follower(view: Plain, follower: Plain, look: Look) -> str:
    x, y, seat, slot = (follower[name] for name in ("x", "y", "seat", "slot"))
    (tile,) = (tile for tile in view["tiles"] if (tile["x"], tile["y"]) == (x, y))
    dx, dy = tiles.standing(tile["kind"], tile["rotation"], slot)
    if follower["feature"] == "field":
        figure = group(path(FIGURE, f"man s{seat}", transform="rotate(-78)"))
        figure += text(5, 5, seat, 17, f"on on{seat}")
    else:
        figure = man(seat, 0, 0)
    return spot(
        look.say(
            "Seat {seat}'s follower at {x}, {y}: {feature}",
            seat=seat,
            feature=look.say(follower["feature"]),
            **_where(follower),
        ),
        figure,
        cls="follower",
        data_x=x,
        data_y=y,
        data_slot=slot,
        data_seat=seat,
        transform=drawing.at(SIDE * x + dx, SIDE * y + dy),
    )


def _choice(tile: Plain, move: Plain, look: Look) -> str:
    dx, dy = tiles.standing(tile["kind"], tile["rotation"], move["slot"])
    return spot(
        look.say("A follower may go here: {feature}", feature=look.say(move["feature"])),
        circle(0, 0, 15, "spot"),
        path(FIGURE, "ghost", transform="scale(.55)"),
        cls="choice",
        data_x=tile["x"],
        data_y=tile["y"],
        data_slot=move["slot"],
        data_feature=move["feature"],
        transform=drawing.at(SIDE * tile["x"] + dx, SIDE * tile["y"] + dy),
    )


def _seats(view: Plain, look: Look, y: float) -> tuple[str, float]:
    """Returns a line for each seat, and where they end."""
    parts = []
    best = max(view["scores"])
    for seat, (points, reserve) in enumerate(zip(view["scores"], view["reserves"], strict=True)):
        acts = view["step"] is not None and view["seat"] == seat
        top = seat * (ROW + 4)
        inside = [
            rect(MARGIN, top, WIDTH - 2 * MARGIN, ROW, "acts" if acts else "panel", 6),
            man(seat, MARGIN + 17, top + 16, 0.6),
            text(MARGIN + 34, top + 20, look.named(seat), 13, "bold" if acts else None),
            text(WIDTH - MARGIN - 12, top + 21, points, 17, "head end"),
        ]
        if points == best and points:
            inside.append(path(CROWN, "crown", transform=drawing.at(WIDTH - 70, top + 15)))
        inside += [
            path(FIGURE, f"man s{seat}", transform=drawing.at(232 + 15 * place, top + 15, 0.36))
            for place in range(reserve)
        ]
        parts.append(
            spot(
                look.say(
                    "{name}: {points} points, {reserve} followers in reserve",
                    name=look.named(seat),
                    points=points,
                    reserve=reserve,
                ),
                *inside,
                cls="seat",
                data_seat=seat,
            )
        )
    return section(look.say("Seats"), y, *parts), y + len(view["scores"]) * (ROW + 4)


def _pile(view: Plain, look: Look, y: float) -> tuple[str, float]:
    """Returns how many tiles of which kind are to come, and where that ends."""
    size, kinds = view["pile"]["size"], view["pile"]["kinds"]
    out = len(view["discarded"])
    caption = look.say("{size} tiles in the pile", size=size)
    if out:
        caption = look.say(
            "{size} tiles in the pile; {out} could not be placed", size=size, out=out
        )
    parts = [text(MARGIN, 12, caption, 12, "bold")]
    step = (WIDTH - 2 * MARGIN) / COLUMNS
    for place, (kind, count) in enumerate(kinds.items()):
        row, column = divmod(place, COLUMNS)
        parts.append(
            spot(
                look.say(
                    "{count} of {kind}: {name}",
                    count=count,
                    kind=kind,
                    name=look.called(tiles.BY_ID[kind]["names"]),
                ),
                *_face(kind, 0),
                text(0, 86, f"×{count}", 32, "mid"),
                cls="kind",
                data_kind=kind,
                data_count=count,
                transform=drawing.at(MARGIN + step * (column + 0.5), 40 + 48 * row, 0.31),
            )
        )
    rows = -(-len(kinds) // COLUMNS)
    return section(look.say("Pile"), y, *parts), y + 20 + 48 * rows


CROWN: Final = "M-8 5v-10l4 4l4-6l4 6l4-4v10z"
