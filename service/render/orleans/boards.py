"""What lies around the map of Orléans: tracks, deeds, what may still be had, players' boards.

Each part is its label, its elements from 0 downwards, and how high it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...rules.orleans.tables import (
    CITIZEN_AT,
    COUNTS,
    DEED_DATA,
    DEVELOPMENT,
    DRAWS,
    PLACE,
    PLACE_ASKS,
)
from ...rules.plain import Plain
from ..drawing import (
    MARGIN,
    SMALLEST,
    WIDTH,
    at,
    disc,
    group,
    man,
    named,
    rect,
    spot,
    text,
)
from .things import (
    NAMES,
    PITCH,
    asked,
    citizen,
    coin,
    counted,
    follower,
    gear,
    good,
    held,
    house,
    stars,
)

Part = tuple[str, list[str], float]

WIDE: Final = WIDTH - 2 * MARGIN
CELL: Final = WIDE / 16
"""Sixteen spaces of development in a row."""
STEP: Final = 36.5
SPACE_HIGH: Final = 48
DISC: Final = 6.1
PLACE_WIDE: Final = 104
PLACE_HIGH: Final = 38
IN_A_ROW: Final = 4


def markers(seats: Sequence[int], x: float, y: float, beside: int) -> list[str]:
    """Returns seats' discs around a place, so many beside each other, in one row or two."""
    if len(seats) > beside:
        half = (len(seats) + 1) // 2
        return [
            *markers(seats[:half], x, y - DISC, beside),
            *markers(seats[half:], x, y + DISC, beside),
        ]
    first = x - DISC * (len(seats) - 1)
    return [
        group(disc(seat, first + 2 * DISC * place, y, 5.8), cls="marker", data_seat=seat)
        for place, seat in enumerate(seats)
    ]


def development(view: Plain) -> Part:
    """Returns the development track with its coins, citizens and status."""
    parts = [text(MARGIN, 12, "Development", 13, "head")]
    citizens = {
        at_space: name for name, at_space in CITIZEN_AT.items() if name.startswith("development")
    }
    for space in range(DEVELOPMENT["last"] + 1):
        row, column = divmod(space, 16)
        x, y = MARGIN + CELL * column, 19 + (SPACE_HIGH + 3) * row
        inside = [
            rect(x, y, CELL - 2, SPACE_HIGH, "panel", 3),
            text(x + 2, y + 10, space, SMALLEST, "soft"),
        ]
        if str(space) in DEVELOPMENT["coins"]:
            inside.append(coin(DEVELOPMENT["coins"][str(space)], x + CELL / 2 - 1, y + 18, 6.2))
        if space in DEVELOPMENT["status"][1:] or space == 0:
            status = DEVELOPMENT["status"].index(space) + 1
            inside.append(stars(status, x + CELL / 2 - 1, y + 18, 7.5))
        if space in citizens:
            name = citizens[space]
            inside.append(citizen(name, view["citizens"][name], x + CELL / 2 + 2, y + 16, 0.36))
        here = [n for n, seat in enumerate(view["seats"]) if seat["development"]["space"] == space]
        inside += markers(here, x + CELL / 2 - 1, y + 36, 1)
        parts.append(group(*inside, cls="development", data_space=space))
    return "Development", parts, 19 + 2 * (SPACE_HIGH + 3)


def tracks(view: Plain) -> Part:
    """Returns the tracks of followers: each space with what it gives."""
    parts = [text(MARGIN, 12, "Tracks", 13, "head")]
    row = 0
    for kind in COUNTS["followers"]:
        if "track" in kind:
            parts.append(_track(view, kind, 19 + (SPACE_HIGH + 3) * row))
            row += 1
    return "Tracks", parts, 19 + (SPACE_HIGH + 3) * row


