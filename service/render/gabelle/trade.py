"""Market, workshops and guilds of Gabelle as drawn.

Each part is its label, its elements from 0 downwards, and how high it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from ...rules.gabelle.tables import CARD, MARKET, MATERIALS, UNIT_PRICES
from ...rules.plain import Plain
from ..drawing import (
    MARGIN,
    SMALLEST,
    WIDTH,
    at,
    circle,
    group,
    listed,
    named,
    path,
    points,
    rect,
    shield,
    spot,
    text,
)

Part = tuple[str, list[str], float]

ROW: Final = 40
CARD_HIGH: Final = 78
GUILD: Final = 50
NAMES: Final = {each["id"]: each["names"]["en"] for each in MARKET["materials"]}
STEPS: Final = {each["id"]: each["units_per_step"] for each in MARKET["materials"]}

STYLE: Final = """\
.bailli .m0{fill:var(--m0)}
.bailli .m1{fill:var(--m1)}
.bailli .m2{fill:var(--m2)}
.bailli .m3{fill:var(--m3)}
.bailli .unit{stroke:#241b10;stroke-width:.9}
.bailli .gone{fill:none;stroke:var(--line);stroke-width:1}
.bailli .next{fill:var(--mark)}
.bailli text.now{fill:#fff;font-weight:bold}
.bailli .grain{fill:none;stroke:#241b10;stroke-width:.9}
.bailli .wheel{fill:none;stroke:var(--soft);stroke-width:1.8}
.bailli .town{fill:var(--ink)}
.bailli .back{fill:#7a3b2e;stroke:var(--line)}
.bailli .back-line{fill:none;stroke:#e8b023}
.bailli text.back-sum{fill:#fff;font-weight:bold}
@media (prefers-color-scheme:dark){
.bailli text.now{fill:#1b1916}
}
"""


def star(count: int, outer: float, inner: float) -> str:
    """Returns a star around the origin as a path."""
    places = []
    for place in range(2 * count):
        r = inner if place % 2 else outer
        angle = math.pi * place / count
        places.append((r * math.sin(angle), -r * math.cos(angle)))
    return points(*places) + "Z"


def material(name: str, x: float, y: float, scale: float = 1) -> str:
    """Returns a unit of a material, about 16 wide around a place."""
    number_of = MATERIALS.index(name)
    cls = f"unit m{number_of}"
    shapes = (
        (rect(-8, -4, 16, 8, cls, 4), circle(4.5, 0, 2, "grain"), path("M-5-1.5h6", "grain")),
        (path("M-8 5l3-9h10l3 9z", cls), path("M-4-1h8", "grain")),
        (
            path(
                "M-5 5a4 4 0 0 1-1-7a4.5 4.5 0 0 1 7.5-3a4.5 4.5 0 0 1 6 5a3 3 0 0 1-2 5z",
                cls,
            ),
            path("M-2-1a2 2 0 0 1 4 0", "grain"),
        ),
        (path("M-8 5c3-2 5-10 8-10s5 8 8 10z", cls), path("M-2 1h.5M2-1h.5M1 3h.5", "grain")),
    )
    return group(*shapes[number_of], transform=at(x, y, scale))


def shelves(view: Plain) -> Part:
    """Returns the market: for each shelf its units, each under its price."""
    parts = [text(MARGIN, 12, "Market", 13, "head")]
    for place, shelf in enumerate(view["shelves"]):
        parts.append(
            spot(
                f"{NAMES[shelf['material']]}: {shelf['stock']} of {shelf['capacity']}",
                *_shelf(shelf),
                cls="shelf",
                data_material=shelf["material"],
                transform=at(0, 20 + ROW * place),
            )
        )
    return "Market", parts, 20 + ROW * len(view["shelves"])


def _shelf(shelf: Plain) -> list[str]:
    name, stock, step = shelf["material"], shelf["stock"], STEPS[shelf["material"]]
    own = MATERIALS.index(name)
    parts = [
        rect(MARGIN, 0, WIDTH - 2 * MARGIN, ROW - 5, "panel", 5),
        material(name, MARGIN + 14, 17, 1.15),
        text(MARGIN + 29, 15, NAMES[name], 11, "bold"),
        text(MARGIN + 29, 28, f"{stock}/{shelf['capacity']}", SMALLEST, "soft"),
    ]
    if shelf["most_per_guild"] is not None:
        parts.append(text(MARGIN + 59, 28, f"≤{shelf['most_per_guild']}", SMALLEST, "bold"))
    levels = shelf["capacity"] // step
    first, wide = MARGIN + 82, (WIDTH - 2 * MARGIN - 86) / levels
    for level in range(levels):
        x = first + wide * level
        highest = shelf["capacity"] - step * level
        price = UNIT_PRICES[own][highest] + shelf["surcharge"]
        now = highest - step < stock <= highest
        inside = [
            rect(x, 2, wide - 3, 13, "next", 4) if now else "",
            text(x + wide / 2 - 1.5, 12, f"{price} L", SMALLEST, "mid now" if now else "mid soft"),
        ]
        for unit in range(step):
            there = highest - unit <= stock
            size = (wide - 5) / step
            inside.append(
                rect(
                    x + 0.5 + size * unit,
                    18,
                    size - 1.5,
                    11,
                    f"unit m{own}" if there else "gone",
                    2,
                )
            )
        parts.append(group(*inside, cls="price", data_price=price))
    return parts


def cards(view: Plain, names: Sequence[str | None], moves: Sequence[Plain]) -> Part:
    """Returns the workshops on sale and to come, the deck, the auction."""
    deck, auction = view["deck"], view["auction"]
    may = {move["workshop"] for move in moves if move["type"] == "name_workshop"}
    up = None if auction is None else auction["workshop"]
    parts = [
        text(MARGIN, 12, "Workshops on sale", 13, "head"),
        spot(
            f"The deck: {deck['size']} workshops",
            rect(WIDTH - MARGIN - 42, 0, 42, 15, "back", 3),
            rect(WIDTH - MARGIN - 40, 2, 38, 11, "back-line", 2),
            text(WIDTH - MARGIN - 21, 11.5, deck["size"], 11, "back-sum mid"),
            cls="deck",
            data_size=deck["size"],
        ),
        text(WIDTH - MARGIN - 48, 11.5, "deck", SMALLEST, "soft end"),
    ]
    wide = (WIDTH - 2 * MARGIN + 6) / MARKET["open_cards"]
    for place, card in enumerate(view["open"]):
        row, column = divmod(place, MARKET["open_cards"])
        x, y = MARGIN + wide * column, 22 + (CARD_HIGH + 6) * row
        parts.append(_card(card, x, y, wide - 6, card["workshop"] == up, card["workshop"] in may))
    y = 22 + (CARD_HIGH + 6) * -(-len(view["open"]) // MARKET["open_cards"])
    if view["future"]:
        parts.append(text(MARGIN, y + 13, "to come", SMALLEST, "soft"))
        parts += [
            _chip(card, MARGIN + 48 + 46 * place, y) for place, card in enumerate(view["future"])
        ]
        y += 24
    if auction is not None:
        parts.append(rect(MARGIN, y, WIDTH - 2 * MARGIN, 26, "panel", 5))
        parts += _bidding(auction, names, y)
        y += 26
    return "Workshops", parts, y


def _bidding(auction: Plain, names: Sequence[str | None], y: float) -> list[str]:
    if auction["workshop"] is None:
        told = "Auction: a workshop is to be named"
        if auction["decree_waits"] or auction["decree"] is not None:
            told += " (royal decree)"
    else:
        leader = named(names, auction["leader"], "Guild")
        told = f"No. {auction['workshop']}: {auction['bid']} L by {leader}"
    first = WIDTH - MARGIN - 14 - 18 * (len(auction["bidders"]) - 1)
    return [
        text(MARGIN + 8, y + 17, told, 11, "bold"),
        *(
            shield(seat, first + 18 * place, y + 13, 0.85)
            for place, seat in enumerate(auction["bidders"])
        ),
    ]


def _card(card: Plain, x: float, y: float, wide: float, up: bool, may: bool) -> str:
    shop = CARD[card["workshop"]]
    inside = [
        rect(0, 0, wide, CARD_HIGH, "acts" if up else "panel", 6),
        text(8, 23, card["workshop"], 20, "head"),
        text(8, 38, shop["names"]["en"], SMALLEST, "bold"),
        *_work(shop, 8, 52),
        text(
            8,
            71,
            f"from {card['lowest_bid']} L" + (" ♛" if card["decree"] else ""),
            SMALLEST,
            "bold" if card["decree"] else "soft",
        ),
    ]
    if may:
        inside.append(rect(2, 2, wide - 4, CARD_HIGH - 4, "may", 5))
    return spot(
        f"Workshop {card['workshop']}, {shop['names']['en']}: {_needs(shop)}, supplies "
        f"{shop['cities']}; from {card['lowest_bid']} L",
        *inside,
        cls="card",
        data_workshop=card["workshop"],
        transform=at(x, y),
    )


def _needs(shop: dict[str, Any]) -> str:
    if not shop["uses"]:
        return "needs nothing"
    return f"needs {shop['amount']} {' or '.join(shop['uses'])}"


def _work(shop: dict[str, Any], x: float, y: float) -> list[str]:
    """What a workshop takes and how many cities it supplies."""
    parts = []
    if shop["uses"]:
        parts.append(text(x, y + 4, shop["amount"], 12, "bold"))
        x += 18
        for name in shop["uses"]:
            parts.append(material(name, x, y, 0.9))
            x += 17
    else:
        parts.append(path(star(8, 7, 4.5), "wheel", transform=at(x + 7, y)))
        x += 26
    parts.append(text(x - 5, y + 4, "→", 11, "soft"))
    parts.append(
        path(
            "M0 5v-7h2.5v-3h3v3h2v-4h3v11z",
            "town",
            transform=at(x + 9, y - 1),
        )
    )
    parts.append(text(x + 23, y + 4, shop["cities"], 12, "bold"))
    return parts


def _chip(card: int, x: float, y: float, may: bool = False) -> str:
    """A workshop in short: its number and what it takes."""
    shop = CARD[card]
    inside = [rect(0, 0, 43, 19, "hole", 4), text(4, 14, card, 12, "bold")]
    if shop["uses"]:
        inside += [
            material(name, 34 - 9 * place, 9.5, 0.6)
            for place, name in enumerate(reversed(shop["uses"]))
        ]
    else:
        inside.append(path(star(8, 6.5, 4), "wheel", transform=at(31, 9.5)))
    if may:
        inside.append(rect(0, 0, 43, 19, "may", 4))
    return spot(
        f"Workshop {card}, {shop['names']['en']}: {_needs(shop)}, supplies {shop['cities']}",
        *inside,
        cls="card",
        data_workshop=card,
        transform=at(x, y),
    )


def guilds(view: Plain, names: Sequence[str | None], moves: Sequence[Plain]) -> Part:
    """Returns a line for each guild."""
    may = {move["workshop"] for move in moves if move["type"] == "discard_workshop"}
    parts = [text(MARGIN, 12, "Guilds", 13, "head")]
    for seat, guild in enumerate(view["guilds"]):
        acts = seat in view["to_act"]
        name = named(names, seat, "Guild")
        inside = [
            rect(MARGIN, 0, WIDTH - 2 * MARGIN, GUILD - 5, "acts" if acts else "panel", 6),
            shield(seat, MARGIN + 15, 16, 1.15),
            text(MARGIN + 30, 16, name, 12, "bold"),
            text(WIDTH - MARGIN - 9, 18, f"{guild['money']} L", 15, "head end"),
            text(
                WIDTH - MARGIN - 9,
                37,
                f"{len(guild['cities'])} cities, {guild['supplied']} supplied",
                SMALLEST,
                "soft end",
            ),
            *(
                _chip(card, MARGIN + 30 + 46 * place, 23, card in may)
                for place, card in enumerate(guild["workshops"])
            ),
        ]
        held = [(name, units) for name, units in guild["stock"].items() if units]
        for place, (kind, units) in enumerate(held):
            x = MARGIN + 200 + 36 * place
            inside.append(material(kind, x, 12, 0.9))
            inside.append(text(x + 11, 16, units, 11, "bold", data_material=kind))
        parts.append(
            spot(
                f"{name}: {guild['money']} L; {len(guild['cities'])} cities; "
                f"workshops {listed(guild['workshops'])}",
                *inside,
                cls="guild",
                data_seat=seat,
                transform=at(0, 20 + GUILD * seat),
            )
        )
    return "Guilds", parts, 20 + GUILD * len(view["guilds"])
