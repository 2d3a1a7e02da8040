"""Goods, followers, coins and other small things of Orléans as drawn, each around a place."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Mapping
from typing import Final

from ...rules.orleans.tables import COUNTS, DEED_DATA, GOODS, KINDS, MAP, PLACE_DATA
from ..drawing import (
    FIGURE,
    SMALLEST,
    at,
    circle,
    defs,
    group,
    man,
    path,
    points,
    rect,
    spot,
    text,
    use,
)
from ..look import Look

NAMES: Final = {
    entry["id"]: entry["names"]
    for entry in (
        *MAP["towns"],
        *PLACE_DATA["places"],
        *PLACE_DATA["place_tiles"],
        *DEED_DATA,
        *COUNTS["followers"],
        *COUNTS["goods"],
        *COUNTS["events"],
        COUNTS["last_citizen"],
    )
}
SIGNS: Final = {"any": "?", "neutral": "•", "market": "m"}
"""What stands on a space that asks for no one kind."""
PITCH: Final = 17
"""From follower to follower in a row."""


@functools.cache
def letters(language: str) -> dict[str, str]:
    """Returns what a kind of follower is marked with: the first letter of its name in a language

    that no kind before it has; and what is no kind with a sign.
    """
    found: dict[str, str] = {}
    for kind in KINDS:
        name = NAMES[kind].get(language, NAMES[kind]["en"]).upper()
        found[kind] = next(letter for letter in name if letter not in found.values())
    return found | SIGNS


STYLE: Final = """\
.bailli .tk{stroke:#241b10;stroke-width:1.2}
.bailli .farmer{fill:#d8a92b}
.bailli .boatman{fill:#4a86c5}
.bailli .craftsman{fill:#8a5b34}
.bailli .trader{fill:#3d7f56}
.bailli .knight{fill:#b03a2e}
.bailli .scholar{fill:#8d97a5}
.bailli .monk{fill:#f1e7cf}
.bailli text.tl{fill:#fff;font-weight:bold;text-anchor:middle}
.bailli text.tl-farmer,.bailli text.tl-monk,.bailli text.tl-scholar{fill:#1d160c}
.bailli .first{fill:none;stroke:#fff3c4;stroke-width:1.2}
.bailli .ask{fill:var(--ground);stroke:var(--soft);stroke-width:1;stroke-dasharray:2.5 2}
.bailli text.asked{fill:var(--soft);text-anchor:middle}
.bailli .coin{fill:#e9b93a;stroke:#6b4d0a;stroke-width:1}
.bailli text.coins{fill:#3a2a05;font-weight:bold;text-anchor:middle}
.bailli .gear{fill:#9aa3b1;stroke:#241b10;stroke-width:1}
.bailli .gear-hole{fill:#241b10}
.bailli .house{stroke:#241b10;stroke-width:1.3;stroke-linejoin:round}
.bailli .free{fill:var(--ground);stroke:var(--soft);stroke-width:1.6}
.bailli .stars{fill:#d98a1f;stroke:#6b4d0a;stroke-width:.8}
.bailli-art .disc{stroke:#241b10;stroke-width:1.2}
.bailli-art .grain{fill:#f0d264}
.bailli-art .cheese{fill:#f2a03c}
.bailli-art .wine{fill:#8c2b55}
.bailli-art .wool{fill:#f7f3e8}
.bailli-art .brocade{fill:#2f8f7b}
.bailli-art .ink{fill:none;stroke:#3a2a10;stroke-width:1.2;stroke-linecap:round}
.bailli-art .pale{fill:#f6dbe6}
.bailli-art .wedge{fill:#fff0b8;stroke:#3a2a10;stroke-width:1}
.bailli-art .cloth{fill:none;stroke:#f4e3a1;stroke-width:1.3}
"""


def star(count: int, outer: float, inner: float) -> str:
    """Returns a star around the origin as a path."""
    places = []
    for place in range(2 * count):
        r = inner if place % 2 else outer
        angle = math.pi * place / count
        places.append((r * math.sin(angle), -r * math.cos(angle)))
    return points(*places) + "Z"


_ART: Final = {
    "grain": (
        path("M0 6V-5", "ink"),
        path("M0-1l-3-2M0-1l3-2M0 2l-3-2M0 2l3-2M0-4l-2.5-2M0-4l2.5-2", "ink"),
    ),
    "cheese": (
        path("M-6 3v-3l8-4l4 4v3z", "wedge"),
        path("M-6 0h12", "ink"),
        circle(-2, 1.7, 0.8, "ink"),
    ),
    "wine": (
        *(
            circle(x, y, 1.9, "pale")
            for x, y in ((-3.4, -1.5), (0, -1.5), (3.4, -1.5), (-1.7, 1.6), (1.7, 1.6), (0, 4.7))
        ),
        path("M0-3v-3", "cloth"),
    ),
    "wool": (
        circle(0, 0, 5.2, "ink"),
        path("M-4.5-2c3 0 6 2 7 6M-2-4.5c4 0 6 3 6.5 5M-5 1.5c2 0 4 1 5 3.5", "ink"),
    ),
    "brocade": (
        path("M0-6L6 0L0 6L-6 0z", "cloth"),
        path("M0-2.5L2.5 0L0 2.5L-2.5 0z", "cloth"),
    ),
}


@functools.cache
def shapes() -> str:
    """Returns the drawings of goods, named `good-<good>`."""
    return defs(
        *(
            group(
                circle(0, 0, 8.5, f"disc {good}"), *_ART[good], cls="bailli-art", id=f"good-{good}"
            )
            for good in GOODS
        )
    )


def good(name: str, x: float, y: float, scale: float = 1) -> str:
    """Returns a good."""
    return use(f"good-{name}", x, y, scale)


def counted(
    goods: Mapping[str, int],
    look: Look,
    x: float,
    y: float,
    pitch: float = 38,
    may: Collection[str] = (),
) -> list[str]:
    """Returns goods with their numbers in a row, those that there are; some may be taken."""
    parts = []
    for place, (name, count) in enumerate((n, c) for n, c in goods.items() if c):
        left = x + pitch * place
        parts.append(
            spot(
                f"{count} × {look.called(NAMES[name])}",
                good(name, left, y, 0.92),
                text(left + 11, y + 4, count, 11, "bold"),
                rect(left - 10, y - 9.5, 34, 19, "may", 5) if name in may else "",
                cls="goods",
                data_good=name,
                data_count=count,
            )
        )
    return parts


def follower(kind: str, look: Look, x: float, y: float, starting: bool = False) -> str:
    """Returns a follower's tile: its kind's colour and letter, a starting one with a rim."""
    parts = [rect(x - 7.5, y - 7.5, 15, 15, f"tk {kind}", 3.5)]
    if starting:
        parts.append(rect(x - 6, y - 6, 12, 12, "first", 2.5))
    parts.append(text(x, y + 3.8, letters(look.language)[kind], 10.5, f"tl tl-{kind}"))
    return "".join(parts)


def asked(ask: str, look: Look, x: float, y: float) -> str:
    """Returns an empty space for a follower, with the letter of the kind that it asks for."""
    return rect(x - 7.5, y - 7.5, 15, 15, "ask", 3.5) + text(
        x, y + 3.8, letters(look.language)[ask], 10.5, "asked"
    )


def held(
    counts: Mapping[str, int], look: Look, x: float, y: float, may: Collection[str] = ()
) -> str:
    """Returns followers (by the ids of what a bag holds) with their numbers; some may be put

    somewhere.
    """
    parts = []
    for name, count in counts.items():
        if count:
            starting = name not in KINDS
            kind = name.removeprefix("starting_")
            wide = PITCH + (16 if count > 1 else 0) + (6 if count > 9 else 0)
            title = f"{count} × {look.called(NAMES[kind])}"
            inside = [follower(kind, look, x + 7.5, y, starting)]
            if count > 1:
                inside.append(text(x + 17, y + 4, f"×{count}", SMALLEST, "bold"))
            if name in may:
                inside.append(rect(x - 1.5, y - 9, wide + 1, 18, "may", 4))
            parts.append(spot(title, *inside, cls="held", data_follower=name))
            x += wide
    return "".join(parts)


def coin(amount: int, x: float, y: float, r: float = 7.5) -> str:
    """Returns coins."""
    return circle(x, y, r, "coin") + text(x, y + 3.5, amount, SMALLEST, "coins")


def gear(x: float, y: float, scale: float = 1) -> str:
    """Returns a technology tile."""
    return group(
        path(star(8, 8, 5.5), "gear"), circle(0, 0, 2.4, "gear-hole"), transform=at(x, y, scale)
    )


def stars(count: int, x: float, y: float, r: float = 8.5) -> str:
    """Returns a status."""
    return path(star(5, r, r * 0.55), "stars", transform=at(x, y)) + text(
        x, y + 3.6, count, SMALLEST, "coins"
    )


def context(seat: int, x: float, y: float, may: bool = False) -> str:
    """Returns a seat's trading station, marked if it may be given up."""
    return group(
        path("M-8 8v-10l8-8l8 8v10z", f"house s{seat}"),
        text(0, 6, seat, 10.5, f"on on{seat}"),
        rect(-10.5, -11.5, 21, 22, "may", 4) if may else "",
        cls="station",
        data_seat=seat,
        transform=at(x, y),
    )


def citizen(
    name: str, owner: int | None, look: Look, x: float, y: float, scale: float = 0.42
) -> str:
    """Returns a citizen: grey while nobody has it, else its seat's."""
    if owner is None:
        figure = path(FIGURE, "free", transform=at(x, y, scale))
        title = look.say("A citizen that may still be had")
    else:
        figure = man(owner, x, y, scale)
        title = look.say("Seat {seat} has this citizen", seat=owner)
    return spot(title, figure, cls="citizen", data_citizen=name, data_seat=owner)