def _track(view: Plain, kind: dict[str, Any], y: float) -> str:
    ((what, gives),) = kind["track"].items()
    name = kind["id"]
    inside = [
        follower(name, MARGIN + 8, y + 22),
        text(MARGIN + 21, y + 26, NAMES[name], 11, "bold"),
    ]
    first = MARGIN + 87
    for space in range(len(gives) + 1):
        x = first + STEP * space
        inside.append(rect(x, y, STEP - 2.5, SPACE_HIGH, "panel", 3))
        middle = x + STEP / 2 - 1.25
        if space:
            aside = 6 if CITIZEN_AT.get(name) == space else 0
            inside.append(_gift(what, gives[space - 1], middle - aside, y + 11))
        elif name == "knight":
            inside.append(_gift("draws", DRAWS[0], middle, y + 11))
        if CITIZEN_AT.get(name) == space:
            inside.append(citizen(name, view["citizens"][name], x + STEP - 10, y + 11, 0.36))
        here = [n for n, seat in enumerate(view["seats"]) if seat["tracks"][name] == space]
        inside += markers(here, middle, y + 34, 2)
    return spot(f"{NAMES[name]} track", *inside, cls="track", data_track=name)


def _gift(what: str, gift: Any, x: float, y: float) -> str:
    if what == "goods":
        return good(gift, x, y, 0.92)
    if what == "coins":
        return coin(gift, x, y) if gift else ""
    if what == "technology":
        return gear(x, y)
    if what == "stacks":
        return text(x, y + 4, " ".join(gift), 11, "mid head")
    if what == "draws":
        return text(x - 5, y + 4, gift, 11, "mid bold") + rect(x + 1, y - 4.5, 9, 9, "ask", 2)
    return text(x, y + 4, f"+{gift}", 11, "mid bold")


