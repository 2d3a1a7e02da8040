"""A place of Orléans as drawn, and a seat's board with its places."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ...rules.orleans.tables import PLACE, PLACE_ASKS, USES
from ...rules.plain import Plain
from ..drawing import (
    MARGIN,
    SMALLEST,
    WIDTH,
    at,
    fitted,
    group,
    man,
    recent,
    rect,
    spot,
    text,
)
from ..look import Look, phrase
from .things import (
    NAMES,
    PITCH,
    asked,
    citizen,
    coin,
    context,
    counted,
    follower,
    gear,
    held,
    stars,
)

Part = tuple[str, list[str], float]

PLACE_WIDE: Final = 104
PLACE_HIGH: Final = 38
IN_A_ROW: Final = 4
BELONGINGS: Final = phrase(
    "{name}: coins {coins}, status {status}, stations {stations}, citizens {citizens}"
)
DONE: Final = phrase(
    "{name}: coins {coins}, status {status}, stations {stations}, citizens {citizens}; done"
)
RESERVE: Final = "reserve"


def place(
    name: str,
    spaces: Sequence[Plain],
    look: Look,
    x: float,
    y: float,
    *,
    use: bool = False,
    may: Collection[int] = (),
    last: Plain = None,
) -> str:
    """Returns a place; `use` if it may be used (or had), `may` its spaces on which something may

    be done, `last` the command about it, if that was the one made last.
    """
    wide, high = PLACE_WIDE - 4, PLACE_HIGH - 4
    called = look.called(NAMES[name])
    inside = [
        rect(0, 0, wide, high, "acts" if use else "panel", 4),
        fitted(5, 11.5, called, SMALLEST, wide - 6, "bold" if len(called) < 16 else None),
    ]
    for space, (ask, there) in enumerate(zip(PLACE_ASKS[PLACE[name]], spaces, strict=True)):
        left = 13 + PITCH * space
        if there is None:
            drawn = asked(ask, look, left, 24)
        elif "technology" in there:
            drawn = rect(left - 7.5, 16.5, 15, 15, "ask", 3.5) + gear(left, 24, 0.9)
        else:
            drawn = follower(there["follower"], look, left, 24, there["starting"])
        if space in may:
            drawn += rect(left - 9, 15, 18, 18, "may", 4)
        if last and last.get("space") == space:
            drawn += recent("rect", x=left - 8.5, y=15.5, width=17, height=17, rx=4)
        inside.append(group(drawn, cls="space", data_space=space))
    if last and "space" not in last:
        inside.append(recent("rect", width=wide, height=high, rx=4))
    return spot(called, *inside, cls="place", data_place=name, transform=at(x, y))


def board(view: Plain, seat: int, look: Look, acts: bool) -> Part:
    """Returns a seat's board."""
    name, own = look.named(seat), view["seats"][seat]
    moves = [move["command"] for move in look.moves if move["seat"] == seat]
    last = look.did() if look.moved(seat) else None
    drawn = _belongings(view, seat, look, moves)
    y = 100.0
    for number, (tile, spaces) in enumerate(own["places"].items()):
        row, column = divmod(number, IN_A_ROW)
        here = [move for move in moves if _about(move, tile)]
        drawn.append(
            place(
                tile,
                spaces,
                look,
                MARGIN + PLACE_WIDE * column + 2,
                y + PLACE_HIGH * row,
                use=any("space" not in move for move in here),
                may={move["space"] for move in here if "space" in move},
                last=last if last and _about(last, tile) else None,
            )
        )
    y += PLACE_HIGH * -(-len(own["places"]) // IN_A_ROW) + 2
    title = look.say(
        DONE if own["done"] else BELONGINGS,
        name=name,
        coins=own["coins"],
        status=own["development"]["status"],
        stations=own["stations"]["built"],
        citizens=own["citizens"],
    )
    ground = rect(MARGIN - 4, 0, WIDTH - 2 * MARGIN + 8, y, "acts" if acts else "panel", 7)
    return name, [spot(title, ground, *drawn, cls="board", data_seat=seat)], y


def _about(command: Plain, name: str) -> bool:
    """Returns whether a seat's command is about one of its places."""
    if command["type"] == "use_sacristy":
        return "protects" in USES[PLACE[name]]
    return name in (command.get("place"), command.get("tile"))


def _belongings(view: Plain, seat: int, look: Look, moves: Sequence[Plain]) -> list[str]:
    """Returns what a seat has beside its places, in four rows; marked what it may do there."""
    own = view["seats"][seat]
    types = {move["type"] for move in moves}
    given = {
        move["item"]
        for move in moves
        if move["type"] == "give" and move["from"] in (None, RESERVE) and move["place"] is None
    }
    goods = {move["good"] for move in moves if move["type"] in ("pay_harvest", "give")}
    put = {
        f"starting_{move['follower']}" if move["starting"] else move["follower"]
        for move in moves
        if move["type"] == "place_follower"
    }
    bath = view["bathhouse"] if view["seat"] == seat else None
    parts = [
        recent("circle", cx=MARGIN + 17, cy=18, r=16) if look.moved(seat) else "",
        man(seat, MARGIN + 17, 18, 0.66),
        text(MARGIN + 38, 25, look.named(seat), 13, "bold"),
        coin(own["coins"], MARGIN + 216, 20, 9.5),
        group(
            stars(own["development"]["status"], MARGIN + 246, 20),
            rect(MARGIN + 235, 9, 22, 22, "may", 5) if "development" in given else "",
            cls="status",
        ),
        context(seat, MARGIN + 276, 21, "trading_station" in given),
        text(MARGIN + 288, 25, f"{own['stations']['built']}/{_stations(own)}", 11, "bold"),
        citizen("", seat, look, MARGIN + 326, 20, 0.42),
        text(MARGIN + 338, 25, f"×{own['citizens']}", 11, "bold"),
        group(
            gear(MARGIN + 374, 20, 0.95),
            text(MARGIN + 386, 25, f"×{own['technology']}", 11, "bold"),
            rect(MARGIN + 364, 9, 40, 22, "may", 5) if "technology" in given else "",
            cls="technology",
        ),
        fitted(MARGIN + 8, 44, look.say("goods"), SMALLEST, 44, "soft"),
        *counted(own["goods"], look, MARGIN + 62, 41, 44, goods),
        _row(
            look.say("market"),
            own["market"],
            look,
            66,
            "market",
            "follower" in given,
            () if bath else put,
        ),
        _row(look.say("bag"), own["bag"], look, 88, "bag", "draw" in types),
    ]
    if bath:
        parts += [
            text(WIDTH - MARGIN - 78, 44, look.say("drawn"), SMALLEST, "soft end"),
            held(bath["drawn"], look, WIDTH - MARGIN - 74, 40, put),
        ]
    if own["aside"] is not None:
        parts += [
            text(WIDTH - MARGIN - 32, 66, look.say("aside"), SMALLEST, "soft end"),
            follower(own["aside"], look, WIDTH - MARGIN - 18, 62),
        ]
    if view["start_seat"] == seat:
        caption = look.say("start player")
        parts.append(text(WIDTH - MARGIN - 8, 88, caption, SMALLEST, "bold end"))
    return parts


def _row(
    label: str,
    followers: Plain,
    look: Look,
    y: float,
    cls: str,
    may: bool,
    put: Collection[str] = (),
) -> str:
    """Returns a row of followers with its label, marked as a whole if `may`."""
    return group(
        rect(MARGIN + 3, y - 14, 49, 19, "may", 4) if may else "",
        fitted(MARGIN + 8, y, label, SMALLEST, 44, "soft"),
        held(followers, look, MARGIN + 54, y - 4, put),
        cls=cls,
    )


def _stations(seat: Plain) -> int:
    """How many stations a seat has in all, those not yet built too."""
    return int(seat["stations"]["built"] + seat["stations"]["reserve"])
