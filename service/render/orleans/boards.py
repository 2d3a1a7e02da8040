"""What lies around the map of Orléans: tracks, deeds, what may still be had.

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
    fitted,
    group,
    recent,
    rect,
    spot,
    text,
)
from ..look import Look
from .seat import IN_A_ROW, PLACE_HIGH, PLACE_WIDE, Part, place
from .things import (
    PITCH,
    asked,
    citizen,
    coin,
    counted,
    follower,
    gear,
    good,
    held,
    stars,
)

WIDE: Final = WIDTH - 2 * MARGIN
CELL: Final = WIDE / 16
"""Sixteen spaces of development in a row."""
STEP: Final = 36
SPACE_HIGH: Final = 48
DISC: Final = 6.1


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


def development(view: Plain, look: Look) -> Part:
    """Returns the development track with its coins, citizens and status."""
    parts = [text(MARGIN, 12, look.say("Development"), 13, "head")]
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
            owner = view["citizens"][name]
            inside.append(citizen(name, owner, look, x + CELL / 2 + 2, y + 16, 0.36))
        here = [n for n, seat in enumerate(view["seats"]) if seat["development"]["space"] == space]
        inside += markers(here, x + CELL / 2 - 1, y + 36, 1)
        parts.append(group(*inside, cls="development", data_space=space))
    return look.say("Development"), parts, 19 + 2 * (SPACE_HIGH + 3)


def tracks(view: Plain, look: Look) -> Part:
    """Returns the tracks of followers: each space with what it gives."""
    parts = [text(MARGIN, 12, look.say("Tracks"), 13, "head")]
    row = 0
    for kind in COUNTS["followers"]:
        if "track" in kind:
            parts.append(_track(view, look, kind, 19 + (SPACE_HIGH + 3) * row))
            row += 1
    return look.say("Tracks"), parts, 19 + (SPACE_HIGH + 3) * row


def _track(view: Plain, look: Look, kind: dict[str, Any], y: float) -> str:
    ((what, gives),) = kind["track"].items()
    name, called = kind["id"], look.called(kind["names"])
    inside = [
        follower(name, look, MARGIN + 8, y + 22),
        fitted(MARGIN + 19, y + 26, called, 11, 75, "bold"),
    ]
    if any(move["command"]["recruit"] == name for move in look.may("use_place")):
        inside.append(rect(MARGIN - 3, y + 11, 22, 22, "may", 5))
    if look.did("use_place").get("recruit") == name:
        inside.append(recent("rect", x=MARGIN - 2, y=y + 12, width=20, height=20, rx=5))
    first = MARGIN + 92
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
            inside.append(citizen(name, view["citizens"][name], look, x + STEP - 10, y + 11, 0.36))
        here = [n for n, seat in enumerate(view["seats"]) if seat["tracks"][name] == space]
        inside += markers(here, middle, y + 34, 2)
    return spot(look.say("Track: {kind}", kind=called), *inside, cls="track", data_track=name)


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


def deeds(view: Plain, look: Look) -> Part:
    """Returns the beneficial deeds with their slots, and who has their citizens."""
    parts = [text(MARGIN, 12, look.say("Beneficial deeds"), 13, "head")]
    wide = WIDE / 2 - 3
    sent = {
        delivery["deed"]
        for move in look.may("use_place")
        for delivery in move["command"]["deliveries"] or ()
    }
    last = {delivery["deed"] for delivery in look.did("use_place").get("deliveries") or ()}
    for number, deed in enumerate(DEED_DATA):
        row, column = divmod(number, 2)
        name = deed["id"]
        done = view["citizens"][name] is not None
        called = look.called(deed["names"])
        parts.append(
            spot(
                look.say("{deed}: done", deed=called) if done else called,
                *_deed(view, look, deed, wide),
                rect(2, 2, wide - 4, 42, "may", 5) if name in sent else "",
                recent("rect", width=wide, height=46, rx=5) if name in last else "",
                cls="deed",
                data_deed=name,
                transform=at(MARGIN + (wide + 6) * column, 19 + 50 * row),
            )
        )
    end = COUNTS["last_citizen"]
    y = 19 + 50 * -(-len(DEED_DATA) // 2)
    parts += [
        citizen(end["id"], view["citizens"][end["id"]], look, MARGIN + 10, y + 11, 0.5),
        text(MARGIN + 24, y + 15, look.called(end["names"]), 10, "bold"),
    ]
    return look.say("Beneficial deeds"), parts, y + 22


def _deed(view: Plain, look: Look, deed: dict[str, Any], wide: float) -> list[str]:
    name, x = deed["id"], 8.0
    either = "development" in deed
    inside = [
        rect(0, 0, wide, 46, "panel", 5),
        fitted(8, 15, look.called(deed["names"]), 10, wide - (66 if either else 30), "bold"),
        coin(deed["coins"], wide - 12, 12, 7),
        citizen(name, view["citizens"][name], look, wide - 14, 33, 0.5),
    ]
    if either:
        caption = look.say("+{points} or", points=deed["development"])
        inside.append(text(wide - 23, 15, caption, SMALLEST, "bold end"))
    for kind, slots in view["deeds"][name].items():
        for slot in range(slots["filled"] + slots["free"]):
            one = follower if slot < slots["filled"] else asked
            inside.append(one(kind, look, x + 7.5, 33))
            x += PITCH - 0.6
    return inside


def supply(view: Plain, look: Look) -> Part:
    """Returns what may still be had: goods, followers, technology, place tiles."""
    parts = [
        text(MARGIN, 12, look.say("To be had"), 13, "head"),
        *counted(view["goods_market"], look, MARGIN + 10, 30, 44),
        gear(WIDTH - MARGIN - 40, 30),
        text(WIDTH - MARGIN - 28, 34, f"×{view['technology']}", 11, "bold"),
        held(view["supply"], look, MARGIN + 2, 52),
    ]
    may = {move["command"]["tile"] for move in look.may("use_place")}
    y = 68.0
    for stack, tiles in view["place_tiles"].items():
        parts.append(text(MARGIN, y + 14, look.say("Stack {stack}", stack=stack), 11, "bold"))
        if not tiles:
            parts.append(text(MARGIN + 60, y + 14, look.say("none left"), SMALLEST, "soft"))
        y += 20
        for number, tile in enumerate(tiles):
            row, column = divmod(number, IN_A_ROW)
            x = MARGIN + PLACE_WIDE * column
            spaces = [None] * len(PLACE_ASKS[PLACE[tile]])
            parts.append(place(tile, spaces, look, x, y + PLACE_HIGH * row, use=tile in may))
        y += PLACE_HIGH * -(-len(tiles) // IN_A_ROW)
    return look.say("To be had"), [group(*parts, cls="supply")], y