def deeds(view: Plain) -> Part:
    """Returns the beneficial deeds with their slots, and who has their citizens."""
    parts = [text(MARGIN, 12, "Beneficial deeds", 13, "head")]
    wide = WIDE / 2 - 3
    for place, deed in enumerate(DEED_DATA):
        row, column = divmod(place, 2)
        name, x = deed["id"], 8.0
        owner = view["citizens"][name]
        inside = [
            rect(0, 0, wide, 46, "panel", 5),
            text(8, 15, NAMES[name], 10, "bold"),
            coin(deed["coins"], wide - 12, 12, 7),
            citizen(name, owner, wide - 14, 33, 0.5),
        ]
        if "development" in deed:
            inside.append(text(wide - 23, 15, f"+{deed['development']} or", SMALLEST, "bold end"))
        for kind, slots in view["deeds"][name].items():
            for slot in range(slots["filled"] + slots["free"]):
                filled = slot < slots["filled"]
                drawn = follower(kind, x + 7.5, 33) if filled else asked(kind, x + 7.5, 33)
                inside.append(drawn)
                x += PITCH - 0.6
        parts.append(
            spot(
                NAMES[name] + (" is done" if owner is not None else ""),
                *inside,
                cls="deed",
                data_deed=name,
                transform=at(MARGIN + (wide + 6) * column, 19 + 50 * row),
            )
        )
    last = COUNTS["last_citizen"]["id"]
    y = 19 + 50 * -(-len(DEED_DATA) // 2)
    parts += [
        citizen(last, view["citizens"][last], MARGIN + 10, y + 11, 0.5),
        text(MARGIN + 24, y + 15, NAMES[last], 10, "bold"),
    ]
    return "Beneficial deeds", parts, y + 22


def supply(view: Plain) -> Part:
    """Returns what may still be had: goods, followers, technology, place tiles."""
    followers, _ = held(view["supply"], MARGIN + 2, 52)
    parts = [
        text(MARGIN, 12, "To be had", 13, "head"),
        *counted(view["goods_market"], MARGIN + 10, 30, 44),
        gear(WIDTH - MARGIN - 40, 30),
        text(WIDTH - MARGIN - 28, 34, f"×{view['technology']}", 11, "bold"),
        *followers,
    ]
    y = 68.0
    for stack, tiles in view["place_tiles"].items():
        parts.append(text(MARGIN, y + 14, f"Stack {stack}", 11, "bold"))
        if not tiles:
            parts.append(text(MARGIN + 60, y + 14, "none left", SMALLEST, "soft"))
        y += 20
        for place, tile in enumerate(tiles):
            row, column = divmod(place, IN_A_ROW)
            spaces = [None] * len(PLACE_ASKS[PLACE[tile]])
            parts.append(_place(tile, spaces, MARGIN + PLACE_WIDE * column, y + PLACE_HIGH * row))
        y += PLACE_HIGH * -(-len(tiles) // IN_A_ROW)
    return "To be had", parts, y


def _place(
    place: str,
    spaces: Sequence[Plain],
    x: float,
    y: float,
    may: Sequence[int] = (),
    use: bool = False,
) -> str:
    inside = [
        rect(0, 0, PLACE_WIDE - 4, PLACE_HIGH - 4, "acts" if use else "panel", 4),
        text(5, 11.5, NAMES[place], SMALLEST, "bold" if len(NAMES[place]) < 16 else None),
    ]
    for space, (ask, there) in enumerate(zip(PLACE_ASKS[PLACE[place]], spaces, strict=True)):
        left = 13 + PITCH * space
        if there is None:
            drawn = asked(ask, left, 24)
        elif "technology" in there:
            drawn = rect(left - 7.5, 16.5, 15, 15, "ask", 3.5) + gear(left, 24, 0.9)
        else:
            drawn = follower(there["follower"], left, 24, there["starting"])
        if space in may:
            drawn += rect(left - 9, 15, 18, 18, "may", 4)
        inside.append(group(drawn, cls="space", data_space=space))
    return spot(NAMES[place], *inside, cls="place", data_place=place, transform=at(x, y))


def board(
    view: Plain, seat: int, names: Sequence[str | None], moves: Sequence[Plain], acts: bool
) -> Part:
    """Returns a seat's board."""
    own = view["seats"][seat]
    name = named(names, seat)
    market, _ = held(own["market"], MARGIN + 54, 62)
    bag, _ = held(own["bag"], MARGIN + 54, 84)
    drawn = [
        man(seat, MARGIN + 17, 18, 0.66),
        text(MARGIN + 38, 25, name, 13, "bold"),
        coin(own["coins"], MARGIN + 216, 20, 9.5),
        stars(own["development"]["status"], MARGIN + 246, 20),
        house(seat, MARGIN + 276, 21),
        text(MARGIN + 288, 25, f"{own['stations']['built']}/{_stations(own)}", 11, "bold"),
        citizen("", seat, MARGIN + 326, 20, 0.42),
        text(MARGIN + 338, 25, f"×{own['citizens']}", 11, "bold"),
        gear(MARGIN + 374, 20, 0.95),
        text(MARGIN + 386, 25, f"×{own['technology']}", 11, "bold"),
        text(MARGIN + 8, 44, "goods", SMALLEST, "soft"),
        *counted(own["goods"], MARGIN + 62, 41, 44),
        text(MARGIN + 8, 66, "market", SMALLEST, "soft"),
        *market,
        text(MARGIN + 8, 88, "bag", SMALLEST, "soft"),
        *bag,
    ]
    if own["aside"] is not None:
        drawn += [
            text(WIDTH - MARGIN - 32, 66, "aside", SMALLEST, "soft end"),
            follower(own["aside"], WIDTH - MARGIN - 18, 62),
        ]
    if view["start_seat"] == seat:
        drawn.append(text(WIDTH - MARGIN - 8, 88, "start player", SMALLEST, "bold end"))
    y = 100.0
    for place, (tile, spaces) in enumerate(own["places"].items()):
        row, column = divmod(place, IN_A_ROW)
        may = [
            move["space"]
            for move in moves
            if move.get("place") == tile and move["type"] in ("place_follower", "place_technology")
        ]
        use = any(move["type"] == "use_place" and move["place"] == tile for move in moves)
        drawn.append(
            _place(tile, spaces, MARGIN + PLACE_WIDE * column + 2, y + PLACE_HIGH * row, may, use)
        )
    y += PLACE_HIGH * -(-len(own["places"]) // IN_A_ROW) + 2
    state = ", done" if own["done"] else ""
    parts = [
        spot(
            f"{name}: {own['coins']} coins, status {own['development']['status']}, "
            f"{own['stations']['built']} stations, {own['citizens']} citizens{state}",
            rect(MARGIN - 4, 0, WIDE + 8, y, "acts" if acts else "panel", 7),
            *drawn,
            cls="board",
            data_seat=seat,
        )
    ]
    return name, parts, y


def _stations(seat: Plain) -> int:
    """How many stations a seat has in all, those not yet built too."""
    return int(seat["stations"]["built"] + seat["stations"]["reserve"])
